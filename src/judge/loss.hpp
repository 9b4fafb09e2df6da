// SPDX-License-Identifier: Apache-2.0
// The end of a process that ran a candidate, as a finding.
#pragma once

#include <string>

#include "model/verdict.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

[[nodiscard]] Finding finding_of_loss(const sandbox::WorkerLoss& loss, const std::string& workload);

}  // namespace kgb
