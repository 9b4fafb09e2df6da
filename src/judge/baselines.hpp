// SPDX-License-Identifier: Apache-2.0
// What JudgeRequest::against may name.
#pragma once

#include <string>
#include <vector>

namespace kgb {

[[nodiscard]] const std::vector<std::string>& baselines();

}  // namespace kgb
