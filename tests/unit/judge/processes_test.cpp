// SPDX-License-Identifier: Apache-2.0
// What the judge's processes are started with.
#include "judge/processes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace kgb {
namespace {

// The devices that a child with device `index` of ours is shown.
std::string shown(int index) {
  constexpr std::string_view kName = "CUDA_VISIBLE_DEVICES=";
  std::string value = "none";
  const sandbox::Command command = Processes::device_python(Installation(), "x", DeviceChoice{"cuda", index});
  for (const std::string& variable : command.environment)
    if (variable.starts_with(kName)) value = value == "none" ? variable.substr(kName.size()) : "twice";
  return value;
}

TEST(Processes, AChildSeesTheDeviceThatWeSeeUnderItsNumber) {
  ::unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(shown(0), "0");
  EXPECT_EQ(shown(2), "2");
  ::setenv("CUDA_VISIBLE_DEVICES", "3,GPU-5a", 1);
  EXPECT_EQ(shown(0), "3");
  EXPECT_EQ(shown(1), "GPU-5a");
  ::unsetenv("CUDA_VISIBLE_DEVICES");
}

// By number a device is the same one only where it is counted in the same order.
TEST(Processes, AChildCountsDevicesInTheOrderThatWeDo) {
  ::setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 1);
  EXPECT_EQ(device_environment(1),
            (std::vector<std::string>{"CUDA_VISIBLE_DEVICES=1", "CUDA_DEVICE_ORDER=PCI_BUS_ID"}));
  ::unsetenv("CUDA_DEVICE_ORDER");
  EXPECT_EQ(device_environment(1), std::vector<std::string>{"CUDA_VISIBLE_DEVICES=1"});
}

}  // namespace
}  // namespace kgb
