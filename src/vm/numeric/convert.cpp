// SPDX-License-Identifier: Apache-2.0
// Conversion between element types: the kernels per instruction set and the choice between them.
#include "vm/numeric/convert.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "vm/numeric/isa.hpp"

#define KGB_KERNELS "vm/numeric/convert_all.hpp"
#include "vm/numeric/for_each_isa.hpp"

namespace kgb::vm::numeric {

UnaryFn converter(DType from, DType to, ConvertOptions options) {
  return KGB_DISPATCH(convert_kernel(from, to, options));
}
UnaryFn signed_bool_converter(DType to) {
  return KGB_DISPATCH(signed_bool_kernel(to));
}
UnaryFn tf32_rounder(Tf32Mode mode) {
  return KGB_DISPATCH(tf32_kernel(mode));
}

}  // namespace kgb::vm::numeric
