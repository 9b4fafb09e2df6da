// SPDX-License-Identifier: Apache-2.0
// Shapes of the span kernels that the VM resolves once per operation and calls once per tile.
#pragma once

#include <cstddef>

namespace kgb::vm::numeric {

// Buffers are contiguous elements of a DType; b8 (TTIR i1) is one byte, 0 or 1. `out` may be exactly an input
// buffer of the same element size, no other overlap is allowed. n may be 0. Null means "not defined".
using UnaryFn = void (*)(const void* a, void* out, std::size_t n);
using BinaryFn = void (*)(const void* a, const void* b, void* out, std::size_t n);
using TernaryFn = void (*)(const void* a, const void* b, const void* c, void* out, std::size_t n);

// v: n elements, s: one element used for all n.
struct BinaryKernel {
  BinaryFn vv = nullptr;
  BinaryFn vs = nullptr;
  BinaryFn sv = nullptr;
  explicit operator bool() const { return vv != nullptr; }
};

// out[i] = condition[i] ? a[i] : b[i]; condition is b8, the letters say whether a and b are spans.
struct SelectKernel {
  TernaryFn vv = nullptr;
  TernaryFn vs = nullptr;
  TernaryFn sv = nullptr;
  TernaryFn ss = nullptr;
  explicit operator bool() const { return vv != nullptr; }
};

}  // namespace kgb::vm::numeric
