// SPDX-License-Identifier: Apache-2.0
// One facade for the log: levelled lines on standard error.
#include "base/log.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include "base/text.hpp"

namespace kgb::log {
namespace {

constexpr std::array<std::string_view, 5> kNames{"debug", "info", "warning", "error", "off"};

Level level_from_environment() {
  const char* text = std::getenv("KGBENCH_LOG");
  if (text == nullptr) return Level::warning;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == text) return static_cast<Level>(i);
  }
  return Level::warning;
}

std::atomic<Level>& current() {
  static std::atomic<Level> value{level_from_environment()};
  return value;
}

}  // namespace

void set_level(Level level) {
  current() = level;
}
Level level() {
  return current();
}

void write(Level level, std::string_view text) {
  if (level < current() || level == Level::off) return;
  std::string line = "kgbench: ";
  line += kNames[static_cast<std::size_t>(level)];
  line += ": ";
  for (const char c : to_utf8_lossy(text)) {
    if (c == '\n') {
      line += "\\n";
    } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t') {
      line += c;
    }
  }
  line += '\n';
  // One write per line: lines of several threads and processes do not mix. A closed stderr loses the line.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace kgb::log
