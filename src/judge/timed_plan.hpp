// SPDX-License-Identifier: Apache-2.0
// A plan's timed trial in an executor: begun, sampled (judge/turns.hpp), ended, held against the oracle.
#pragma once

#include <optional>

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

// Up to where it can be sampled. A result: it ended before that.
[[nodiscard]] Result<std::optional<TrialResult>> begin_plan(const TrialRequest& request, const Job& job,
                                                            sandbox::Worker& executor);
// Ends the sampling: what the timed calls left.
[[nodiscard]] Result<TrialResult> end_plan(sandbox::Worker& executor);
// Holds it against the oracle. Findings go to the job.
[[nodiscard]] Status judge_left(const Case& open, Job& job, const TrialResult& left, Processes& processes);

}  // namespace kgb
