// SPDX-License-Identifier: Apache-2.0
// Runs the pending items of a run over parallel lanes.
#include "campaign/campaign.hpp"

#include <mutex>
#include <optional>
#include <thread>

#include "base/files.hpp"
#include "campaign/library.hpp"

namespace kgb {
namespace {

constexpr std::size_t kMaxCandidateBytes = 4u << 20;

// The lanes' shared work list; the first error stops all of them.
class WorkList {
 public:
  explicit WorkList(std::vector<RunItem> items) : items_(std::move(items)) {}
  std::optional<RunItem> next(const std::atomic<bool>& stop) {
    const std::lock_guard lock(mutex_);
    if (stop.load() || error_ || at_ == items_.size()) return std::nullopt;
    return items_[at_++];
  }
  void fail(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  [[nodiscard]] std::optional<Error> error() const { return error_; }
  [[nodiscard]] bool exhausted() const { return at_ == items_.size(); }
  std::atomic<std::int64_t> judged{0};

 private:
  std::mutex mutex_;
  std::vector<RunItem> items_;
  std::size_t at_ = 0;
  std::optional<Error> error_;
};

Result<JudgeRequest> request_for(const RunItem& item, const RunInfo& run, const RunOptions& options,
                                 const Catalogue& catalogue, std::string source) {
  JudgeRequest request = options.request;
  request.op = item.op;
  request.source = std::move(source);
  request.file = item.candidate;
  request.contestant = run.contestant;
  if (options.library) {
    KGB_TRY(const Operator* const op, catalogue.find(item.op));
    declare(request, *options.library, *op);
  }
  return request;
}

Status judge_one(Store& store, Judge& judge, const RunItem& item, const RunInfo& run,
                 const RunOptions& options, Progress& progress) {
  KGB_TRY(std::string source, read_file(item.candidate, kMaxCandidateBytes));
  KGB_TRY(const JudgeRequest request, request_for(item, run, options, judge.catalogue(), source));
  progress.started(item.op);
  KGB_TRY(Evaluation evaluation, judge.judge(request));
  if (evaluation.verdict == Verdict::infra) {
    KGB_TRY(evaluation, judge.judge(request));
  }
  KGB_CHECK(store.record(item, evaluation, source));
  progress.finished(evaluation);
  return ok_status();
}

}  // namespace

Result<RunOutcome> run_pending(Store& store, Judge& judge, const RunInfo& run, const RunOptions& options,
                               Progress& progress, const std::atomic<bool>& stop) {
  KGB_TRY(std::vector<RunItem> items, store.pending(run.id));
  WorkList work(std::move(items));
  auto lane = [&] {
    while (std::optional<RunItem> item = work.next(stop)) {
      Status done = judge_one(store, judge, *item, run, options, progress);
      if (!done.ok()) {
        work.fail(done.error());
        return;
      }
      ++work.judged;
    }
  };
  std::vector<std::thread> lanes;
  for (int i = 0; i < options.lanes; ++i) lanes.emplace_back(lane);
  for (std::thread& thread : lanes) thread.join();
  progress.end();
  if (work.error()) return *work.error();
  return RunOutcome{work.judged.load(), !work.exhausted()};
}

}  // namespace kgb
