// SPDX-License-Identifier: Apache-2.0
// kgbench new operator: a folder for an operator of the user's own.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace kgb::app {

// Writes <folder of --catalogue>/<source>/<op>/ with card, reference and a stub, asks the reference for the
// values of each smoke workload, and says what to do next. Returns the exit code.
[[nodiscard]] Result<int> new_operator(const std::string& name, const std::filesystem::path& reference);

}  // namespace kgb::app
