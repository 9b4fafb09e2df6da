// SPDX-License-Identifier: Apache-2.0
// Asks the runtime, NVML and the cache of peaks; nothing of it is needed to judge.
#include "doctor_device.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "device/monitor.hpp"
#include "device/runtime.hpp"
#include "judge/peaks.hpp"
#include "model/conditions.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

using sandbox::Facility;

constexpr const char* kBackend = "cuda";

Facility optional_row(const std::string& name, const Result<std::string>& tried,
                      const std::string& consequence, const std::string& remedy) {
  Facility facility;
  facility.name = name;
  facility.required = false;
  facility.available = tried.ok();
  facility.detail = tried.ok() ? *tried : tried.error().message;
  facility.consequence = consequence;
  facility.remedy = remedy;
  return facility;
}

std::string clock_of(const char* name, const std::optional<double>& now, const std::optional<double>& most) {
  std::string out = fmt::format("{} {}", name, now ? fmt::format("{:.0f}", *now) : "unknown");
  if (most) out += fmt::format(" of {:.0f}", *most);
  return out + " MHz";
}

// NVML tells application clocks; of a lock by `nvidia-smi -lgc` it tells nothing but the clock itself.
std::string limits_of(const device::MonitorFacts& facts, const device::Reading& now) {
  std::string out;
  if (facts.application_sm_mhz && facts.most_sm_mhz)
    out = *facts.application_sm_mhz < *facts.most_sm_mhz
              ? fmt::format(", application clock set to {:.0f} MHz", *facts.application_sm_mhz)
              : ", application clocks not limited";
  else
    out = ", application clocks unknown";
  if (!now.throttled) return out + ", throttling unknown";
  for (const std::string& reason : *now.throttled) out += ", " + describe_throttle(reason);
  return out;
}

Result<std::string> monitor_text(int index) {
  KGB_TRY(const std::unique_ptr<device::Monitor> monitor, device::open_monitor(kBackend, index));
  const device::MonitorFacts facts = monitor->facts();
  std::vector<std::string> refused;
  const device::Reading now = monitor->read(refused);
  std::string out =
      fmt::format("driver {}, {}, {}{}", facts.library_version.empty() ? "unknown" : facts.library_version,
                  clock_of("SM", now.sm_mhz, facts.most_sm_mhz),
                  clock_of("memory", now.memory_mhz, facts.most_memory_mhz), limits_of(facts, now));
  out += !facts.persistence   ? ", persistence mode unknown"
         : *facts.persistence ? ", persistence mode on"
                              : ", persistence mode off";
  if (const Result<double> energy = monitor->energy_mj(); !energy.ok())
    refused.push_back(energy.error().message);
  if (const auto list = monitor->processes(); !list.ok()) refused.push_back(list.error().message);
  for (const std::string& line : refused) out += "; " + line;
  return out;
}

std::string peaks_line(const Peaks& peaks) {
  std::string out = peaks.made.substr(0, 10);
  for (const auto& [name, peak] : peaks.rates) {
    const bool moves = name == "bandwidth" || name == "copy" || name == "read";
    out += fmt::format(", {} {:.4g} {}", name, 1e-12 * peak.rate, moves ? "TB/s" : "TFLOP/s");
    if (name == "bandwidth") out += fmt::format(" ({})", peak.how);
  }
  const auto product = peaks.rates.find("bf16_dot");
  if (product != peaks.rates.end()) out += "; products by " + product->second.how;
  if (!peaks.problem.empty()) out += "; not measured: " + peaks.problem;
  return out;
}

Result<std::string> peaks_text(int index, bool measure) {
  KGB_TRY(const Installation at, find_installation());
  const DeviceChoice device{kBackend, index};
  if (measure) {
    KGB_TRY(const Peaks peaks, measure_peaks(at, device));
    return peaks_line(peaks);
  }
  KGB_TRY(const Peaks named, peaks_of_nothing(device));
  const Result<Peaks> kept = peaks_from_file(peaks_file(at, named.uuid, named.driver));
  if (!kept.ok()) return host_error("not measured yet; the first timing does it");
  return peaks_line(*kept);
}

}  // namespace

std::vector<Facility> probe_device(bool measure) {
  const Result<int> counted = device::count_devices(kBackend);
  const int count = counted.ok() ? std::max(*counted, 1) : 1;  // without one, why there is none
  std::vector<Facility> rows;
  for (int index = 0; index < count; ++index) {
    const std::string number = count > 1 ? " " + std::to_string(index) : "";
    const Result<device::Description> found = device::describe_device(kBackend, index);
    rows.push_back(optional_row("GPU" + number,
                                found.ok()
                                    ? Result<std::string>(found->name + ", driver for CUDA " + found->driver)
                                    : Result<std::string>(found.error()),
                                "launch plans run on the virtual machine, and Triton kernels get no times",
                                "on a machine with an NVIDIA GPU, install its driver"));
    if (!found.ok()) continue;
    rows.push_back(optional_row("GPU" + number + " monitor (NVML)", monitor_text(index),
                                "clocks, throttling, energy and other processes are unknown in timings",
                                "install the driver's libnvidia-ml.so.1, or set KGBENCH_NVML_LIBRARY to it"));
    rows.push_back(
        optional_row("GPU" + number + " peaks", peaks_text(index, measure),
                     "the share of the roofline is of the chip card's data-sheet figures until then",
                     "run kgbench doctor --measure-peaks"));
  }
  return rows;
}

}  // namespace kgb::app
