// SPDX-License-Identifier: Apache-2.0
// Progress of a run, with the rate and the time that is left by it.
#include "campaign/progress.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace kgb {
namespace {

constexpr int kBarCells = 18;

std::string bar(std::int64_t done, std::int64_t total) {
  const auto filled = total > 0 ? static_cast<int>(done * kBarCells / total) : kBarCells;
  return std::string(static_cast<std::size_t>(filled), '#') +
         std::string(static_cast<std::size_t>(kBarCells - filled), '-');
}

}  // namespace

std::string human_seconds(double seconds) {
  if (seconds < 10) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

Progress::Progress(std::int64_t total, std::int64_t done, bool terminal)
    : total_(total), done_(done), terminal_(terminal), begin_(std::chrono::steady_clock::now()) {
  if (done_ > 0)
    std::fprintf(stderr, "  %lld of %lld are judged already\n", static_cast<long long>(done_),
                 static_cast<long long>(total_));
}

void Progress::started(const std::string& op) {
  const std::lock_guard lock(mutex_);
  current_ = op;
  if (terminal_) draw();
}

void Progress::finished(const Evaluation& evaluation) {
  const std::lock_guard lock(mutex_);
  ++done_;
  ++judged_;
  if (terminal_) {
    draw();
    return;
  }
  std::fputs(fmt::format("  {}/{}  {}  {}\n", done_, total_, evaluation.op, label_of(evaluation)).c_str(),
             stderr);
}

void Progress::draw() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const double rate = seconds > 0 ? static_cast<double>(judged_) / seconds : 0;
  const std::string eta = rate > 0 ? human_seconds(static_cast<double>(total_ - done_) / rate) : "-";
  std::fputs(fmt::format("\r\x1b[K  judged {}/{}  {:<34} [{}]  {:.1f}/s  eta {}", done_, total_, current_,
                         bar(done_, total_), rate, eta)
                 .c_str(),
             stderr);
  std::fflush(stderr);
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  if (terminal_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace kgb
