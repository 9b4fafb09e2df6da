// SPDX-License-Identifier: Apache-2.0
// What a lost process says of the candidate in it.
#include "judge/loss.hpp"

#include "base/text.hpp"
#include "judge/case.hpp"

namespace kgb {

Finding finding_of_loss(const sandbox::WorkerLoss& loss, const std::string& workload) {
  using sandbox::End;
  const std::string how = "the candidate's process " + loss.finished.describe();
  const bool late = loss.end == FrameEnd::deadline || loss.finished.end == End::timeout;
  const bool memory = loss.finished.end == End::out_of_memory;
  const bool garbage = loss.end == FrameEnd::malformed || loss.end == FrameEnd::too_large;
  const char* kind = late                                  ? "deadline"
                     : memory                              ? "memory_limit"
                     : garbage                             ? "forged_result"
                     : loss.finished.end == End::signalled ? "native_crash"
                                                           : "exited";
  Finding finding = make_finding(kind, Gate::correct,
                                 garbage ? "wrote into the judge's channel"
                                 : late  ? "the call did not end in time"
                                         : how,
                                 workload);
  finding.details["stderr"] = to_utf8_lossy(loss.error_output);
  return finding;
}

}  // namespace kgb
