// SPDX-License-Identifier: Apache-2.0
// Has a candidate's calls recorded by the author and takes the recordings in as hostile input.
#pragma once

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

struct AuthorRequest {
  std::uint64_t generator_seed = 0;
  int trial = 0;                    // whose values host-readable inputs have
  bool all_configurations = false;  // record tuning as it runs, not one configuration alone
};

// Records every job of the case in one author process; findings go to the case (import) or to the job. A job
// whose recording fails validation is tampering. An Error is the host's fault.
[[nodiscard]] Status author_jobs(Case& open, Processes& processes, const Catalogue& catalogue,
                                 const AuthorRequest& request);

}  // namespace kgb
