// SPDX-License-Identifier: Apache-2.0
// Special values by their bits: infinities, NaN, signed zeros, subnormals, extremes of every element type.
#pragma once

#include <cstddef>

#include "model/dtype.hpp"
#include "model/generate_words.hpp"

namespace kgb::generating {

// One element in eight of the `count` at `to` becomes a special value; words 2 and 3 of `words` choose.
void replace_special(DType dtype, const Words& words, std::size_t count, std::byte* to);
// The same without infinities, NaN and largest values.
void replace_finite(DType dtype, const Words& words, std::size_t count, std::byte* to);
// Every element becomes a subnormal of random sign, one in eight a zero. Integers become 0.
void replace_subnormal(DType dtype, const Words& words, std::size_t count, std::byte* to);

}  // namespace kgb::generating
