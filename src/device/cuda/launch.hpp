// SPDX-License-Identifier: Apache-2.0
// What stands between a kernel image and its launch: limits that the driver does not check, and the sizes of
// parameters, which it believes.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "device/cuda/driver.hpp"
#include "device/runtime.hpp"

namespace kgb::device::cuda {

struct LaunchRoom {
  void* function = nullptr;
  std::int64_t shared_optin_bytes = 0;  // of the device, per block
};

// Limits that loading does not check, and what must be set before a launch may use them.
[[nodiscard]] std::optional<Fault> prepare_launch(const Driver& driver, const KernelImage& image,
                                                  const LaunchShape& shape, const LaunchRoom& room);
// Whether a loaded kernel begins with the parameters that its image tells; of images that tell none, nothing
// is asked.
[[nodiscard]] Status check_parameters(const Driver& driver, const KernelImage& image, void* function);
// Whether a launch hands over as many bytes as each parameter takes.
[[nodiscard]] std::optional<Fault> compare_parameters(const KernelImage& image,
                                                      std::span<const Argument> args);
// Where the driver reads each parameter. `behind` are those that Triton's kernels have behind their own;
// behind what an image tells there are zeros, for as many parameters of any size as its code may have.
[[nodiscard]] std::vector<void*> parameters_of(const KernelImage& image, std::span<const Argument> args,
                                               std::span<const Argument> behind);
[[nodiscard]] LaunchConfig config_of(const KernelImage& image, const LaunchShape& shape, void* stream,
                                     std::array<LaunchAttribute, 4>& attributes);

}  // namespace kgb::device::cuda
