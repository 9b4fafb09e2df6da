// SPDX-License-Identifier: Apache-2.0
// Strided copies with torch's cast rules, fills and generated constants: the plan nodes that are no launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/dtype.hpp"

namespace kgb::executor {

// A view of memory: strides in elements, of any sign; the caller guarantees that every element lies in valid
// memory.
struct Strided {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  bool conj = false, neg = false;  // of a source: applied to what is read

  [[nodiscard]] std::int64_t numel() const;
};

// Element by element; shapes are equal. Another dtype is a cast: floats to narrower floats through f32, to
// integers towards zero and saturating as the GPU does, complex to real drops the imaginary part, anything to
// bool is "not zero". Source and destination may overlap: the result is that of copying the source away
// first.
void copy_strided(const Strided& dst, const Strided& src);
// Every element becomes `value`, size_of(dst.dtype) bytes.
void fill_strided(const Strided& dst, std::span<const std::byte> value);
// arange (start, step), linspace (start, end), eye (), tril_indices and triu_indices (row, col, offset); the
// shape of dst has been checked against the parameters (model/launch_plan_check.hpp).
void make_constant(const Strided& dst, std::string_view kind, std::span<const double> params);

// Contiguous row-major strides.
[[nodiscard]] std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> shape);
// Bytes from `data` to the first byte of the lowest element and past the highest one; both 0 when empty.
struct Extent {
  std::int64_t low = 0, high = 0;
};
[[nodiscard]] Extent extent_of(DType dtype, std::span<const std::int64_t> shape,
                               std::span<const std::int64_t> strides);

}  // namespace kgb::executor
