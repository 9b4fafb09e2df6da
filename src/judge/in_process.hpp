// SPDX-License-Identifier: Apache-2.0
// In-process mode on a device: the candidate is called with real tensors, in a locked process of its own that
// holds the device. docs/in-process.md.
#pragma once

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

// Starts the candidate's process and imports the candidate; what is wrong with it is a finding.
[[nodiscard]] Status in_process_load(Case& open, Processes& processes);
// Every workload: three calls by host code, watched by the census, then replays of the recorded call.
[[nodiscard]] Status in_process_correct(Case& open, Processes& processes);
// Times the weightiest workloads against their baselines.
[[nodiscard]] Status in_process_time(Case& open, Processes& processes, const Catalogue& catalogue);

}  // namespace kgb
