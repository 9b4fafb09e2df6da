// SPDX-License-Identifier: Apache-2.0
// Sizes of tensor specs, the tensors of a call with their paths, and calls as one line of text.
#include "model/call.hpp"

#include <algorithm>

#include "fmt/format.h"
#include "fmt/ranges.h"

namespace kgb {
namespace {

using Ints = std::vector<std::int64_t>;

Ints row_major(const Ints& shape) {
  Ints strides(shape.size(), 1);
  for (std::size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * std::max<std::int64_t>(shape[d], 1);
  return strides;
}

// Strides of dimensions with one element say nothing about where elements lie.
bool same_layout(const Ints& shape, const Ints& a, const Ints& b) {
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && a[d] != b[d]) return false;
  }
  return true;
}

Ints strides_of_order(const Ints& shape, const std::vector<std::size_t>& order) {
  Ints strides(shape.size(), 1);
  std::int64_t step = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = step;
    step *= std::max<std::int64_t>(shape[order[i]], 1);
  }
  return strides;
}

std::vector<std::size_t> reversed_order(std::size_t rank) {
  std::vector<std::size_t> order(rank);
  for (std::size_t i = 0; i < rank; ++i) order[i] = rank - 1 - i;
  return order;
}

std::vector<std::size_t> channels_last_order(std::size_t rank) {
  std::vector<std::size_t> order{0};
  for (std::size_t d = 2; d < rank; ++d) order.push_back(d);
  order.push_back(1);
  return order;
}

bool doubled(const Ints& plain, const Ints& strides) {
  for (std::size_t d = 0; d < plain.size(); ++d) {
    if (strides[d] != 2 * plain[d]) return false;
  }
  return true;
}

// The strides of whole rows that lie further apart than they are long, as the last but one stride has it.
Ints padded_rows(const TensorSpec& spec) {
  Ints strides(spec.shape.size(), 1);
  std::int64_t step = spec.strides[spec.strides.size() - 2];
  for (std::size_t d = strides.size() - 1; d-- > 0;) {
    strides[d] = step;
    step *= std::max<std::int64_t>(spec.shape[d], 1);
  }
  return strides;
}

// "" for contiguous, else a word where one fits, else the strides themselves.
std::string layout_text(const TensorSpec& spec) {
  if (spec.strides.size() != spec.shape.size()) return " (no strides)";
  if (spec.numel() <= 1) return spec.offset != 0 ? " offset" : "";
  const std::size_t rank = spec.shape.size();
  const Ints plain = row_major(spec.shape);
  std::string offset = spec.offset != 0 ? " offset" : "";
  if (same_layout(spec.shape, spec.strides, plain)) return offset;
  if (rank >= 2) {
    Ints swapped_shape = spec.shape;
    std::swap(swapped_shape[rank - 1], swapped_shape[rank - 2]);
    Ints swapped = row_major(swapped_shape);
    std::swap(swapped[rank - 1], swapped[rank - 2]);
    if (same_layout(spec.shape, spec.strides, swapped)) return " transposed" + offset;
    if (same_layout(spec.shape, spec.strides, strides_of_order(spec.shape, reversed_order(rank)))) {
      return " permuted" + offset;
    }
  }
  if (rank >= 4 &&
      same_layout(spec.shape, spec.strides, strides_of_order(spec.shape, channels_last_order(rank)))) {
    return " channels_last" + offset;
  }
  if (doubled(plain, spec.strides)) return " sliced" + offset;
  if (spec.strides[0] == 0) return " expanded" + offset;
  if (rank >= 2 && same_layout(spec.shape, spec.strides, padded_rows(spec))) return " padded" + offset;
  return fmt::format(" strides [{}]{}", fmt::join(spec.strides, ","), offset);
}

std::string tensor_text(const TensorSpec& spec) {
  std::string text =
      fmt::format("{}[{}]{}", name_of(spec.dtype), fmt::join(spec.shape, ","), layout_text(spec));
  if (spec.domain.kind != "normal") text += " " + spec.domain.kind;
  return text;
}

std::string tensor_text(const std::optional<TensorSpec>& spec) {
  return spec ? tensor_text(*spec) : "None";
}

