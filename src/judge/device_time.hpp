// SPDX-License-Identifier: Apache-2.0
// Gate fast on a device: docs/timing.md.
#pragma once

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

// Times the workloads worth it against their baselines; results go to the case.
[[nodiscard]] Status device_time(Case& open, Processes& processes, const Catalogue& catalogue);

}  // namespace kgb
