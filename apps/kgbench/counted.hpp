// SPDX-License-Identifier: Apache-2.0
// The counters of a recorded workload, from the virtual machine in this process.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "executor/trial.hpp"
#include "judge/judge.hpp"
#include "model/counters.hpp"
#include "report/count_text.hpp"

namespace kgb::app {

struct Counted {
  std::vector<CallCounters> calls;  // of each call that was recorded, whole where there is no finding
  std::vector<Finding> findings;    // in the name that the user gave the file
};

// Runs what was recorded on values of `seed`, for at most `limit_s` seconds. An Error is the host's.
[[nodiscard]] Result<Counted> count_calls(const Judge::Planned& row, const std::string& file,
                                          std::uint64_t seed, double limit_s, executor::Workshop& workshop);

// What is told of one of these calls: who was counted, what the card expects, the place under the roofs of
// `chips`.
[[nodiscard]] CountReport count_report(const Judge::Planned& row, CallCounters counters,
                                       const JudgeRequest& request, const Catalogue& catalogue,
                                       const std::vector<const ChipCard*>& chips);

}  // namespace kgb::app
