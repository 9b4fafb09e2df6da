// SPDX-License-Identifier: Apache-2.0
// What a device's memory reaches, by the clock that times candidates.
#pragma once

#include "base/result.hpp"
#include "device/runtime.hpp"

namespace kgb::device {

// Bytes per second, the best of several replays with cold caches.
struct Bandwidth {
  double copy = 0;  // the driver's copy on the device: bytes read and bytes written
  double read = 0;  // kgbench's own reading kernel
};

// Takes two buffers of sixteen times the L2 cache for the while, at most an eighth of the memory each.
[[nodiscard]] Result<Bandwidth> measure_bandwidth(Runtime& runtime);

}  // namespace kgb::device
