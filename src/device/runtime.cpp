// SPDX-License-Identifier: Apache-2.0
// The table of runtimes.
#include "device/runtime.hpp"

#include "device/monitor.hpp"

namespace kgb::device {

#define KGB_RUNTIME(name)                                  \
  Result<std::unique_ptr<Runtime>> open_##name(int index); \
  Result<int> count_##name();                              \
  Result<Description> describe_##name(int index);          \
  Result<std::unique_ptr<Monitor>> monitor_##name(int index);
#include "device/runtimes.def"
#undef KGB_RUNTIME

Result<int> count_devices(const std::string& backend) {
#define KGB_RUNTIME(name) \
  if (backend == #name) return count_##name();
#include "device/runtimes.def"
#undef KGB_RUNTIME
  return user_error("this build has no runtime for the backend '" + backend + "'");
}

Result<Description> describe_device(const std::string& backend, int index) {
#define KGB_RUNTIME(name) \
  if (backend == #name) return describe_##name(index);
#include "device/runtimes.def"
#undef KGB_RUNTIME
  return user_error("this build has no runtime for the backend '" + backend + "'");
}

Result<std::unique_ptr<Runtime>> open_runtime(const std::string& backend, int index) {
#define KGB_RUNTIME(name) \
  if (backend == #name) return open_##name(index);
#include "device/runtimes.def"
#undef KGB_RUNTIME
  return user_error("this build has no runtime for the backend '" + backend + "'");
}

Result<std::unique_ptr<Monitor>> open_monitor(const std::string& backend, int index) {
#define KGB_RUNTIME(name) \
  if (backend == #name) return monitor_##name(index);
#include "device/runtimes.def"
#undef KGB_RUNTIME
  return user_error("this build has no monitor for the backend '" + backend + "'");
}

}  // namespace kgb::device
