// SPDX-License-Identifier: Apache-2.0
// Reductions and scans: the kernels per instruction set and the choice between them.
#include "vm/numeric/reduce.hpp"

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

#define KGB_KERNELS "vm/numeric/reduce_all.hpp"
#include "vm/numeric/for_each_isa.hpp"

namespace kgb::vm::numeric {

Reducer reducer(BinaryOp op, DType dtype) {
  return KGB_DISPATCH(axis_kernels(op, dtype).reduce);
}
Scanner scanner(BinaryOp op, DType dtype) {
  return KGB_DISPATCH(axis_kernels(op, dtype).scan);
}

}  // namespace kgb::vm::numeric
