// SPDX-License-Identifier: Apache-2.0
// Reductions and scans along one axis by a fixed tree, so that the result never depends on threads or tiles.
#pragma once

#include <cstddef>

#include "model/dtype.hpp"
#include "vm/numeric/elementwise.hpp"

namespace kgb::vm::numeric {

// The input is outer x n x inner, contiguous; the axis is the middle one. n >= 1.
struct AxisShape {
  std::size_t outer = 1, n = 1, inner = 1;
};

// Defined for addf, mulf, the float minima and maxima (f16, bf16, f32, f64) and addi, muli, andi, ori, xori,
// minsi, maxsi, minui, maxui (b8 and every integer dtype); otherwise empty.
struct Reducer {
  // out is outer x inner and must not overlap the input. Tree: the upper half onto the lower half, again and
  // again (x[i] op x[i + n/2]), each step rounded to the dtype.
  void (*run)(const void* in, void* out, AxisShape shape) = nullptr;
  explicit operator bool() const { return run != nullptr; }
  void operator()(const void* in, void* out, AxisShape shape) const { run(in, out, shape); }
};
[[nodiscard]] Reducer reducer(BinaryOp op, DType dtype);

struct Scanner {
  // Inclusive; out has the input's shape and may be the input. Tree: scan both halves, then the left total
  // onto the right half, each step rounded to the dtype. `reverse` scans from the end.
  void (*run)(const void* in, void* out, AxisShape shape, bool reverse) = nullptr;
  explicit operator bool() const { return run != nullptr; }
  void operator()(const void* in, void* out, AxisShape shape, bool reverse) const {
    run(in, out, shape, reverse);
  }
};
[[nodiscard]] Scanner scanner(BinaryOp op, DType dtype);

}  // namespace kgb::vm::numeric
