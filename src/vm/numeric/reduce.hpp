// SPDX-License-Identifier: Apache-2.0
// Reductions and scans along one axis by a fixed tree, so that the result never depends on threads or tiles.
#pragma once

#include <cstddef>

#include "model/dtype.hpp"
#include "vm/numeric/elementwise.hpp"

namespace kgb::vm::numeric {

// The input is outer x n x inner, contiguous; the axis is the middle one.
struct AxisShape {
  std::size_t outer = 1, n = 1, inner = 1;
};

// out is outer x inner. Tree: upper half onto lower half, again and again (x[i] op x[i + n/2]), each step rounded
// to the dtype. n >= 1. Any BinaryOp that is associative up to rounding; null where binary(op, dtype) is null.
// out must not overlap the input.
using ReduceFn = void (*)(BinaryKernel op, std::size_t element_bytes, const void* in, void* out, AxisShape shape);
struct Reducer {
  ReduceFn run = nullptr;
  BinaryKernel op;
  std::size_t element_bytes = 0;
  explicit operator bool() const { return run != nullptr; }
  void operator()(const void* in, void* out, AxisShape shape) const { run(op, element_bytes, in, out, shape); }
};
[[nodiscard]] Reducer reducer(BinaryOp op, DType dtype);

// Inclusive scan; out has the input's shape and may be the input. Tree: scan both halves, then the left total
// onto the right half. `reverse` scans from the end.
using ScanFn = void (*)(BinaryKernel op, std::size_t element_bytes, const void* in, void* out, AxisShape shape,
                        bool reverse);
struct Scanner {
  ScanFn run = nullptr;
  BinaryKernel op;
  std::size_t element_bytes = 0;
  explicit operator bool() const { return run != nullptr; }
  void operator()(const void* in, void* out, AxisShape shape, bool reverse) const {
    run(op, element_bytes, in, out, shape, reverse);
  }
};
[[nodiscard]] Scanner scanner(BinaryOp op, DType dtype);

}  // namespace kgb::vm::numeric
