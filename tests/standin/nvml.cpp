// SPDX-License-Identifier: Apache-2.0
// An NVML without a GPU, for the device of tests/standin/cuda.cpp: the symbols of src/device/cuda/nvml.def.
// What it tells is set by KGBENCH_STANDIN_NVML_STATE, words with commas between, read at every call:
//   forbidden      every value is refused (no permission)
//   thermal, power_cap    clocks are held down for that reason
//   foreign        process 4242 holds memory on the device; busy: and computes
//   hidden         processes are listed by ids that nobody here has
//   still          the energy counter stands
// A word with @1 behind it holds for device 1 alone.
// It draws 500 W. With KGB_OLD_DRIVER half of the functions are missing.
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "device/cuda/nvml.hpp"

namespace {

namespace nvml = kgb::device::cuda;
constexpr unsigned kForeign = 4242;
constexpr double kMillijoulesPerMs = 500;
constexpr unsigned long long kStepMs = 20;

// Handles of the devices that tests/standin/cuda.cpp tells by PCI bus: c1, c2, ...
int handles[8] = {};

bool state_of(std::string_view word, const void* device) {
  const char* set = std::getenv("KGBENCH_STANDIN_NVML_STATE");
  std::string_view rest = set == nullptr ? "" : set;
  while (!rest.empty()) {
    const std::size_t end = rest.find(',');
    const std::string_view said = rest.substr(0, end);
    const std::size_t mark = said.find('@');
    const bool here =
        mark == std::string_view::npos || device == nullptr || &handles[(said[mark + 1] - '0') & 7] == device;
    if (said.substr(0, mark) == word && here) return true;
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return false;
}

bool state(std::string_view word) {
  return state_of(word, nullptr);
}

template <typename T, typename V>
int give(T* value, V what) {
  if (state("forbidden")) return nvml::nvml_code::kNoPermission;
  *value = static_cast<T>(what);
  return 0;
}

[[maybe_unused]] unsigned long long now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<unsigned long long>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

}  // namespace

extern "C" {

using nvml::LoadSample;
using nvml::ProcessInfo;
#define KGB_NVML(name, symbol, parameters) int symbol parameters;
#include "device/cuda/nvml.def"
#undef KGB_NVML

int nvmlInit_v2() {
  return 0;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus, void** device) {
  const std::string_view name = bus;
  if (name.size() != 12 || !name.starts_with("0000:c") || !name.ends_with(":00.0") || name[6] < '1' ||
      name[6] > '8')
    return nvml::nvml_code::kNotFound;
  return *device = &handles[name[6] - '1'], 0;
}
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return std::strncpy(text, "999.1", length), 0;
}
int nvmlDeviceGetClockInfo(void* device, int clock, unsigned* mhz) {
  return give(mhz, clock == nvml::nvml_code::kClockMemory ? 3201 : state_of("thermal", device) ? 810 : 1980);
}
int nvmlDeviceGetMaxClockInfo(void* /*device*/, int clock, unsigned* mhz) {
  return give(mhz, clock == nvml::nvml_code::kClockMemory ? 3201 : 1980);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits) {
  return give(bits, (state_of("thermal", device) ? nvml::throttle_bit::kHwThermal : 0) |
                        (state("power_cap") ? nvml::throttle_bit::kPowerCap : 0) | nvml::throttle_bit::kIdle);
}
int nvmlDeviceGetPowerUsage(void* /*device*/, unsigned* milliwatts) {
  return give(milliwatts, 1e3 * kMillijoulesPerMs);
}
int nvmlDeviceGetTemperature(void* /*device*/, int /*sensor*/, unsigned* celsius) {
  return give(celsius, 45);
}
#ifndef KGB_OLD_DRIVER
int nvmlDeviceGetApplicationsClock(void* /*device*/, int clock, unsigned* mhz) {
  return give(mhz, clock == nvml::nvml_code::kClockMemory ? 3201 : 1980);
}
int nvmlDeviceGetTotalEnergyConsumption(void* /*device*/, unsigned long long* millijoules) {
  const unsigned long long ms = state("still") ? 0 : now_us() / 1000 / kStepMs * kStepMs;
  return give(millijoules, kMillijoulesPerMs * static_cast<double>(ms % 100'000'000));
}
int nvmlDeviceGetPersistenceMode(void* /*device*/, int* on) {
  return give(on, 1);
}
int nvmlDeviceGetComputeRunningProcesses_v3(void* /*device*/, unsigned* n, ProcessInfo* processes) {
  if (state("forbidden")) return nvml::nvml_code::kNoPermission;
  const bool foreign = state("foreign");
  const unsigned needed = foreign ? 2 : 1;
  if (*n < needed) return *n = needed, nvml::nvml_code::kInsufficientSize;
  processes[0] = {state("hidden") ? 4'000'000'000U : static_cast<unsigned>(::getpid()), 1ULL << 29, 0, 0};
  if (foreign) processes[1] = {kForeign, 3ULL << 30, 0, 0};
  return *n = needed, 0;
}
int nvmlDeviceGetProcessUtilization(void* /*device*/, LoadSample* samples, unsigned* n,
                                    unsigned long long since_us) {
  if (state("forbidden")) return nvml::nvml_code::kNoPermission;
  if (!state("busy")) return nvml::nvml_code::kNotFound;
  if (*n < 3) return *n = 3, nvml::nvml_code::kInsufficientSize;
  samples[0] = {kForeign, since_us, 99, 0, 0, 0};  // too old to count
  samples[1] = {kForeign, since_us + 1, 37, 0, 0, 0};
  samples[2] = {static_cast<unsigned>(::getpid()), since_us + 1, 60, 0, 0, 0};
  return *n = 3, 0;
}
#endif

}  // extern "C"
