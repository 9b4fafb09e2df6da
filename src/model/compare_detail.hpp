// SPDX-License-Identifier: Apache-2.0
// What the parts of the comparison share: the tally of right and wrong elements, and one function per rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "model/compare.hpp"

namespace kgb::compare_detail {

inline constexpr std::size_t kBlock = 1024;  // components; five such arrays stay in the first-level cache
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// One output under comparison, with what is found about it.
struct Job {
  std::span<const std::byte> got;
  const ExpectedOutput& expected;
  const ErrorBound& bound;
  const CompareOptions& options;
  std::int64_t numel = 0;
  CompareResult result;
  std::vector<std::uint8_t> bad;  // one flag per element; empty while none is bad
  bool worst_is_bad = false;

  // Records element `index` as wrong. `ratio` is its error over the bound.
  void wrong(std::int64_t index, double ratio, double bound_value, bool nonfinite);
  // Records the ratio of an element that is right.
  void right(std::int64_t index, double ratio, double bound_value);
};

// Coefficients of the bound: out * |e| + acc * m + floor.
struct Coefficients {
  double out = 0, acc = 0, floor = 0;
};
[[nodiscard]] Coefficients coefficients(const ErrorBound& bound, DType out);

void compare_reals(Job& job);      // float and complex outputs under a bound, or the published rule
void compare_exact(Job& job);      // integers, bools, and floats that must be the rounded expectation
void compare_quantised(Job& job);  // integer and fp8 codes
Status compare_ties(Job& job);
Status compare_unordered(Job& job);

// Expected values as doubles (integers and bools converted); complex as pairs.
void expected_reals(const ExpectedOutput& expected, std::int64_t first, std::span<double> out);
void expected_integers(const ExpectedOutput& expected, std::int64_t first, std::span<std::int64_t> out);
// What the wrong elements have in common, as one sentence part.
[[nodiscard]] std::string pattern_of(const Job& job);
// "[2,1030]"; "[]" for 0-d.
[[nodiscard]] std::string position_text(std::int64_t index, const std::vector<std::int64_t>& shape);
[[nodiscard]] std::string got_text(const Job& job, std::int64_t index);
[[nodiscard]] std::string expected_text(const Job& job, std::int64_t index);
[[nodiscard]] bool holds_poison(const Job& job, std::int64_t index);

}  // namespace kgb::compare_detail
