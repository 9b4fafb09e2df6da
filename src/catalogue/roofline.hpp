// SPDX-License-Identifier: Apache-2.0
// Where counted work lies under a chip's roofs: the least time by its card's peak rates, and what sets it.
#pragma once

#include <optional>
#include <string>

#include "catalogue/chip.hpp"
#include "model/counters.hpp"

namespace kgb {

struct Roofline {
  std::string chip;
  double compute_s =
      0;  // FLOPs and products of integers at the peak rates; vector and tensor units side by side
  double memory_s = 0;  // unique bytes at the peak bandwidth
  double least_s = 0;   // the longer of both, launch by launch
  double ridge = 0;     // FLOPs per byte above which this mix of work is bound by arithmetic; 0: no FLOPs

  [[nodiscard]] bool memory_bound() const { return memory_s >= compute_s; }
};

// Nullopt: the card has no peak rates. docs/counters.md says which rate stands for which type.
[[nodiscard]] std::optional<Roofline> roofline(const LaunchCounters& launch, const ChipCard& chip);
// Launch after launch: times add up. Nullopt also for a call without launches.
[[nodiscard]] std::optional<Roofline> roofline(const CallCounters& call, const ChipCard& chip);
[[nodiscard]] nlohmann::json to_json(const Roofline& roofline);

}  // namespace kgb
