// SPDX-License-Identifier: Apache-2.0
// The release this binary was built from.
#pragma once

#include <string_view>

namespace kgb {

// "0.1.0": the version of the CMake project.
std::string_view version();

}  // namespace kgb
