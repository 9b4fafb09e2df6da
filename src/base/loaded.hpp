// SPDX-License-Identifier: Apache-2.0
// The shared libraries of this process.
#pragma once

#include <string>
#include <vector>

namespace kgb {

// Absolute paths of the libraries that the loader has mapped. A locked process that runs this program again
// must be able to read them, wherever they are installed.
[[nodiscard]] std::vector<std::string> loaded_libraries();

}  // namespace kgb
