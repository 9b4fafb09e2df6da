// SPDX-License-Identifier: Apache-2.0
// Conversion of spans between element types.
#pragma once

#include "model/dtype.hpp"
#include "vm/numeric/kernel.hpp"
#include "vm/numeric/scalar.hpp"

namespace kgb::vm::numeric {

struct ConvertOptions {
  Rounding rounding = Rounding::nearest_even;    // float to narrower float only
  Fp8Overflow overflow = Fp8Overflow::saturate;  // to f8* only
};

// TTIR keeps the sign in the operation, so choose the dtypes accordingly: extsi is (i8 -> i32), extui (u8 ->
// i32), sitofp (i32 -> f), uitofp (u32 -> f), fptosi (f -> i32), fptoui (f -> u32), trunci (i32 -> i8),
// truncf, extf and tt.fp_to_fp (f -> f). Every conversion rounds once. Float to integer saturates as PTX
// cvt.rzi does, 8 bits are the low byte of 16. A b8 source is 0 or 1 (extui, uitofp). A b8 result takes the
// lowest bit of an integer (trunci) and "is not zero" of a float. Null for c64, c128.
[[nodiscard]] UnaryFn converter(DType from, DType to, ConvertOptions options = {});

// extsi and sitofp of i1: true is -1.
[[nodiscard]] UnaryFn signed_bool_converter(DType to);

// f32 span to f32 span.
[[nodiscard]] UnaryFn tf32_rounder(Tf32Mode mode);

}  // namespace kgb::vm::numeric
