// SPDX-License-Identifier: Apache-2.0
// Live progress of a run: one line that is redrawn on a terminal, plain lines elsewhere.
#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "model/verdict.hpp"

namespace kgb {

class Progress {
 public:
  // `done` of `total` were finished before (resume). Writes to standard error.
  Progress(std::int64_t total, std::int64_t done, bool terminal);
  void started(const std::string& op);
  void finished(const Evaluation& evaluation);
  void end();

 private:
  void draw();
  std::mutex mutex_;
  std::int64_t total_, done_, judged_ = 0;
  bool terminal_;
  std::string current_;
  std::chrono::steady_clock::time_point begin_;
};

// "12 s", "3 min 20 s".
[[nodiscard]] std::string human_seconds(double seconds);

}  // namespace kgb
