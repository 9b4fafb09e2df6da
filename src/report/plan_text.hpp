// SPDX-License-Identifier: Apache-2.0
// A launch plan for people.
#pragma once

#include <string>
#include <vector>

#include "model/launch_plan.hpp"
#include "model/verdict.hpp"

namespace kgb {

// `recording` may be null: then the findings say why there is none.
[[nodiscard]] std::string plan_text(const Call& call, const Recording* recording,
                                    const std::vector<Finding>& findings, bool with_ttir);

}  // namespace kgb
