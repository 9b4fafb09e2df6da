// SPDX-License-Identifier: Apache-2.0
// What --chip and --devices name: a chip card and the devices behind it.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "judge/judge.hpp"

namespace kgb::app {

struct ChosenChip {
  std::string card = "cpu";
  std::vector<DeviceChoice> devices;  // all of that card; none: the VM
  std::vector<std::string> left_out;  // devices that were not named and do not fit, a line each
};

// `numbers`: the devices wanted, none: all of one kind. Errors, the user's: no such device or chip here, or
// devices that are named are of two kinds.
[[nodiscard]] Result<ChosenChip> choose_chip(const std::string& name, const std::vector<int>& numbers);

}  // namespace kgb::app
