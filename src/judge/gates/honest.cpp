// SPDX-License-Identifier: Apache-2.0
// Gate honest: what ran is what was asked. The policy on the plan is applied before the trials (gate correct
// needs its word); here stands what only the trials could show.
#include "judge/gates.hpp"

namespace kgb {

Status gate_honest(Case& open, Processes&, const Catalogue&) {
  // What ran on a device unwatched is not told by what wrote it: a rehearsal there could not be stopped.
  for (Job& job : open.jobs)
    if (job.wanting_launch && watched(job) && decide(job.findings) == Verdict::pass)
      job.findings.push_back(make_finding("no_launch", Gate::honest,
                                          "an output holds elements that no kernel of the candidate wrote",
                                          job.workload.call.workload));
  return ok_status();
}

}  // namespace kgb
