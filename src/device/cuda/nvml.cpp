// SPDX-License-Identifier: Apache-2.0
// Finds the library's functions and asks them. A function that is missing or refused costs its own value
// alone.
#include "device/cuda/nvml.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <utility>

namespace kgb::device::cuda {
namespace {

constexpr std::size_t kMostProcesses = 256;

constexpr std::pair<unsigned long long, const char*> kReasons[] = {
    {throttle_bit::kApplicationClocks, "application_clocks"},
    {throttle_bit::kPowerCap, "power_cap"},
    {throttle_bit::kSyncBoost, "sync_boost"},
    {throttle_bit::kDisplayClocks, "display_clocks"},
    {throttle_bit::kHwSlowdown, "hw_slowdown"},
    {throttle_bit::kSwThermal, "sw_thermal"},
    {throttle_bit::kHwThermal, "hw_thermal"},
    {throttle_bit::kPowerBrake, "power_brake"}};

// The value that a function of NVML's writes behind its other arguments, or its result code.
template <typename Value, typename Function, typename... Args>
Value ask(int& result, Function function, Args... args) {
  Value value{};
  result = function == nullptr ? nvml_code::kFunctionNotFound : function(args..., &value);
  return value;
}

class NvmlMonitor final : public Monitor {
 public:
  NvmlMonitor(const Nvml& nvml, void* device) : nvml_(nvml), device_(device) {}

  [[nodiscard]] MonitorFacts facts() const override {
    MonitorFacts facts;
    char version[96] = {};
    if (nvml_.driver_version != nullptr && nvml_.driver_version(version, sizeof version - 1) == 0)
      facts.library_version = version;
    const auto clock = [&](auto function, int which) -> std::optional<double> {
      int result = 0;
      const auto mhz = ask<unsigned>(result, function, device_, which);
      return result == 0 ? std::optional<double>(mhz) : std::nullopt;
    };
    facts.most_sm_mhz = clock(nvml_.most_clock, nvml_code::kClockSm);
    facts.most_memory_mhz = clock(nvml_.most_clock, nvml_code::kClockMemory);
    facts.application_sm_mhz = clock(nvml_.application_clock, nvml_code::kClockSm);
    int result = 0;
    const int persistence = ask<int>(result, nvml_.persistence, device_);
    if (result == 0) facts.persistence = persistence != 0;
    return facts;
  }

  [[nodiscard]] Reading read(std::vector<std::string>& refused) const override {
    Reading reading;
    const auto number = [&](const char* what, double scale, auto function, auto... args) {
      int result = 0;
      const auto value = ask<unsigned>(result, function, device_, args...);
      if (result == 0) return std::optional<double>(scale * value);
      refused.push_back(describe_nvml(what, result));
      return std::optional<double>();
    };
    reading.sm_mhz = number("the SM clock", 1, nvml_.clock, nvml_code::kClockSm);
    reading.memory_mhz = number("the memory clock", 1, nvml_.clock, nvml_code::kClockMemory);
    reading.power_w = number("the power", 1e-3, nvml_.power);
    reading.temperature_c = number("the temperature", 1, nvml_.temperature, nvml_code::kTemperatureGpu);
    int result = 0;
    const auto bits = ask<unsigned long long>(result, nvml_.throttle_reasons, device_);
    if (result != 0) {
      refused.push_back(describe_nvml("throttling", result));
      return reading;
    }
    reading.throttled.emplace();
    for (const auto& [bit, name] : kReasons)
      if ((bits & bit) != 0) reading.throttled->emplace_back(name);
    return reading;
  }

  [[nodiscard]] Result<double> energy_mj() const override {
    int result = 0;
    const auto mj = ask<unsigned long long>(result, nvml_.energy, device_);
    if (result != 0) return host_error(describe_nvml("the energy", result));
    return static_cast<double>(mj);
  }

  [[nodiscard]] Result<std::vector<DeviceProcess>> processes() const override {
    std::array<ProcessInfo, kMostProcesses> found{};
    unsigned n = kMostProcesses;
    const int result = nvml_.processes == nullptr ? nvml_code::kFunctionNotFound
                                                  : nvml_.processes(device_, &n, found.data());
    if (result != 0) return host_error(describe_nvml("processes on the device", result));
    std::vector<DeviceProcess> all;
    for (const ProcessInfo& process : std::span(found).first(std::min<std::size_t>(n, kMostProcesses))) {
      all.push_back({process.pid, std::nullopt});
      if (process.memory_bytes != nvml_code::kMemoryUnknown)
        all.back().memory_bytes = static_cast<std::int64_t>(process.memory_bytes);
    }
    return all;
  }

  [[nodiscard]] Result<std::vector<ProcessLoad>> loads(std::uint64_t since_us) const override {
    std::array<LoadSample, kMostProcesses> found{};
    unsigned n = kMostProcesses;
    const int result = nvml_.loads == nullptr ? nvml_code::kFunctionNotFound
                                              : nvml_.loads(device_, found.data(), &n, since_us);
    if (result == nvml_code::kNotFound) return std::vector<ProcessLoad>();  // no sample since then
    if (result != 0) return host_error(describe_nvml("the load of processes", result));
    std::vector<ProcessLoad> all;
    for (const LoadSample& sample : std::span(found).first(std::min<std::size_t>(n, kMostProcesses)))
      // Some drivers hand over older samples as well, and entries that they did not fill.
      if (sample.time_us > since_us && sample.sm <= 100)
        all.push_back({sample.pid, static_cast<double>(sample.sm)});
    return all;
  }

 private:
  const Nvml& nvml_;
  void* device_;
};

}  // namespace

std::string describe_nvml(const std::string& what, int result) {
  const char* text = result == nvml_code::kNotSupported       ? "not supported on this device"
                     : result == nvml_code::kNoPermission     ? "not permitted"
                     : result == nvml_code::kNotFound         ? "not found"
                     : result == nvml_code::kInsufficientSize ? "more than kgbench asks for"
                     : result == nvml_code::kFunctionNotFound ? "not known to this driver"
                     : result == nvml_code::kGpuLost          ? "the device is lost"
                                                              : nullptr;
  return what + ": " + (text == nullptr ? "NVML's error " + std::to_string(result) : text);
}

Result<Nvml> Nvml::load(const std::string& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return host_error(library + " could not be opened");
  Nvml nvml;
#define KGB_NVML(name, symbol, parameters) \
  nvml.name = reinterpret_cast<decltype(nvml.name)>(::dlsym(handle, #symbol));
#include "device/cuda/nvml.def"
#undef KGB_NVML
  if (nvml.init == nullptr || nvml.by_pci_bus == nullptr) return host_error(library + " is no NVML");
  if (const int result = nvml.init(); result != 0)
    return host_error(describe_nvml(library + " does not start", result));
  return nvml;
}

Result<const Nvml*> Nvml::open() {
  static const Result<Nvml> nvml = [] {
    const char* named = std::getenv("KGBENCH_NVML_LIBRARY");
    return load(named != nullptr && *named != '\0' ? named : "libnvidia-ml.so.1");
  }();
  if (!nvml.ok()) return nvml.error();
  return &*nvml;
}

Result<std::unique_ptr<Monitor>> monitor_of(const Nvml& nvml, const std::string& pci_bus) {
  void* device = nullptr;
  if (const int result = nvml.by_pci_bus(pci_bus.c_str(), &device); result != 0)
    return host_error(describe_nvml("NVML on the device at " + pci_bus, result));
  return std::unique_ptr<Monitor>(new NvmlMonitor(nvml, device));
}

}  // namespace kgb::device::cuda
