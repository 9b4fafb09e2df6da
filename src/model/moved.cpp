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

// Bits of the significand, the hidden one included, and the exponent of the smallest normal number.
struct Format {
  int bits, least;
};

Format format_of(DType precision) {
  switch (precision) {
    case DType::f64:
      return {53, -1022};
    case DType::f16:
      return {11, -14};
    case DType::bf16:
      return {8, -126};
    default:
      return {24, -126};
  }
}

bool stays(double value) {
  return !std::isfinite(value) || (std::abs(value) <= kStaysUpTo && value == std::nearbyint(value));
}

}  // namespace

void move_values(std::span<double> values, DType precision, std::string_view path, std::uint64_t seed,
                 int trial, int call) {
  const PhiloxKey key = stream_key(path, seed, trial, call);
  const Format format = format_of(precision);
  generating::Words words;
  for (std::size_t first = 0; first < values.size(); first += generating::kLanes) {
    generating::random_words(first, kSignBlock, key, words);
    const std::size_t n = std::min(generating::kLanes, values.size() - first);
    for (std::size_t i = 0; i < n; ++i) {
      double& value = values[first + i];
      if (stays(value)) continue;
      const double ulp = std::ldexp(1.0, std::max(std::ilogb(value), format.least) - format.bits + 1);
      const double step = (words.word[0][i] & 1) != 0 ? ulp : -ulp;
      const double moved = value + step;
      // The largest number has no neighbour above, and zero would be another case: the other neighbour, then.
      value = std::isfinite(moved) && moved != 0 ? moved : value - step;
    }
  }
}

}  // namespace kgb
