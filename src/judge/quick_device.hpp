// SPDX-License-Identifier: Apache-2.0
// What the profile quick runs on a device.
#pragma once

#include <span>
#include <vector>

#include "judge/case.hpp"

namespace kgb {

// Of the workloads that the VM found right, those that the device gets, in their order: those that are timed,
// of each side of the secret the one that wants fewest kernels more, whatever the VM could not judge, and all
// whose kernels are compiled by then anyway. Compiling a kernel for the device costs more than the rest of
// the judging, and the VM has run all.
[[nodiscard]] std::vector<Job*> device_jobs(std::span<Job* const> right, std::span<Job* const> timed);

}  // namespace kgb
