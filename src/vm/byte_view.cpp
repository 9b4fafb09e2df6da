// SPDX-License-Identifier: Apache-2.0
// Dimensions sorted and folded, so that a byte is found by one division per dimension that is left.
#include "vm/byte_view.hpp"

#include <algorithm>

namespace kgb::vm {
namespace {

constexpr std::int64_t kMaxRows = std::int64_t{1} << 20;

bool some_row_starts_in(const ByteView& rows, const ByteView& other) {
  bool found = false;
  rows.each_row([&](std::int64_t first, std::int64_t) { found = found || other.contains(first); });
  return found;
}

}  // namespace

ByteView::ByteView(std::int64_t offset, std::size_t element, std::span<const std::int64_t> shape,
                   std::span<const std::int64_t> strides)
    : low_(offset), row_(static_cast<std::int64_t>(element)) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) {
      row_ = span_ = rows_ = 0;
      dims_.clear();
      return;
    }
    Dim dim{shape[d], strides[d] * static_cast<std::int64_t>(element)};
    if (dim.stride < 0) {
      low_ += (dim.extent - 1) * dim.stride;
      dim.stride = -dim.stride;
    }
    if (dim.extent > 1 && dim.stride != 0) dims_.push_back(dim);
  }
  std::sort(dims_.begin(), dims_.end(), [](const Dim& a, const Dim& b) { return a.stride < b.stride; });
  std::vector<Dim> kept;
  span_ = row_;
  for (const Dim& dim : dims_) {
    const std::int64_t reach = (dim.extent - 1) * dim.stride;
    if (dim.stride <= row_ || dim.stride < span_) {  // its rows touch, or it reaches into a smaller dimension
      row_ = span_ + reach;
      kept.clear();
    } else {
      kept.push_back(dim);
    }
    span_ += reach;
  }
  dims_.assign(kept.rbegin(), kept.rend());
  for (const Dim& dim : dims_) rows_ *= dim.extent;
}

bool ByteView::contains(std::int64_t byte) const {
  std::int64_t rest = byte - low_;
  if (rest < 0 || rest >= span_) return false;
  for (const Dim& dim : dims_) rest -= std::min(rest / dim.stride, dim.extent - 1) * dim.stride;
  return rest < row_;
}

void ByteView::each_row(const std::function<void(std::int64_t, std::int64_t)>& visit) const {
  std::vector<std::int64_t> index(dims_.size(), 0);
  for (std::int64_t r = 0; r < rows_; ++r) {
    std::int64_t first = low_;
    for (std::size_t d = 0; d < dims_.size(); ++d) first += index[d] * dims_[d].stride;
    visit(first, first + row_);
    for (std::size_t d = dims_.size(); d-- > 0;) {
      if (++index[d] < dims_[d].extent) break;
      index[d] = 0;
    }
  }
}

bool disjoint(const ByteView& a, const ByteView& b) {
  if (a.high() <= b.low() || b.high() <= a.low()) return true;
  if (a.rows() > kMaxRows || b.rows() > kMaxRows) return false;
  // Of two rows that share a byte, one starts inside the other.
  return !some_row_starts_in(a, b) && !some_row_starts_in(b, a);
}

}  // namespace kgb::vm
