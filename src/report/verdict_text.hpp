// SPDX-License-Identifier: Apache-2.0
// One evaluation on one screen: the reason first, the place in the file, the command that repeats it.
#pragma once

#include <string>

#include "model/verdict.hpp"

namespace kgb {

[[nodiscard]] std::string verdict_text(const Evaluation& evaluation, bool colour);

}  // namespace kgb
