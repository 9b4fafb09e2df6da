// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparison and selection over spans with the semantics that Triton's operations have on a GPU.
#pragma once

#include <cstdint>

#include "model/dtype.hpp"
#include "vm/numeric/kernel.hpp"

namespace kgb::vm::numeric {

// Named as in TTIR. Integer operations take b8 and any integer dtype; only the width counts, the operation
// says the sign. Integers wrap. Division: x/0 is all ones (remainder x), INT_MIN / -1 is INT_MIN (remainder
// 0). Shifts by the width or more give 0, or the sign for shrsi. Float operations take f16, bf16, f32, f64
// and round once to the type (fp8 is widened by the front end first).
//   minnumf, maxnumf: a NaN operand is dropped; minimumf, maximumf: NaN wins. -0 < +0 in all four.
//   remf: C fmod. precise_divf is divf here: both are correctly rounded.
enum class BinaryOp : std::uint8_t {
  addf,
  subf,
  mulf,
  divf,
  remf,
  minnumf,
  maxnumf,
  minimumf,
  maximumf,
  copysign,
  atan2,
  powf,
  addi,
  subi,
  muli,
  divsi,
  divui,
  remsi,
  remui,
  mulhiui,
  mulhisi,
  andi,
  ori,
  xori,
  shli,
  shrsi,
  shrui,
  minsi,
  maxsi,
  minui,
  maxui,
  ceildivsi,
  ceildivui,
  floordivsi,
};
[[nodiscard]] BinaryKernel binary(BinaryOp op, DType dtype);

enum class CompareInt : std::uint8_t { eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge };
enum class CompareFloat : std::uint8_t {
  always_false,
  oeq,
  ogt,
  oge,
  olt,
  ole,
  one,
  ord,
  ueq,
  ugt,
  uge,
  ult,
  ule,
  une,
  uno,
  always_true,
};
// Result is b8. i1 operands: true is -1 for the signed predicates, 1 for the unsigned ones. Pointers are u64.
[[nodiscard]] BinaryKernel compare(CompareInt op, DType dtype);
[[nodiscard]] BinaryKernel compare(CompareFloat op, DType dtype);

// Any element of 1, 2, 4 or 8 bytes.
[[nodiscard]] SelectKernel select(std::size_t element_bytes);

// fma: one rounding. clampf(x, lo, hi): clamp_drop_nan is min(max(x, lo), hi) with NaN dropped (propagateNan
// = none), clamp_keep_nan keeps a NaN of x.
enum class TernaryOp : std::uint8_t { fma, clamp_drop_nan, clamp_keep_nan };
[[nodiscard]] TernaryFn ternary(TernaryOp op, DType dtype);

// out[i] = value for n elements of 1, 2, 4 or 8 bytes.
void fill(void* out, const void* value, std::size_t element_bytes, std::size_t n);

}  // namespace kgb::vm::numeric
