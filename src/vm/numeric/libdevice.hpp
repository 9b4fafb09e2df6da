// SPDX-License-Identifier: Apache-2.0
// The __nv_* functions that tt.extern_elementwise names, over spans.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "model/dtype.hpp"

namespace kgb::vm::numeric {

struct LibdeviceFunction {
  std::string_view name;  // "__nv_tanhf"
  DType result = DType::f32;
  std::size_t arity = 1;
  std::array<DType, 4> arguments{};
  // `inputs` has `arity` spans of n elements; out may be one of them if the element size is the same.
  void (*run)(const void* const* inputs, void* out, std::size_t n) = nullptr;
};

// Null for a name that is not known.
[[nodiscard]] const LibdeviceFunction* find_libdevice(std::string_view symbol);
// Whether the function takes and gives f32 and, in the form that Triton links, has no denormals.
[[nodiscard]] bool flushes_denormals(const LibdeviceFunction& function);
[[nodiscard]] std::span<const LibdeviceFunction> libdevice_functions();  // sorted by name

}  // namespace kgb::vm::numeric
