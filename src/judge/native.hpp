// SPDX-License-Identifier: Apache-2.0
// C++ candidates: compiled in the lock, run in a locked process of their own, and really timed.
#pragma once

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

// Compiles the candidate; findings native_compile_error, missing_entry, deadline.
[[nodiscard]] Status native_build(Case& open, Processes& processes);
// Trials of every workload.
[[nodiscard]] Status native_correct(Case& open, Processes& processes);
// Times the weightiest workloads against the baseline.
[[nodiscard]] Status native_time(Case& open, Processes& processes, const Catalogue& catalogue);

}  // namespace kgb
