// SPDX-License-Identifier: Apache-2.0
// Rates that a device reached on this machine, measured once and kept in the cache, for the share of the
// roofline. docs/timing.md, "The roofline".
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "catalogue/chip.hpp"
#include "judge/judge.hpp"

namespace kgb {

struct Peak {
  double rate = 0;  // bytes/s or FLOP/s
  std::string how;  // "driver copy", "torch.mm 8192x8192 (cuBLAS of torch 2.11.0)", "data sheet"
  bool measured = false;
};

struct Peaks {
  std::string device, uuid, driver, made;  // made: UTC
  std::map<std::string, Peak> rates;  // "bandwidth", "copy", "read", "f32", "bf16_dot", ..., as on chip cards
  std::string problem;                // what could not be measured, and why

  [[nodiscard]] const Peak* find(const std::string& name) const;
  // Rates that were not measured by the card's figures.
  void add_nominal(const ChipCard& chip);
};

// Where the peaks of a device are kept: one small JSON file for each device and driver.
[[nodiscard]] std::filesystem::path peaks_file(const Installation& at, const std::string& uuid,
                                               const std::string& driver);
// Errors: not measured yet, or the file is none of ours.
[[nodiscard]] Result<Peaks> peaks_from_file(const std::filesystem::path& file);
[[nodiscard]] Status write_peaks(const std::filesystem::path& file, const Peaks& peaks);

// The device's name, UUID and driver, as they name its file.
[[nodiscard]] Result<Peaks> peaks_of_nothing(const DeviceChoice& device);
// Measures in a process of its own that has the device alone (some ten seconds), and keeps what it found.
// What cannot be measured is said in `problem`. Errors: there is no device, or the process failed.
[[nodiscard]] Result<Peaks> measure_peaks(const Installation& at, const DeviceChoice& device);
// From the cache, else measured.
[[nodiscard]] Result<Peaks> device_peaks(const Installation& at, const DeviceChoice& device);

}  // namespace kgb
