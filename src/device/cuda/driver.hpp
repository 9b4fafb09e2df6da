// SPDX-License-Identifier: Apache-2.0
// The CUDA driver API by dlopen: no CUDA header or library is needed to build or to start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.hpp"

namespace kgb::device::cuda {

// CUlaunchAttribute and CUlaunchConfig of cuda.h.
struct LaunchAttribute {
  std::uint32_t id = 0;
  std::uint32_t pad = 0;
  std::uint32_t value[16] = {};
};
struct LaunchConfig {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void* stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};

// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNode {
  void* function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  void* context = nullptr;
};

// Values of cuda.h, by their names there.
namespace code {
inline constexpr int kSuccess = 0, kOutOfMemory = 2, kAssert = 710, kNotReady = 600, kIllegalAddress = 700,
                     kLaunchTimeout = 702;
}
namespace device_attribute {
inline constexpr int kMultiprocessors = 16, kL2Bytes = 38, kMajor = 75, kMinor = 76, kSharedOptin = 97;
}
namespace function_attribute {
inline constexpr int kMaxThreads = 0, kStaticShared = 1, kLocalBytes = 3, kRegisters = 4,
                     kMaxDynamicShared = 8, kNonPortableCluster = 14;
}
namespace launch_attribute {
inline constexpr unsigned kCooperative = 2, kClusterDimension = 4, kClusterScheduling = 5,
                          kProgrammaticSerialization = 6;
inline constexpr unsigned kSpread = 1;  // cluster scheduling policy
}  // namespace launch_attribute

struct Driver {
#define KGB_CUDA(name, symbol, parameters) int(*name) parameters = nullptr;
#include "device/cuda/driver.def"
#undef KGB_CUDA

  // Of CUDA 12.4; null where the driver is older. Place and size of a kernel's parameter.
  int (*parameter_info)(void* function, std::size_t index, std::size_t* offset, std::size_t* bytes) = nullptr;

  // Opens libcuda.so.1, or the library that KGBENCH_CUDA_LIBRARY names. Once per process.
  static Result<const Driver*> open();
  // "cuMemAlloc_v2: out of memory (CUDA_ERROR_OUT_OF_MEMORY)"
  [[nodiscard]] std::string describe(int result) const;
  [[nodiscard]] Status check(int result, const char* what) const;
};

}  // namespace kgb::device::cuda