template <typename Items>
std::string items_text(const Items& items) {
  if (items.empty()) return "no tensors";
  const bool equal =
      std::all_of(items.begin(), items.end(), [&](const auto& item) { return item == items[0]; });
  if (equal) return fmt::format("{} x {}", items.size(), tensor_text(items[0]));
  std::vector<std::string> texts;
  for (const auto& item : items) texts.push_back(tensor_text(item));
  return fmt::format("({})", fmt::join(texts, ", "));
}

struct ArgText {
  const std::string& name;
  std::string operator()(const None&) const { return name + "=None"; }
  std::string operator()(const TensorSpec& spec) const { return name + " " + tensor_text(spec); }
  std::string operator()(const TensorList& list) const { return name + " " + items_text(list.items); }
  std::string operator()(const PointerArray& list) const { return name + " " + items_text(list.items); }
  std::string operator()(bool value) const { return name + (value ? "=True" : "=False"); }
  std::string operator()(std::int64_t value) const { return fmt::format("{}={}", name, value); }
  std::string operator()(double value) const { return fmt::format("{}={}", name, value); }
  std::string operator()(const Complex& value) const {
    return fmt::format("{}=({}{:+}j)", name, value.re, value.im);
  }
  std::string operator()(const std::string& value) const { return fmt::format("{}='{}'", name, value); }
  std::string operator()(const DTypeValue& value) const {
    return fmt::format("{}={}", name, name_of(value.dtype));
  }
  std::string operator()(const std::vector<std::int64_t>& value) const {
    return fmt::format("{}=[{}]", name, fmt::join(value, ","));
  }
  std::string operator()(const GeneratorValue&) const { return name + "=Generator"; }
};

}  // namespace

std::int64_t TensorSpec::numel() const {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

std::int64_t TensorSpec::storage_bytes() const {
  return storage * static_cast<std::int64_t>(size_of(dtype));
}

Status check_spec(const TensorSpec& spec) {
  constexpr std::int64_t most = std::int64_t{1} << 42;  // elements; 32 TiB of doubles
  if (spec.strides.size() != spec.shape.size()) {
    return user_error(fmt::format("{} strides for {} dimensions", spec.strides.size(), spec.shape.size()));
  }
  if (spec.offset < 0 || spec.storage < 0 || spec.offset > most || spec.storage > most) {
    return user_error("offset or storage is negative or too large");
  }
  std::int64_t count = 1, last = spec.offset;
  for (std::size_t d = 0; d < spec.shape.size(); ++d) {
    const std::int64_t size = spec.shape[d], stride = spec.strides[d];
    if (size < 0 || stride < 0) return user_error(fmt::format("negative size or stride in dimension {}", d));
    if (size > most || stride > most)
      return user_error(fmt::format("size or stride too large in dimension {}", d));
    if (__builtin_mul_overflow(count, size, &count) || count > most) return user_error("too many elements");
    std::int64_t span = 0;
    if (size > 0 &&
        (__builtin_mul_overflow(size - 1, stride, &span) || __builtin_add_overflow(last, span, &last))) {
      return user_error("strides reach too far");
    }
  }
  if (count > 0 && last >= spec.storage) {
    return user_error(fmt::format("element {} lies outside the storage of {} elements", last, spec.storage));
  }
  return ok_status();
}

std::string describe(const Call& call) {
  std::vector<std::string> texts;
  for (const Arg& arg : call.args) {
    if (std::holds_alternative<None>(arg.value)) continue;
    texts.push_back(std::visit(ArgText{arg.name}, arg.value));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::vector<std::pair<std::string, TensorSpec>> tensors_of(const Call& call) {
  std::vector<std::pair<std::string, TensorSpec>> found;
  const auto add = [&](const std::string& name, std::size_t i, const TensorSpec& item) {
    found.emplace_back(fmt::format("{}[{}]", name, i), item);
  };
  for (const Arg& arg : call.args) {
    if (const auto* spec = std::get_if<TensorSpec>(&arg.value)) {
      found.emplace_back(arg.name, *spec);
    } else if (const auto* list = std::get_if<TensorList>(&arg.value)) {
      for (std::size_t i = 0; i < list->items.size(); ++i)
        if (list->items[i]) add(arg.name, i, *list->items[i]);
    } else if (const auto* array = std::get_if<PointerArray>(&arg.value)) {
      for (std::size_t i = 0; i < array->items.size(); ++i) add(arg.name, i, array->items[i]);
    }
  }
  return found;
}

}  // namespace kgb
