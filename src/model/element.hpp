// SPDX-License-Identifier: Apache-2.0
// Elements of every float format as doubles, in blocks, and rounding of a double to a format.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "model/dtype.hpp"

namespace kgb {

// Decodes out.size() real elements (components, for complex dtypes) of a float or complex dtype; exact.
// `bytes` need not be aligned.
void decode_reals(DType dtype, const std::byte* bytes, std::span<double> out);
// Decodes integers and bools as i64; u64 keeps its bits.
void decode_integers(DType dtype, const std::byte* bytes, std::span<std::int64_t> out);
// The nearest value of the dtype, ties to even; beyond its range infinity, or NaN where it has none (f8e4m3).
// Complex dtypes: the component's format. Integers and bools: the value unchanged.
[[nodiscard]] double round_to_dtype(double value, DType dtype);
// Smallest magnitude that rounds beyond the largest finite value.
[[nodiscard]] double overflow_threshold(DType dtype);
// f32 for c64, f64 for c128, else itself.
[[nodiscard]] constexpr DType component_of(DType dtype) {
  return dtype == DType::c64 ? DType::f32 : dtype == DType::c128 ? DType::f64 : dtype;
}

}  // namespace kgb
