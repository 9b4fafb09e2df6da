// SPDX-License-Identifier: Apache-2.0
// The policy on launch plans: what a candidate's host code may do besides launching its kernels.
#pragma once

#include <string>
#include <vector>

#include "judge/case.hpp"
#include "model/launch_plan.hpp"
#include "model/verdict.hpp"

namespace kgb {

inline constexpr std::int64_t kUploadCap = 65536;  // bytes a call

// Findings of gate honest from the recorded events and nodes, one per kind and place.
[[nodiscard]] std::vector<Finding> policy_findings(const Recording& recording, const std::string& workload,
                                                   const JudgeRequest& request);
// The same, added to the job's findings; `advisory`: also those that lead to no verdict.
void apply_policy(const Case& open, Job& job, bool advisory);

}  // namespace kgb
