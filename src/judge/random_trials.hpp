// SPDX-License-Identifier: Apache-2.0
// Random operators: authored again for each seed, judged by statistics, reproducibility and dependence on the
// seed.
#pragma once

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

// The correct gate of operators tagged `random`.
[[nodiscard]] Status judge_random(Case& open, Processes& processes, const Catalogue& catalogue);

}  // namespace kgb
