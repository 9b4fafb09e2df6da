// SPDX-License-Identifier: Apache-2.0
// Words for what holds clocks down.
#include "model/conditions.hpp"

#include <algorithm>

namespace kgb {
namespace {

struct Throttle {
  std::string_view name, words;
  bool slowdown;
};
constexpr Throttle kThrottles[] = {{"application_clocks", "application clocks", false},
                                   {"power_cap", "power cap", false},
                                   {"sync_boost", "sync boost", false},
                                   {"display_clocks", "display clocks", false},
                                   {"hw_slowdown", "hardware slowdown", true},
                                   {"sw_thermal", "thermal slowdown by the driver", true},
                                   {"hw_thermal", "thermal slowdown by the hardware", true},
                                   {"power_brake", "power brake", true}};

const Throttle* throttle_named(std::string_view name) {
  const auto* it = std::find_if(std::begin(kThrottles), std::end(kThrottles),
                                [&](const Throttle& t) { return t.name == name; });
  return it == std::end(kThrottles) ? nullptr : it;
}

}  // namespace

void Sampled::add(double value, bool start) {
  if (start) first = least = most = value;
  last = value;
  least = std::min(least, value);
  most = std::max(most, value);
}

bool is_slowdown(std::string_view reason) {
  const Throttle* known = throttle_named(reason);
  return known != nullptr && known->slowdown;
}

std::string describe_throttle(std::string_view reason) {
  const Throttle* known = throttle_named(reason);
  return std::string(known == nullptr ? reason : known->words);
}

}  // namespace kgb
