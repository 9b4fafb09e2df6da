// SPDX-License-Identifier: Apache-2.0
// The thread that opens a judge and waits until nobody needs it.
#include "warm_judge.hpp"

#include <utility>

namespace kgb::app {

WarmJudge::WarmJudge(JudgeOptions options, int lanes, Catalogue catalogue,
                     std::optional<DeclaredLibrary> library)
    : options_(std::move(options)),
      lanes_(lanes),
      catalogue_(std::move(catalogue)),
      library_(std::move(library)) {}

WarmJudge::~WarmJudge() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void WarmJudge::begin(std::function<void(const Error&)> failed) {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) return;
  thread_ = std::thread([this, failed = std::move(failed)] {
    Result<std::unique_ptr<Judge>> judge = open_judge(options_, lanes_, catalogue_, library_);
    if (!judge.ok() && failed) failed(judge.error());
    std::unique_lock held(mutex_);
    judge_ = std::make_unique<Result<std::unique_ptr<Judge>>>(std::move(judge));
    changed_.notify_all();
    changed_.wait(held, [this] { return closed_; });
  });
}

Result<Judge*> WarmJudge::get() {
  begin();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return judge_ != nullptr; });
  if (!judge_->ok()) return judge_->error();
  return judge_->value().get();
}

}  // namespace kgb::app
