// SPDX-License-Identifier: Apache-2.0
// Gate fast on a device: docs/timing.md.
#pragma once

#include "judge/case.hpp"
#include "judge/processes.hpp"
#include "judge/timing.hpp"

namespace kgb {

// What a timing gave. `baseline`: an Error where there is none to compare with, and why.
struct Measured {
  Series series;
  Conditions conditions;
  std::optional<Energy> energy;
  Status baseline = ok_status();
  std::string baseline_name;
};
// Adds it to the timings of the case. nullptr: it is too fast for one, which is a finding of the job now.
[[nodiscard]] Timing* note_timing(Case& open, Job& job, Measured measured, const Catalogue& catalogue);

// Times the workloads worth it against their baselines; results go to the case.
[[nodiscard]] Status device_time(Case& open, Processes& processes, const Catalogue& catalogue);

}  // namespace kgb
