// SPDX-License-Identifier: Apache-2.0
// ncu's tables: both pages of counters, the source page, units, gaps, and text that is none of it.
#include "report/ncu_csv.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

TEST(NcuNumber, UnitsAreConvertedToTheirBase) {
  EXPECT_EQ(ncu_number("1,234.5", "usecond"), 1234500);
  EXPECT_EQ(ncu_number(" 2 ", "ms"), 2e6);
  EXPECT_EQ(ncu_number("3", "s"), 3e9);
  EXPECT_EQ(ncu_number("1.5", "Mbyte"), 1.5e6);
  EXPECT_EQ(ncu_number("4", "Kbyte/block"), 4000);
  EXPECT_EQ(ncu_number("40", "register/thread"), 40);
  EXPECT_EQ(ncu_number("12.5", "%"), 12.5);
  EXPECT_EQ(ncu_number("7", ""), 7);
  EXPECT_EQ(ncu_number("7", "M"), 7) << "a letter alone is no prefix";
  for (const char* none : {"", "-", "n/a", "nan", "inf", "(!) n/a", "1e999", "1e300", "0x10 "})
    EXPECT_FALSE(ncu_number(none, "ns")) << none;
}

TEST(NcuKernels, OfTheRawPage) {
  const auto kernels = ncu_kernels(
      "==PROF== Connected to process 7 (/bin/kgbench)\n"
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"launch__registers_per_thread\",\"something_new\","
      "\"smsp__pcsamp_warps_issue_stalled_wait\",\"smsp__pcsamp_warps_issue_stalled_barrier\","
      "\"smsp__pcsamp_warps_issue_stalled_wait_not_issued\"\r\n"
      "\"\",\"\",\"us\",\"register/thread\",\"\",\"\",\"\",\"\"\r\n"
      "\"0\",\"first(float *, int)\",\"2.5\",\"n/a\",\"x\",\"10\",\"30\",\"999\"\r\n"
      "\"1\",\"second\",\"3\",\"16\"\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "first(float *, int)");
  EXPECT_EQ(kernels[0].metrics.at("duration"), 2500);
  EXPECT_EQ(kernels[0].metrics.count("registers"), 0u);
  ASSERT_EQ(kernels[0].stalls.size(), 2u);
  EXPECT_EQ(kernels[0].stalls[0].reason, "barrier");
  EXPECT_EQ(kernels[0].stalls[0].share, 0.75);
  EXPECT_EQ(kernels[1].metrics.at("registers"), 16);
  EXPECT_TRUE(kernels[1].stalls.empty());
}

TEST(NcuKernels, OfTheDetailsPage) {
  const auto kernels = ncu_kernels(
      "\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\",\"Metric Value\"\n"
      "\"0\",\"k\",\"Command line\",\"dram__bytes_read.sum\",\"Mbyte\",\"1,000\"\n"
      "\"1\",\"k\",\"Command line\",\"dram__bytes_read.sum\",\"byte\",\"8\"\n"
      "\"0\",\"k\",\"Command line\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\",\"%\",\"50\"\n");
  ASSERT_EQ(kernels.size(), 2u) << "the same kernel, launched twice";
  EXPECT_EQ(kernels[0].metrics.at("dram_read"), 1e9);
  EXPECT_EQ(kernels[0].metrics.at("sm_peak"), 50);
  EXPECT_EQ(kernels[1].metrics.at("dram_read"), 8);
}

TEST(NcuKernels, WhatIsNoTableHoldsNoKernel) {
  for (const char* text :
       {"", "\n\n", "\"", "==ERROR== no", "Kernel Name", "\"a\",\"Kernel Name\"\n\"1\",\"k\"",
        "\"x\",\"y\",\"Kernel Name\"\n\"\",\"\",\"\"\n"})
    EXPECT_TRUE(ncu_kernels(text).empty()) << text;
  std::string binary = "\"ID\",\"Kernel Name\",\"sm__throughput.avg.pct_of_peak_sustained_elapsed\"\n";
  for (int i = 0; i < 4096; ++i) binary += static_cast<char>(i * 7);
  for (const NcuKernel& kernel : ncu_kernels(binary)) EXPECT_LE(kernel.metrics.size(), 1u);
}

TEST(NcuKernels, ANegativeOrRepeatedValueIsNotBelieved) {
  const auto kernels = ncu_kernels(
      "\"ID\",\"Kernel Name\",\"gpu__time_duration.sum\",\"smsp__pcsamp_warps_issue_stalled_wait\"\n"
      "\"0\",\"k\",\"-5\",\"-1\"\n");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_TRUE(kernels[0].metrics.empty());
  EXPECT_TRUE(kernels[0].stalls.empty());
}

constexpr const char* kSourcePage =
    "\"File Path\",\"/tmp/x/candidate.py\"\n"
    "\"Function Name\",\"softmax_kernel\"\n"
    "\"Line No\",\"Source\",\"Address\",\"Source\",\"# "
    "Samples\",\"stall_long_sb\",\"stall_wait\",\"stall_wait_not_issued\"\n"
    "\"14\",\"x = tl.load(p, mask=m)\",\"-\",\"-\",\"60\",\"50\",\"10\",\"99\"\n"
    "\"\",\"\",\"0x10\",\"LDG\",\"60\",\"50\",\"10\",\"99\"\n"
    "\"15\",\"y = x + 1\",\"-\",\"-\",\"20\",\"5\",\"15\",\"0\"\n"
    "\"16\",\"nothing\",\"-\",\"-\",\"0\",\"0\",\"0\",\"0\"\n";

TEST(NcuSource, LinesByTheirShareOfTheSamples) {
  const auto tables = ncu_source(kSourcePage);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].kernel, "softmax_kernel");
  ASSERT_EQ(tables[0].lines.size(), 2u);
  EXPECT_EQ(tables[0].lines[0].file, "/tmp/x/candidate.py");
  EXPECT_EQ(tables[0].lines[0].line, 14);
  EXPECT_EQ(tables[0].lines[0].share, 0.75);
  EXPECT_EQ(tables[0].lines[0].reason, "long_sb");
  EXPECT_EQ(tables[0].lines[1].reason, "wait");
}

