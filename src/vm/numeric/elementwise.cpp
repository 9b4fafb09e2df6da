// SPDX-License-Identifier: Apache-2.0
// Two-operand arithmetic: the kernels per instruction set and the choice between them.
#include "vm/numeric/elementwise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "vm/numeric/isa.hpp"
#include "vm/numeric/scalar.hpp"

#define KGB_KERNELS "vm/numeric/elementwise_all.hpp"
#include "vm/numeric/for_each_isa.hpp"

namespace kgb::vm::numeric {

BinaryKernel binary(BinaryOp op, DType dtype) {
  return KGB_DISPATCH(binary_kernel(op, dtype));
}

}  // namespace kgb::vm::numeric
