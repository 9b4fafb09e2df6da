// SPDX-License-Identifier: Apache-2.0
// Asks a device whether it still does as it is told.
#pragma once

#include <string>

#include "base/result.hpp"

namespace kgb::executor {

// Writes, runs a kernel and reads back on the first visible device of a runtime, in a context of its own. An
// Error says what it got wrong.
[[nodiscard]] Status probe(const std::string& backend);

}  // namespace kgb::executor
