// SPDX-License-Identifier: Apache-2.0
// Reductions and scans: the kernels per instruction set and the choice between them.
#include "vm/numeric/reduce.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

namespace {

// Of the best instruction set that has them.
auto best_kernels(BinaryOp op, DType dtype) {
#if defined(__x86_64__)
  if (active_isa() == Isa::avx512)
    if (const auto found = avx512::axis_kernels(op, dtype); found.reduce)
      return baseline::AxisKernels{found.reduce, found.scan};
  if (active_isa() != Isa::baseline)
    if (const auto found = avx2::axis_kernels(op, dtype); found.reduce)
      return baseline::AxisKernels{found.reduce, found.scan};
#endif
  return baseline::axis_kernels(op, dtype);
}

}  // namespace

Reducer reducer(BinaryOp op, DType dtype) {
  return best_kernels(op, dtype).reduce;
}
Scanner scanner(BinaryOp op, DType dtype) {
  return best_kernels(op, dtype).scan;
}

}  // namespace kgb::vm::numeric
