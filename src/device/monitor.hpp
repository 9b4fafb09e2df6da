// SPDX-License-Identifier: Apache-2.0
// What a vendor's management library tells of a device: clocks, what holds them down, power, who else is
// there. monitor_<backend>() belongs to each row of runtimes.def. Nothing of it takes hold of the device.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace kgb::device {

// One moment. What the library does not tell is nullopt.
struct Reading {
  std::optional<double> sm_mhz, memory_mhz, power_w, temperature_c;
  // Names of model/conditions.hpp, idling left out.
  std::optional<std::vector<std::string>> throttled;
};

struct DeviceProcess {
  std::int64_t pid = 0;
  std::optional<std::int64_t> memory_bytes;
};

// How busy a process kept the multiprocessors, percent of a sampling period of the driver.
struct ProcessLoad {
  std::int64_t pid = 0;
  double sm_percent = 0;
};

// What stays as it is while nobody changes the device's settings.
struct MonitorFacts {
  std::string library_version;  // of the driver: "580.159.04"; empty: unknown
  std::optional<double> most_sm_mhz, most_memory_mhz, application_sm_mhz;
  std::optional<bool> persistence;
};

// Thread-safe. Errors say which call was refused, and how.
class Monitor {
 public:
  virtual ~Monitor() = default;
  [[nodiscard]] virtual MonitorFacts facts() const = 0;
  // `refused` gets a line for each value that is not told.
  [[nodiscard]] virtual Reading read(std::vector<std::string>& refused) const = 0;
  // Millijoules since the driver was loaded; the counter moves in steps.
  [[nodiscard]] virtual Result<double> energy_mj() const = 0;
  // Processes with a context on the device.
  [[nodiscard]] virtual Result<std::vector<DeviceProcess>> processes() const = 0;
  // Samples since a time, microseconds since 1970; at most a few a second are taken.
  [[nodiscard]] virtual Result<std::vector<ProcessLoad>> loads(std::uint64_t since_us) const = 0;
};

// Of the visible device `index`. Errors: no library, or it does not know the device.
[[nodiscard]] Result<std::unique_ptr<Monitor>> open_monitor(const std::string& backend, int index);

}  // namespace kgb::device
