// SPDX-License-Identifier: Apache-2.0
// How a device was while a workload was timed, what the call took of its energy, and where it lies under the
// device's roofs. docs/timing.md says what each follows from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "nlohmann/json_fwd.hpp"

namespace kgb {

// A value that was sampled: at the start, at the end, and its extremes.
struct Sampled {
  double first = 0, last = 0, least = 0, most = 0;
  void add(double value, bool start);
};

// A process with memory on the device that is not of kgbench's own tree.
struct ForeignProcess {
  std::int64_t pid = 0;
  std::optional<std::int64_t> memory_bytes;
  std::optional<double> sm_percent;  // most of a sampling period that it kept multiprocessors busy
};

struct Conditions {
  int samples = 0;
  std::optional<Sampled> sm_mhz, memory_mhz, power_w, temperature_c;
  // Names of what held the clocks down in any sample ("power_cap", "hw_thermal", ...), idling left out.
  std::optional<std::vector<std::string>> throttled;
  std::optional<std::vector<ForeignProcess>> foreign;
  std::vector<std::string> unknown;  // what is not known and why, a line each
};

// Whether clocks that this reason holds down are a fault of the machine (heat, brake, hardware) rather than
// the device at work.
[[nodiscard]] bool is_slowdown(std::string_view reason);
// "power cap", for people.
[[nodiscard]] std::string describe_throttle(std::string_view reason);

struct Energy {
  std::optional<double> call_mj;  // millijoules of one call, replayed back to back
  std::string why;                // reason where it is not known
};

// Share of the least time that the device's peaks allow.
struct RoofShare {
  double least_s = 0, share = 0;
  std::string bound;          // "memory" or "compute"
  std::string peak;           // the rate that sets it: "bandwidth", "bf16_dot", as on chip cards
  double rate = 0;            // bytes/s or FLOP/s
  bool measured = false;      // else the card's data-sheet figure
  bool launch_bound = false;  // the least time is shorter than any kernel's: the share says little
};

[[nodiscard]] nlohmann::json to_json(const Conditions& conditions);
[[nodiscard]] Conditions conditions_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const Energy& energy);
[[nodiscard]] Energy energy_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const RoofShare& roof);
[[nodiscard]] RoofShare roof_from_json(const nlohmann::json& json);

}  // namespace kgb
