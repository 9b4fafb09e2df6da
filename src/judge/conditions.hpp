// SPDX-License-Identifier: Apache-2.0
// What the device's monitor saw while a workload was timed, what that means for the timing, and the energy of
// a call. docs/timing.md, "Watched".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "device/monitor.hpp"
#include "device/watch.hpp"
#include "judge/judge.hpp"
#include "model/trial.hpp"
#include "model/verdict.hpp"

namespace kgb {

// The monitor of one device, opened when it is first asked for. Where there is none, everything is unknown.
class DeviceMonitor {
 public:
  explicit DeviceMonitor(DeviceChoice device);
  [[nodiscard]] const device::Monitor* get() const { return monitor_.get(); }
  [[nodiscard]] const std::string& missing() const { return missing_; }

 private:
  std::unique_ptr<device::Monitor> monitor_;
  std::string missing_;  // why there is none
};

// Watches from its construction to end(), this process and its descendants being kgbench's own.
class TimingWatch {
 public:
  explicit TimingWatch(const DeviceMonitor& monitor);
  [[nodiscard]] Conditions end();

 private:
  std::optional<device::Watch> watch_;
  std::string missing_;
};

// Heat, a brake or broken hardware holding the clocks down, or another process computing: the timing is no
// longer "faster", "same" or "slower". Its numbers stay.
void note_conditions(Timing& timing, Conditions conditions);

// Replays the call for so long; an Error ends the timing.
using Sustain = std::function<Result<Sustained>(int ms)>;
// Millijoules of one call of so many seconds, from the energy counter over back-to-back replays. An Error is
// that of `sustain`.
[[nodiscard]] Result<Energy> energy_of_call(const DeviceMonitor& monitor, const Call& call, double call_s,
                                            const Sustain& sustain);

}  // namespace kgb
