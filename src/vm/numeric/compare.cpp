// SPDX-License-Identifier: Apache-2.0
// Comparison, selection, fma and clamp: the kernels per instruction set and the choice between them.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "vm/numeric/elementwise.hpp"
#include "vm/numeric/isa.hpp"
#include "vm/numeric/scalar.hpp"

#define KGB_KERNELS "vm/numeric/compare_all.hpp"
#include "vm/numeric/for_each_isa.hpp"

namespace kgb::vm::numeric {

BinaryKernel compare(CompareInt op, DType dtype) {
  return KGB_DISPATCH(int_compare_kernel(op, dtype));
}
BinaryKernel compare(CompareFloat op, DType dtype) {
  return KGB_DISPATCH(float_compare_kernel(op, dtype));
}
SelectKernel select(std::size_t element_bytes) {
  return KGB_DISPATCH(select_kernel(element_bytes));
}
TernaryFn ternary(TernaryOp op, DType dtype) {
  return KGB_DISPATCH(ternary_kernel(op, dtype));
}

void fill(void* out, const void* value, std::size_t element_bytes, std::size_t n) {
  if (n == 0) return;
  unsigned char* bytes = static_cast<unsigned char*>(out);
  std::memcpy(bytes, value, element_bytes);
  // Doubling copies: every step is a large memcpy.
  for (std::size_t done = 1; done < n;) {
    const std::size_t count = std::min(done, n - done);
    std::memcpy(bytes + done * element_bytes, bytes, count * element_bytes);
    done += count;
  }
}

}  // namespace kgb::vm::numeric
