// SPDX-License-Identifier: Apache-2.0
// Gate fast: only for what passed. On the CPU native candidates are timed; the VM is no clock.
#include "judge/gates.hpp"
#include "judge/native.hpp"

namespace kgb {

Status gate_fast(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.language != "cpp" || !open.request.time) return ok_status();
  const StageClock clock(open, "fast");
  return native_time(open, processes, catalogue);
}

}  // namespace kgb
