// SPDX-License-Identifier: Apache-2.0
// C += A * B on tiles, one register-blocked kernel per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/dtype.hpp"

namespace kgb::vm::numeric {

// What f32 operands become before the product. Ignored for other operand types.
enum class DotPrecision : std::uint8_t { ieee, tf32_truncate, tf32_nearest_away };

// Strides are in elements and may be 0 or negative. C is m x n with unit column stride.
struct DotArgs {
  const void* a = nullptr;  // m x k
  const void* b = nullptr;  // k x n
  void* c = nullptr;        // m x n, read and written
  std::size_t m = 0, n = 0, k = 0;
  std::ptrdiff_t a_row = 0, a_col = 1;
  std::ptrdiff_t b_row = 0, b_col = 1;
  std::ptrdiff_t c_row = 0;
};
using DotFn = void (*)(const DotArgs& args);

// Operands f8*, f16, bf16, f32 (mixed widths allowed) with C f32, or f16/bf16 (accumulated in f32, rounded
// once at the end); i8/u8 with C i32 (wraps); f64 with C f64. Products are summed in ascending k with fused
// multiply-add (separate multiply and add on a processor without FMA). Null for any other combination.
[[nodiscard]] DotFn dot(DType a, DType b, DType c, DotPrecision precision = DotPrecision::ieee);

}  // namespace kgb::vm::numeric
