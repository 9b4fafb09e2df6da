// SPDX-License-Identifier: Apache-2.0
// NVIDIA's management library (NVML) by dlopen, and a device's monitor over it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "device/monitor.hpp"

namespace kgb::device::cuda {

// nvmlProcessInfo_t of the _v3 functions.
struct ProcessInfo {
  unsigned pid = 0;
  unsigned long long memory_bytes = 0;
  unsigned gpu_instance = 0, compute_instance = 0;
};
// nvmlProcessUtilizationSample_t.
struct LoadSample {
  unsigned pid = 0;
  unsigned long long time_us = 0;
  unsigned sm = 0, memory = 0, encoder = 0, decoder = 0;
};

// Values of nvml.h, by their names there.
namespace nvml_code {
inline constexpr int kSuccess = 0, kNotSupported = 3, kNoPermission = 4, kNotFound = 6, kInsufficientSize = 7,
                     kFunctionNotFound = 13, kGpuLost = 15;
inline constexpr int kClockSm = 1, kClockMemory = 2, kTemperatureGpu = 0;
inline constexpr unsigned long long kMemoryUnknown = ~0ULL;
}  // namespace nvml_code

// Bits of nvmlDeviceGetCurrentClocksThrottleReasons (newer drivers: clocks event reasons).
namespace throttle_bit {
inline constexpr unsigned long long kIdle = 0x1, kApplicationClocks = 0x2, kPowerCap = 0x4, kHwSlowdown = 0x8,
                                    kSyncBoost = 0x10, kSwThermal = 0x20, kHwThermal = 0x40,
                                    kPowerBrake = 0x80, kDisplayClocks = 0x100;
}  // namespace throttle_bit

struct Nvml {
#define KGB_NVML(name, symbol, parameters) int(*name) parameters = nullptr;
#include "device/cuda/nvml.def"
#undef KGB_NVML

  // Opens and initialises a library.
  static Result<Nvml> load(const std::string& library);
  // libnvidia-ml.so.1, or what KGBENCH_NVML_LIBRARY names. Once per process.
  static Result<const Nvml*> open();
};

// "nvmlDeviceGetPowerUsage: not permitted"
[[nodiscard]] std::string describe_nvml(const std::string& what, int result);

// NVML numbers devices in its own way, and those that CUDA hides as well: they are matched by PCI bus id
// ("0000:c1:00.0"). `nvml` must outlive the monitor.
[[nodiscard]] Result<std::unique_ptr<Monitor>> monitor_of(const Nvml& nvml, const std::string& pci_bus);

}  // namespace kgb::device::cuda
