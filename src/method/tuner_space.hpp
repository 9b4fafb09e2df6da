// SPDX-License-Identifier: Apache-2.0
// What can be tuned in a source (python/kgbench/tune): axes with values, and the text of a point among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace kgb::method {

struct Axis {
  std::string id;    // "size:launch.block"
  std::string kind;  // size, warps, stages, loop, even, order, turns, cache
  std::string what;  // for people
  int line = 0;
  std::vector<std::string> values;
  std::size_t seed = 0;  // which of the values the source has
  bool ordered = false;  // from small to large
};
// An index into the values of each axis.
using Point = std::vector<std::size_t>;

[[nodiscard]] Point seed_of(const std::vector<Axis>& axes);

// Where the rewriter is. It reads sources and never runs them.
struct Rewriter {
  std::string interpreter;
  std::filesystem::path python_dir;  // holds the package kgbench
};

// The axes of the source in `file`, those first that matter most. A source that does not parse is the user's
// error.
[[nodiscard]] Result<std::vector<Axis>> space_of(const Rewriter& rewriter, const std::filesystem::path& file);
// The source of a point. A user's error: its choices do not go together.
[[nodiscard]] Result<std::string> source_at(const Rewriter& rewriter, const std::filesystem::path& file,
                                            const std::vector<Axis>& axes, const Point& point);
// The answer of python -m kgbench.tune FILE.
[[nodiscard]] Result<std::vector<Axis>> axes_from_json(std::string_view text);

}  // namespace kgb::method
