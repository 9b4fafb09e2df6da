// SPDX-License-Identifier: Apache-2.0
// Strides, offset and storage of each layout.
#include "catalogue/layout.hpp"

#include <algorithm>
#include <numeric>

namespace kgb {
namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::string_view kNames[kLayoutKinds] = {"contiguous", "transposed", "permuted", "sliced",
                                                   "offset",     "expanded",   "padded",   "channels_last"};

// Strides when memory holds the dimensions in `order`, outermost first, rows `pad` elements longer.
Ints strides_in(const Ints& shape, const std::vector<std::size_t>& order, std::int64_t pad = 0) {
  Ints strides(shape.size(), 1);
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= std::max<std::int64_t>(shape[order[i]], 1) + (i + 1 == order.size() ? pad : 0);
  }
  return strides;
}

std::vector<std::size_t> memory_order(LayoutKind kind, std::size_t rank) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (kind == LayoutKind::transposed) std::swap(order[rank - 1], order[rank - 2]);
  if (kind == LayoutKind::permuted) std::reverse(order.begin(), order.end());
  if (kind == LayoutKind::channels_last) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

bool possible(LayoutKind kind, const TensorSpec& spec) {
  const std::size_t rank = spec.shape.size();
  if (spec.numel() == 0) return kind == LayoutKind::contiguous || kind == LayoutKind::offset;
  switch (kind) {
    case LayoutKind::contiguous:
    case LayoutKind::offset:
      return true;
    case LayoutKind::sliced:
      return rank >= 1;
    case LayoutKind::expanded:
      return rank >= 1 && spec.shape[0] > 1 && !spec.mutated;
    case LayoutKind::channels_last:
      return rank == 4 || rank == 5;
    default:
      return rank >= 2;
  }
}

}  // namespace

std::string_view name_of(LayoutKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<LayoutKind> layout_named(std::string_view name) {
  for (int i = 0; i < kLayoutKinds; ++i) {
    if (kNames[i] == name) return static_cast<LayoutKind>(i);
  }
  return std::nullopt;
}

std::vector<std::string> layout_names() {
  return {std::begin(kNames), std::end(kNames)};
}

void apply_layout(LayoutKind kind, TensorSpec& spec) {
  if (!possible(kind, spec)) kind = LayoutKind::contiguous;
  spec.offset = kind == LayoutKind::offset ? 3 : 0;
  spec.strides =
      strides_in(spec.shape, memory_order(kind, spec.shape.size()), kind == LayoutKind::padded ? 5 : 0);
  spec.storage = spec.numel();
  switch (kind) {
    case LayoutKind::sliced:
      for (std::int64_t& stride : spec.strides) stride *= 2;
      spec.storage *= 2;
      break;
    case LayoutKind::offset:
      spec.storage += spec.offset;
      break;
    case LayoutKind::expanded:
      spec.storage /= spec.shape[0];
      spec.strides[0] = 0;
      break;
    case LayoutKind::padded:
      spec.storage += 5 * (spec.numel() / spec.shape.back());
      break;
    default:
      break;
  }
}

}  // namespace kgb
