// SPDX-License-Identifier: Apache-2.0
// The policy on launch plans: what a candidate's host code may do besides launching its kernels.
#pragma once

#include <string>
#include <vector>

#include "model/launch_plan.hpp"
#include "model/verdict.hpp"

namespace kgb {

struct Policy {
  bool no_kernel = false;  // the operator has no honest kernel: outputs need no launch
  bool random = false;
  std::int64_t upload_cap = 65536;  // bytes a call
};

// Findings of gate honest from the recorded events and nodes, one per kind and place. `file` replaces the
// name under which the author saw the candidate.
[[nodiscard]] std::vector<Finding> policy_findings(const Recording& recording, const Policy& policy,
                                                   const std::string& workload, const std::string& file);

}  // namespace kgb
