// SPDX-License-Identifier: Apache-2.0
// Layouts of tensors by name: where the elements of a shape lie in their storage.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/call.hpp"

namespace kgb {

enum class LayoutKind : std::uint8_t {
  contiguous,
  transposed,     // last two dimensions swapped in memory
  permuted,       // all dimensions reversed in memory
  sliced,         // every second element of the last dimension
  offset,         // starts 3 elements in
  expanded,       // first dimension has stride 0; not for tensors that are written
  padded,         // rows 5 elements longer than their contents
  channels_last,  // dimension 1 innermost; 4 and 5 dimensions
};
inline constexpr int kLayoutKinds = 8;
[[nodiscard]] std::string_view name_of(LayoutKind kind);
[[nodiscard]] std::optional<LayoutKind> layout_named(std::string_view name);
[[nodiscard]] std::vector<std::string> layout_names();

// Sets strides, offset and storage of a spec whose shape is set. A shape that cannot have the layout becomes
// contiguous.
void apply_layout(LayoutKind kind, TensorSpec& spec);

}  // namespace kgb
