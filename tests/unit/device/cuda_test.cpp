// SPDX-License-Identifier: Apache-2.0
// The declarations of the CUDA driver, and a machine without one.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

#include "device/cuda/activity.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/helpers.hpp"
#include "device/runtime.hpp"

namespace kgb::device {
namespace {

// Sizes and places of cuda.h (CUDA 12, LP64); tests/python/device compares them with a header.
TEST(CudaDriver, StructsHaveTheDriversLayout) {
  EXPECT_EQ(sizeof(cuda::LaunchAttribute), 72u);
  EXPECT_EQ(offsetof(cuda::LaunchAttribute, value), 8u);
  EXPECT_EQ(sizeof(cuda::LaunchConfig), 56u);
  EXPECT_EQ(offsetof(cuda::LaunchConfig, stream), 32u);
  EXPECT_EQ(offsetof(cuda::KernelNode, parameters), 40u);
  EXPECT_EQ(sizeof(cuda::KernelNode), 72u);
}

TEST(CudaDriver, AMachineWithoutADriverSaysWhatToDo) {
  ::setenv("KGBENCH_CUDA_LIBRARY", "libnone.so.7", 1);
  const auto opened = open_runtime("cuda", 0);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().fault, kgb::Fault::host);
  EXPECT_EQ(opened.error().message,
            "no CUDA driver on this machine: libnone.so.7 could not be opened. Use --chip cpu");
}

TEST(CudaDriver, ABackendWithoutARuntimeIsTheUsersMistake) {
  const auto opened = open_runtime("abacus", 0);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().fault, kgb::Fault::user);
}

TEST(Activity, ASpanIsWhatRanBetweenTheStamps) {
  const std::vector<cuda::Record> records{
      {"", 100, 180},       {"kgb_read", 200, 300}, {"kgb_stamp", 305, 306}, {"first", 310, 330},
      {"second", 325, 360}, {"", 362, 370},         {"kgb_stamp", 372, 373}, {"", 380, 390}};
  EXPECT_EQ(cuda::span_of(records), 60.0);
  const std::vector<cuda::Record> inside = cuda::between_stamps(records);
  ASSERT_EQ(inside.size(), 3u);
  EXPECT_EQ(inside[0].name, "first");
  EXPECT_EQ(inside[2].start, 362u);
  EXPECT_EQ(cuda::span_of({}), 0.0);
  EXPECT_EQ(cuda::span_of({{"kgb_stamp", 1, 2}, {"kgb_stamp", 3, 4}}), 0.0);
}

// Records are off by some ten ns: a kernel seems to end after its closing stamp began.
TEST(Activity, AKernelWhoseRecordLapsOverTheStampsIsOneOfTheCall) {
  const std::vector<cuda::Record> records{
      {"kgb_read", 0, 10}, {"kgb_stamp", 20, 30}, {"kernel", 29, 62}, {"kgb_stamp", 60, 70}, {"", 72, 80}};
  const std::vector<cuda::Record> inside = cuda::between_stamps(records);
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_EQ(inside[0].name, "kernel");
  EXPECT_EQ(cuda::span_of(records), 33.0);
}

// The library hands over its records when it likes.
TEST(Activity, RecordsOfEarlierReplaysAreNotOfThisOne) {
  const std::vector<cuda::Record> records{
      {"kgb_stamp", 1, 2},     {"kernel", 3, 40},    {"kgb_stamp", 41, 42},  {"kgb_read", 50, 90},
      {"kgb_stamp", 100, 101}, {"kernel", 102, 140}, {"kgb_stamp", 141, 142}};
  const std::vector<cuda::Record> inside = cuda::between_stamps(records);
  ASSERT_EQ(inside.size(), 1u);
  EXPECT_EQ(inside[0].start, 102u);
  EXPECT_TRUE(cuda::between_stamps({{"kernel", 3, 40}, {"kgb_stamp", 41, 42}}).empty());
}

TEST(Helpers, ThePtxHoldsEveryKernel) {
  const std::string ptx = cuda::helper_ptx();
  for (const char* entry :
       {"kgb_stamp(", "kgb_read(", "kgb_copy1(", "kgb_copy2(", "kgb_copy4(", "kgb_copy8(", "kgb_copy16("})
    EXPECT_NE(ptx.find(std::string(".entry ") + entry), std::string::npos) << entry;
}

}  // namespace
}  // namespace kgb::device
