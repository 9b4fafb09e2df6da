// SPDX-License-Identifier: Apache-2.0
// Values moved by one unit in the last place: what the fixture screen asks the oracle about.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "model/dtype.hpp"

namespace kgb {

// Integers up to this magnitude are not moved: they are exact in every arithmetic, and the ends of domains
// and the jumps of functions lie there.
inline constexpr double kStaysUpTo = 256;

// Moves each value by one ulp of `precision` (a real float dtype) up or down, by random signs that follow
// from the tensor's path and the seed. Small integers, infinities and NaN stay.
void move_values(std::span<double> values, DType precision, std::string_view path, std::uint64_t seed,
                 int trial, int call);

}  // namespace kgb
