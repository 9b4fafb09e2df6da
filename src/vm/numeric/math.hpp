// SPDX-License-Identifier: Apache-2.0
// Functions of one argument over spans: math.* and the integer bit operations.
#pragma once

#include <cstdint>

#include "model/dtype.hpp"
#include "vm/numeric/kernel.hpp"

namespace kgb::vm::numeric {

// Floats: f16, bf16, f32, f64. f16 and bf16 are computed in f32 and rounded. f32 results lie within 1 ulp of
// the exact value (exp within 0.95, exp2 within 0.85, the others within 0.51), f64 is libm. Denormals are
// kept, unlike ex2.approx.ftz and friends on a GPU. roundeven is ties to even (tl.rint is libdevice), round
// is ties away from zero. Integers (b8 and all widths): noti, absi, ctlz, cttz, ctpop.
enum class UnaryOp : std::uint8_t {
  negf,
  absf,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  sinh,
  cosh,
  tanh,
  asin,
  acos,
  atan,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  sqrt,
  rsqrt,
  cbrt,
  floor,
  ceil,
  trunc,
  roundeven,
  round,
  noti,
  absi,
  ctlz,
  cttz,
  ctpop,
};
[[nodiscard]] UnaryFn unary(UnaryOp op, DType dtype);

}  // namespace kgb::vm::numeric
