// SPDX-License-Identifier: Apache-2.0
// One ulp up or down, drawn from a block of the tensor's stream that no value is made of.
#include "model/moved.hpp"

#include <algorithm>
#include <cmath>

#include "model/generate.hpp"
#include "model/generate_words.hpp"

namespace kgb {
namespace {

constexpr std::uint32_t kSignBlock = 7;

bool stays(double value) {
  return !std::isfinite(value) || (std::abs(value) <= kStaysUpTo && value == std::nearbyint(value));
}

}  // namespace

void move_values(std::span<double> values, DType precision, std::string_view path, std::uint64_t seed,
                 int trial, int call) {
  const PhiloxKey key = stream_key(path, seed, trial, call);
  const double spacing = 2 * unit_roundoff(precision), least = smallest_subnormal(precision);
  const double largest = largest_finite(precision);
  generating::Words words;
  for (std::size_t first = 0; first < values.size(); first += generating::kLanes) {
    generating::random_words(first, kSignBlock, key, words);
    const std::size_t n = std::min(generating::kLanes, values.size() - first);
    for (std::size_t i = 0; i < n; ++i) {
      double& value = values[first + i];
      if (stays(value)) continue;
      const double ulp = std::max(std::ldexp(spacing, std::ilogb(value)), least);
      const double step = (words.word[0][i] & 1) != 0 ? ulp : -ulp;
      const double moved = value + step;
      // The largest number has no neighbour above, and zero would be another case: the other neighbour, then.
      value = std::abs(moved) <= std::max(largest, std::abs(value)) && moved != 0 ? moved : value - step;
    }
  }
}

}  // namespace kgb
