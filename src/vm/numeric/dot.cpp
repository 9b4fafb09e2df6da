// SPDX-License-Identifier: Apache-2.0
// Matrix product: the kernels per instruction set and the choice between them.
#include "vm/numeric/dot.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "vm/numeric/isa.hpp"
#include "vm/numeric/scalar.hpp"

#define KGB_KERNELS "vm/numeric/dot_all.hpp"
#include "vm/numeric/for_each_isa.hpp"

namespace kgb::vm::numeric {

DotFn dot(DType a, DType b, DType c, DotPrecision precision) {
  return KGB_DISPATCH(dot_kernel(a, b, c, precision));
}

}  // namespace kgb::vm::numeric
