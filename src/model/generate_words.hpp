// SPDX-License-Identifier: Apache-2.0
// The inner loops of generate(): random words by lanes, and rounding of doubles to an element type.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/philox.hpp"
#include "model/dtype.hpp"

namespace kgb::generating {

// Elements made at a time; 4096, the group of the spike domain, is a multiple.
inline constexpr std::size_t kLanes = 256;

struct Words {
  alignas(64) std::uint32_t word[4][kLanes];
};

// word[k][i] = word k of philox4x32({low(first + i), high(first + i), block, 0}, key), for all lanes.
void random_words(std::uint64_t first, std::uint32_t block, PhiloxKey key, Words& words);

// out[i] = a real in [0, 1) of 52 bits, from words 0 and 1.
void unit_reals(const Words& words, double* out);
// out[i] = sum of twelve 16-bit uniforms of words a (0..3) and b (0, 1), centred: about normal(0, 1).
void unit_normals(const Words& a, const Words& b, double* out);
// out[i] = low + scale * out[i]
void affine(double low, double scale, double* out);

// Rounds `count` values to `dtype` (real or integer; not complex) and stores them at `to`.
// Finite values beyond the range become the largest; integers round down; NaN as an integer is the largest
// value; b8 is (value > 0).
void store_values(const double* values, std::size_t count, DType dtype, std::byte* to);

}  // namespace kgb::generating
