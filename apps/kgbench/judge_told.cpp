// SPDX-License-Identifier: Apache-2.0
// The line that says how far a judgement has come.
#include "judge_told.hpp"

#include <unistd.h>

#include <cstdio>
#include <string>

namespace kgb::app {
namespace {

// One line on a terminal that says what is being done, and is gone when the verdict stands there.
class ProgressLine {
 public:
  void show(Gate gate, std::size_t done, std::size_t total) const {
    if (!terminal_) return;
    std::fprintf(stderr, "\r\033[K  %s", std::string(name_of(gate)).c_str());
    if (gate == Gate::correct) std::fprintf(stderr, "  workload %zu of %zu", done + 1, total);
    if (gate == Gate::compile && done < total)
      std::fprintf(stderr, "  for other chips: %zu of %zu (--target none leaves it out)", done + 1, total);
  }
  ~ProgressLine() {
    if (terminal_) std::fputs("\r\033[K", stderr);
  }
  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

 private:
  bool terminal_ = ::isatty(STDERR_FILENO) == 1;
};

}  // namespace

Result<Evaluation> judge_told(Judge& judge, JudgeRequest& request) {
  const ProgressLine line;
  request.progress = [&line](Gate gate, std::size_t done, std::size_t total) {
    line.show(gate, done, total);
  };
  return judge.judge(request);
}

}  // namespace kgb::app
