// SPDX-License-Identifier: Apache-2.0
// Gate honest: what ran is what was asked. The policy on the plan is applied before the trials (gate correct
// needs its word); here stands what only the trials could show.
#include <algorithm>

#include "judge/gates.hpp"

namespace kgb {

namespace {

// What ran on a device unwatched is not told by what wrote it: a rehearsal there could not be stopped.
bool watched(const Job& job) {
  return std::none_of(job.findings.begin(), job.findings.end(),
                      [](const Finding& finding) { return finding.kind == "vm_unchecked"; });
}

}  // namespace

Status gate_honest(Case& open, Processes&, const Catalogue&) {
  for (Job& job : open.jobs)
    if (job.wanting_launch && watched(job) && decide(job.findings) == Verdict::pass)
      job.findings.push_back(make_finding("no_launch", Gate::honest,
                                          "an output holds elements that no kernel of the candidate wrote",
                                          job.workload.call.workload));
  return ok_status();
}

}  // namespace kgb
