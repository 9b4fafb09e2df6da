// SPDX-License-Identifier: Apache-2.0
// Wakes CUPTI, and lets it sleep again.
#include "device/tracing.hpp"

#include "device/cuda/activity.hpp"

namespace kgb::device {

Status begin_tracing(const std::string& backend) {
  if (backend != "cuda") return ok_status();
  KGB_TRY(cuda::Activity* const activity, cuda::Activity::open());
  return activity->start();
}

void end_tracing(const std::string& backend) {
  if (backend != "cuda") return;
  if (const Result<cuda::Activity*> activity = cuda::Activity::open(); activity.ok()) (*activity)->stop();
}

}  // namespace kgb::device
