// SPDX-License-Identifier: Apache-2.0
// Gate fast: only for what passed. Native candidates are timed on the CPU, plans on a device; the VM is no
// clock.
#include <algorithm>

#include "judge/device_time.hpp"
#include "judge/gates.hpp"
#include "judge/in_process.hpp"
#include "judge/native.hpp"

namespace kgb {

Status gate_fast(Case& open, Processes& processes, const Catalogue& catalogue) {
  const bool native = open.language == "cpp";
  if (!open.request.time || (!native && !open.on_device())) return ok_status();
  const StageClock clock(open, "fast");
  if (native) return native_time(open, processes, catalogue);
  Status timed = open.in_process() ? in_process_time(open, processes, catalogue)
                                   : device_time(open, processes, catalogue);
  const bool failed = std::any_of(open.jobs.begin(), open.jobs.end(),
                                  [](const Job& job) { return decide(job.findings) != Verdict::pass; });
  if (!timed.ok() || failed) open.seat->blame();
  return timed;
}

}  // namespace kgb