TEST(NcuSource, WhereTheLinesHoldNothingTheirInstructionsCount) {
  const auto tables = ncu_source(
      "\"Function Name\",\"k\"\n\"Line No\",\"Source\",\"Address\",\"Source\",\"stall_barrier\"\n"
      "\"\",\"\",\"0x0\",\"before any line\",\"7\"\n"
      "\"3\",\"a\",\"\",\"\",\"\"\n\"\",\"\",\"0x10\",\"BAR\",\"1\"\n\"\",\"\",\"0x20\",\"BAR\",\"2\"\n"
      "\"9\",\"b\",\"\",\"\",\"\"\n\"\",\"\",\"0x30\",\"ADD\",\"1\"\n");
  ASSERT_EQ(tables.size(), 1u);
  ASSERT_EQ(tables[0].lines.size(), 2u);
  EXPECT_EQ(tables[0].lines[0].line, 3);
  EXPECT_EQ(tables[0].lines[0].share, 0.75);
  EXPECT_EQ(tables[0].lines[0].reason, "barrier");
}

TEST(NcuSource, EachKernelHasATableAndTextThatIsNoneIsPassedOver) {
  EXPECT_EQ(ncu_source(std::string(kSourcePage) + kSourcePage).size(), 2u);
  EXPECT_TRUE(ncu_source("").empty());
  EXPECT_TRUE(ncu_source("\"Line No\",\"Source\"\n\"1\",\"a\"\n").empty()) << "nothing was sampled";
  EXPECT_TRUE(
      ncu_source("\"Kernel Name\",\"k\"\n\"Address\",\"Source\",\"# Samples\"\n\"0x0\",\"LDG\",\"5\"\n")
          .empty())
      << "instructions alone have no lines";
  EXPECT_TRUE(
      ncu_source("\"Line No\",\"Source\",\"# Samples\"\n\"99999999999\",\"a\",\"5\"\n\"-1\",\"b\",\"5\"\n")
          .empty());
}

}  // namespace
}  // namespace kgb
