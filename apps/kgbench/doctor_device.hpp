// SPDX-License-Identifier: Apache-2.0
// The GPU's rows of `kgbench doctor`: the device, its monitor, its peaks.
#pragma once

#include <vector>

#include "sandbox/facilities.hpp"

namespace kgb::app {

// `measure`: the peaks are measured anew, which takes the device for some ten seconds.
[[nodiscard]] std::vector<sandbox::Facility> probe_device(bool measure);

}  // namespace kgb::app
