// SPDX-License-Identifier: Apache-2.0
// The walk over a view's elements that the sanitizer needs after a fill or a copy.
#include "executor/definedness.hpp"

namespace kgb::executor {
namespace {

void walk(vm::Sanitizer& sanitizer, const Strided& dst, const Strided* src, std::size_t dim,
          const std::byte* to, const std::byte* from) {
  const auto to_bytes = static_cast<std::int64_t>(size_of(dst.dtype));
  const auto from_bytes = src == nullptr ? 0 : static_cast<std::int64_t>(size_of(src->dtype));
  if (dim == dst.shape.size()) {
    if (src == nullptr || sanitizer.defined(from, static_cast<std::size_t>(from_bytes)))
      sanitizer.define(to, static_cast<std::size_t>(to_bytes));
    return;
  }
  if (src == nullptr && dim + 1 == dst.shape.size() && dst.strides[dim] == 1)
    return sanitizer.define(to, static_cast<std::size_t>(dst.shape[dim] * to_bytes));
  for (std::int64_t i = 0; i < dst.shape[dim]; ++i)
    walk(sanitizer, dst, src, dim + 1, to + i * dst.strides[dim] * to_bytes,
         src == nullptr ? nullptr : from + i * src->strides[dim] * from_bytes);
}

}  // namespace

void define_elements(vm::Sanitizer& sanitizer, const Strided& dst, const Strided* src) {
  const std::int64_t n = dst.numel();
  if (n == 0 || sanitizer.whole(dst.data)) return;
  if (src != nullptr && sanitizer.whole(src->data)) src = nullptr;
  const bool dense = src == nullptr && dst.strides == contiguous_strides(dst.shape);
  if (dense) return sanitizer.define(dst.data, static_cast<std::size_t>(n) * size_of(dst.dtype));
  walk(sanitizer, dst, src, 0, dst.data, src == nullptr ? nullptr : src->data);
}

}  // namespace kgb::executor
