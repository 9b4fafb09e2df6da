// SPDX-License-Identifier: Apache-2.0
// Conditions of a timing and energy of a call.
#include "judge/conditions.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "sandbox/tree.hpp"

namespace kgb {
namespace {

constexpr int kReplayMs = 600;
constexpr double kSettleSeconds = 0.1;  // clocks and power rise
// Replays of shorter calls consist of launches more than of the call.
constexpr double kShortestCall = 10e-6;

std::string slowdown_in(const Conditions& conditions) {
  std::string words;
  for (const std::string& reason : conditions.throttled.value_or(std::vector<std::string>()))
    if (is_slowdown(reason)) words += (words.empty() ? "" : ", ") + describe_throttle(reason);
  return words;
}

const ForeignProcess* busiest(const Conditions& conditions) {
  const ForeignProcess* most = nullptr;
  if (!conditions.foreign) return nullptr;
  for (const ForeignProcess& process : *conditions.foreign)
    if (process.sm_percent.value_or(0) > 0 && (most == nullptr || *process.sm_percent > *most->sm_percent))
      most = &process;
  return most;
}

bool changes_inputs(const Call& call) {
  const auto tensors = tensors_of(call);
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const auto& tensor) { return tensor.second.mutated; });
}

}  // namespace

DeviceMonitor::DeviceMonitor(DeviceChoice device) {
  Result<std::unique_ptr<device::Monitor>> opened = device::open_monitor(device.backend, device.index);
  if (opened.ok())
    monitor_ = std::move(*opened);
  else
    missing_ = opened.error().message;
}

TimingWatch::TimingWatch(const DeviceMonitor& monitor) : missing_(monitor.missing()) {
  if (monitor.get() == nullptr) return;
  watch_.emplace(*monitor.get(), [self = ::getpid()](std::int64_t pid) {
    return sandbox::descends_from(static_cast<pid_t>(pid), self);
  });
}

Conditions TimingWatch::end() {
  if (watch_) return watch_->end();
  Conditions conditions;
  conditions.unknown.push_back("clocks, power and other processes: " + missing_);
  return conditions;
}

void note_conditions(Timing& timing, Conditions conditions) {
  const std::string slowdown = slowdown_in(conditions);
  const ForeignProcess* other = busiest(conditions);
  std::string why;
  if (!slowdown.empty()) {
    why = "the device was slowed down while this was timed: " + slowdown;
    if (conditions.sm_mhz)
      why +=
          fmt::format("; SM clock {:.0f} to {:.0f} MHz", conditions.sm_mhz->least, conditions.sm_mhz->most);
  } else if (other != nullptr) {
    why = fmt::format("process {}, none of kgbench's, computed on the device meanwhile: up to {:.0f} % of it",
                      other->pid, *other->sm_percent);
  }
  if (!why.empty() && timing.ratio) {
    timing.call = "cannot tell";
    timing.why = why;
  }
  timing.conditions = std::move(conditions);
}

Result<Energy> energy_of_call(const DeviceMonitor& monitor, const Call& call, double call_s,
                              const Sustain& sustain) {
  const auto unknown = [](std::string why) { return Energy{std::nullopt, std::move(why)}; };
  if (monitor.get() == nullptr) return unknown(monitor.missing());
  if (changes_inputs(call)) return unknown("the call changes its inputs, so its replays would differ");
  if (call_s < kShortestCall)
    return unknown(fmt::format("calls shorter than {:.0f} us are mostly launches when replayed back to back",
                               1e6 * kShortestCall));
  Result<Sustained> done = host_error("nothing was replayed");
  bool replayed = false;
  const Result<double> watts = device::mean_power_during(*monitor.get(), kSettleSeconds, [&] {
    done = sustain(kReplayMs);
    replayed = true;
  });
  if (replayed && !done.ok()) return done.error();
  if (!watts.ok()) return unknown(watts.error().message);
  return Energy{1e3 * *watts * done->seconds / static_cast<double>(done->replays), ""};
}

}  // namespace kgb
