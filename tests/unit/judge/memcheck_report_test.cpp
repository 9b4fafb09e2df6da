// SPDX-License-Identifier: Apache-2.0
// Reports of compute-sanitizer, as its versions write them, and what of them counts against a candidate.
#include "judge/memcheck_report.hpp"

#include <gtest/gtest.h>

#include "judge/memcheck.hpp"

namespace kgb {
namespace {

constexpr const char* kFar = R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at spread_kernel+0x4b0 in candidate.py:17
=========     by thread (31,0,0) in block (7,0,0)
=========     Access to 0x7f0a1e400000 is out of bounds
=========     and is 1,048,577 bytes after the nearest allocation at 0x7f0a1e200000 of size 1,048,576 bytes
=========
========= Program hit CUDA_ERROR_LAUNCH_FAILED (error 719) due to "unspecified launch failure" on CUDA API call to cuStreamQuery.
=========
========= ERROR SUMMARY: 2 errors
)";

TEST(MemcheckReport, AStrayWriteWithItsPlace) {
  const MemcheckReport report = memcheck_report(kFar);
  ASSERT_EQ(report.errors.size(), 1u);
  const MemoryError& error = report.errors.front();
  EXPECT_EQ(error.kernel, "spread_kernel");
  EXPECT_EQ(error.access, "write");
  EXPECT_EQ(error.space, "global");
  EXPECT_EQ(error.bytes, 4);
  EXPECT_EQ(error.file, "candidate.py");
  EXPECT_EQ(error.line, 17);
  EXPECT_EQ(error.thread, "(31,0,0)");
  EXPECT_EQ(error.block, "(7,0,0)");
  EXPECT_EQ(error.address, "0x7f0a1e400000");
  EXPECT_FALSE(error.inside);
  EXPECT_EQ(
      describe(error),
      "a write of 4 bytes at 0x7f0a1e400000, 1,048,577 bytes after the nearest allocation, of size 1,048,576 "
      "bytes");
  EXPECT_EQ(report.total, 2);
  EXPECT_TRUE(report.complaint.starts_with("Program hit CUDA_ERROR_LAUNCH_FAILED"));
}

TEST(MemcheckReport, OlderVersionsPutThePlaceFirst) {
  const MemcheckReport report = memcheck_report(
      "========= Invalid __global__ read of size 16 bytes\n"
      "=========     at 0xd80 in /mine/candidate.py:162:void gather<(bool)1, float>(T2 *, int)\n"
      "=========     Address 0x7fcd07a0312c is misaligned\n"
      "=========     and is inside the nearest allocation at 0x7fcd079ffc00 of size 102400 bytes\n"
      "========= ERROR SUMMARY: 1 error\n");
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(report.errors[0].kernel, "gather");
  EXPECT_EQ(report.errors[0].file, "/mine/candidate.py");
  EXPECT_EQ(report.errors[0].line, 162);
  EXPECT_TRUE(report.errors[0].misaligned);
  EXPECT_EQ(first_of(report, {"gather"}), &report.errors[0]) << "wherever it lies";
  EXPECT_EQ(describe(report.errors[0]), "a read of 16 bytes at 0x7fcd07a0312c, which is not aligned");
}

TEST(MemcheckReport, WithoutLineInformationThereIsANameAlone) {
  const MemcheckReport report = memcheck_report(
      "========= Invalid __shared__ atomic of size 8 bytes\n=========     at add_kernel(float *, int)+0x70\n"
      "=========     Address 0x400 is out of bounds\n");
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_EQ(report.errors[0].kernel, "add_kernel");
  EXPECT_EQ(report.errors[0].line, 0);
  EXPECT_EQ(describe(report.errors[0]),
            "an atomic access of 8 bytes at 0x400 in shared memory, outside every allocation");
  EXPECT_FALSE(report.total) << "there was no summary: the tool did not end";
}

TEST(MemcheckReport, ACleanOneIsClean) {
  const MemcheckReport report =
      memcheck_report("========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n");
  EXPECT_TRUE(report.errors.empty());
  EXPECT_EQ(report.total, 0);
  EXPECT_EQ(report.complaint, "");
}

TEST(MemcheckReport, WhatTheToolCannotDoIsAComplaint) {
  const MemcheckReport report = memcheck_report(
      "========= COMPUTE-SANITIZER\n========= Error: Device not supported. Please refer to the \"Supported "
      "Devices\" "
      "section of the sanitizer documentation\n=========\n");
  EXPECT_TRUE(report.errors.empty());
  EXPECT_FALSE(report.total);
  EXPECT_TRUE(report.complaint.starts_with("Error: Device not supported."));
}

TEST(MemcheckReport, LinesOfNobodyAreLeftOut) {
  const MemcheckReport report =
      memcheck_report("Invalid __global__ write of size 4 bytes\nERROR SUMMARY: 9 errors\n");
  EXPECT_TRUE(report.errors.empty());
  EXPECT_FALSE(report.total);
}

TEST(MemcheckReport, OnlyTheCandidatesKernelsCount) {
  const MemcheckReport report = memcheck_report(kFar);
  EXPECT_NE(first_of(report, {"spread_kernel"}), nullptr);
  EXPECT_EQ(first_of(report, {"other_kernel"}), nullptr);
}

TEST(MemcheckReport, WhatLiesInsideAnAllocationIsNotOutOfBounds) {
  const MemcheckReport report = memcheck_report(
      "========= Invalid __global__ write of size 256 bytes\n=========     at spread_kernel+0x120\n"
      "=========     Access to 0x147267fff80 is out of bounds\n"
      "=========     and is inside the nearest allocation at 0x14725400000 of size 20971520 bytes\n"
      "========= ERROR SUMMARY: 1 error\n");
  ASSERT_EQ(report.errors.size(), 1u);
  EXPECT_TRUE(report.errors[0].inside);
  EXPECT_EQ(first_of(report, {"spread_kernel"}), nullptr);
}

}  // namespace
}  // namespace kgb
