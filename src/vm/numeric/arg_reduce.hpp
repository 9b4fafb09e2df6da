// SPDX-License-Identifier: Apache-2.0
// Reductions of pairs of a value and its index, as tl.argmax and tl.min(return_indices=True) are.
#pragma once

#include <cstdint>

#include "vm/numeric/reduce.hpp"

namespace kgb::vm::numeric {

// Of two pairs the left one stays if its value is beyond the other's, or, with `first`, if the values are
// equal and its index is the smaller. A comparison with NaN is false.
struct ArgOrder {
  bool largest = true;
  bool first = true;
  bool is_unsigned = false;  // how integers compare
};

struct ArgReducer {
  // Values and indices are outer x n x inner, the results outer x inner; `scratch` holds 8 bytes for each of
  // (n + 1) / 2 x inner pairs. The tree is Reducer's.
  void (*run)(const void* values, const std::int32_t* indices, void* value, std::int32_t* index,
              AxisShape shape, void* scratch) = nullptr;
  explicit operator bool() const { return run != nullptr; }
};
// Of f32 and i32; empty for other dtypes.
[[nodiscard]] ArgReducer arg_reducer(ArgOrder order, DType dtype);

}  // namespace kgb::vm::numeric
