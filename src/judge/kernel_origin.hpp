// SPDX-License-Identifier: Apache-2.0
// Whose a kernel is that ran on a device, by its name.
#pragma once

#include <string>
#include <string_view>

namespace kgb {

struct KernelOrigin {
  std::string_view library;  // "cuBLAS", "ATen", ...; empty: nobody's that is known, so the candidate's own
  // A fill or a plain copy of ATen's: launch plans allow these, too.
  bool helper = false;
};

// `name`: as activity records tell it, mangled or not.
[[nodiscard]] KernelOrigin origin_of_kernel(std::string_view name);
// The name for people: demangled, without template arguments, at most some 80 characters.
[[nodiscard]] std::string short_kernel_name(std::string_view name);

}  // namespace kgb
