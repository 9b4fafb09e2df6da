// SPDX-License-Identifier: Apache-2.0
// One facade for the log: levelled lines on standard error. Libraries log through this and nothing else.
#pragma once

#include <string_view>

namespace kgb::log {

enum class Level { debug, info, warning, error, off };

// Lines below `level` are dropped. The start value is warning, or what KGBENCH_LOG names
// (debug, info, warning, error, off).
void set_level(Level level);
[[nodiscard]] Level level();

// One line; a newline in the text is written as "\n" so that a candidate's text cannot forge a line.
void write(Level level, std::string_view text);

inline void debug(std::string_view text) {
  write(Level::debug, text);
}
inline void info(std::string_view text) {
  write(Level::info, text);
}
inline void warning(std::string_view text) {
  write(Level::warning, text);
}
inline void error(std::string_view text) {
  write(Level::error, text);
}

}  // namespace kgb::log
