// SPDX-License-Identifier: Apache-2.0
// What the driver is handed for a launch, and what is held against a kernel's code before.
#include "device/cuda/launch.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kgb::device {
namespace {

// A driver that knows one kernel with parameters of 8 and 4 bytes, and counts calls that it refuses.
int calls_refused = 0;
int told(void* /*function*/, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  constexpr std::size_t sizes[] = {8, 4};
  if (index >= 2) return ++calls_refused, 1;
  *offset = 8 * index;
  *bytes = sizes[index];
  return 0;
}

KernelImage image_of(std::optional<std::vector<std::int64_t>> parameters) {
  KernelImage image;
  image.entry = "k";
  image.parameters = std::move(parameters);
  return image;
}

TEST(CudaLaunch, ParametersOfTheCodeAreThoseThatTheImageTells) {
  cuda::Driver driver;
  driver.parameter_info = told;
  calls_refused = 0;
  EXPECT_TRUE(cuda::check_parameters(driver, image_of({{8, 4}}), nullptr).ok());
  EXPECT_EQ(calls_refused, 0) << "compute-sanitizer counts every call that the driver refuses";
  EXPECT_FALSE(cuda::check_parameters(driver, image_of({{8, 8}}), nullptr).ok());
  EXPECT_FALSE(cuda::check_parameters(driver, image_of({{8, 4, 4}}), nullptr).ok());
  EXPECT_TRUE(cuda::check_parameters(driver, image_of({}), nullptr).ok()) << "Triton's are not asked for";
}

TEST(CudaLaunch, AnOldDriverLaunchesNoCudaCandidate) {
  const Status old = cuda::check_parameters(cuda::Driver(), image_of({{8}}), nullptr);
  ASSERT_FALSE(old.ok());
  EXPECT_NE(old.error().message.find("CUDA 12.4"), std::string::npos);
}

TEST(CudaLaunch, ArgumentsThatAreTooSmallAreRefused) {
  std::array<Argument, 2> args;
  EXPECT_FALSE(cuda::compare_parameters(image_of({{8, 4}}), args).has_value());
  EXPECT_TRUE(cuda::compare_parameters(image_of({{8, 64}}), args).has_value());
  EXPECT_TRUE(cuda::compare_parameters(image_of({{8}}), args).has_value());
  args[1].size = args[1].bytes.size();
  EXPECT_FALSE(cuda::compare_parameters(image_of({{8, 64}}), args).has_value());
}

TEST(CudaLaunch, CodeWithMoreParametersReadsZeros) {
  const std::array<Argument, 1> args;
  const std::array<Argument, 2> behind;
  const auto own = cuda::parameters_of(image_of({{8}}), args, behind);
  ASSERT_GT(own.size(), 4096u);
  EXPECT_EQ(std::set<void*>(own.begin(), own.end()).size(), 2u) << "the argument, and one place of zeros";
  EXPECT_EQ(*static_cast<const unsigned char*>(own.back()), 0);
  const auto triton = cuda::parameters_of(image_of({}), args, behind);
  EXPECT_EQ(triton.size(), 3u);
}

}  // namespace
}  // namespace kgb::device
