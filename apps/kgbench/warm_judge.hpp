// SPDX-License-Identifier: Apache-2.0
// A judge that is opened when it is told to, or when it is first needed.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "setup.hpp"

namespace kgb::app {

// It is opened on a thread of its own, which lives as long as it: what a thread has started may be told to
// end with it, and whoever needs a judge first may be gone before the last. Thread-safe.
class WarmJudge {
 public:
  WarmJudge(JudgeOptions options, int lanes, Catalogue catalogue,
            std::optional<DeclaredLibrary> library = std::nullopt);
  ~WarmJudge();
  WarmJudge(const WarmJudge&) = delete;
  WarmJudge& operator=(const WarmJudge&) = delete;

  // Opens it while the caller goes on; `failed` is told of an error at once.
  void begin(std::function<void(const Error&)> failed = nullptr);
  // Waits until it is open.
  Result<Judge*> get();

 private:
  JudgeOptions options_;
  int lanes_;
  Catalogue catalogue_;
  std::optional<DeclaredLibrary> library_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::unique_ptr<Result<std::unique_ptr<Judge>>> judge_;
  bool closed_ = false;
  std::thread thread_;
};

}  // namespace kgb::app
