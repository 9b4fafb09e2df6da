// SPDX-License-Identifier: Apache-2.0
// The bytes that a strided tensor covers in its buffer, as rows of equal length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kgb::vm {

// Exact where no dimension reaches into the next larger one, as in all tensors but sliding windows; those
// count as everything from their first byte to their last.
class ByteView {
 public:
  // `offset` of the first element in bytes, strides in elements of `element` bytes, of any sign.
  ByteView(std::int64_t offset, std::size_t element, std::span<const std::int64_t> shape,
           std::span<const std::int64_t> strides);

  [[nodiscard]] std::int64_t low() const { return low_; }
  [[nodiscard]] std::int64_t high() const { return low_ + span_; }  // behind the last byte
  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] bool contains(std::int64_t byte) const;
  // Every row as (first byte, byte behind the last), in ascending order.
  void each_row(const std::function<void(std::int64_t, std::int64_t)>& visit) const;
  friend bool operator==(const ByteView&, const ByteView&) = default;

 private:
  struct Dim {
    std::int64_t extent = 1, stride = 0;
    friend bool operator==(const Dim&, const Dim&) = default;
  };
  std::int64_t low_ = 0, row_ = 0, span_ = 0, rows_ = 1;
  std::vector<Dim> dims_;  // between rows, the largest stride first
};

// No byte belongs to both. Views of more than a million rows count as touching where their extents do.
[[nodiscard]] bool disjoint(const ByteView& a, const ByteView& b);

}  // namespace kgb::vm
