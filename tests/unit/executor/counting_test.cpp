// SPDX-License-Identifier: Apache-2.0
// Counters of a trial: every call, launch by launch, by the names of the call's arguments.
#include <gtest/gtest.h>

#include "executor/trial.hpp"
#include "plans.hpp"

namespace kgb::executor {
namespace {

std::vector<CallCounters> count(const plans::AddPlan& plan, int threads = 1) {
  std::vector<CallCounters> counted;
  TrialOptions options;
  options.counters = &counted;
  options.threads = threads;
  Workshop workshop;
  const auto result = run_trial(plan.recording, plan.calls, options, workshop);
  EXPECT_TRUE(result.ok() && result->findings.empty());
  return counted;
}

TEST(Counting, EveryCallHasItsCountersByTheNamesOfItsArguments) {
  const std::vector<CallCounters> calls = count(plans::AddPlan(19, 3));
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[1].call, 2);
  EXPECT_EQ(calls[1].op, "aten::add");
  EXPECT_EQ(calls[1].workload, "s1");
  for (const CallCounters& call : calls) {
    ASSERT_EQ(call.launches.size(), 1u);
    const LaunchCounters& launch = call.launches[0];
    EXPECT_EQ(launch.kernel, "add_kernel");
    EXPECT_EQ(launch.line, 7);
    EXPECT_EQ(launch.programs, 2u);
    EXPECT_EQ(totals(call).flops, 32u);
    ASSERT_EQ(launch.arguments.size(), 3u);
    EXPECT_EQ(launch.arguments[0].argument, "self");
    EXPECT_EQ(launch.arguments[0].parameters, "x");
    // 16 lanes, then three: 64 and 12 bytes.
    EXPECT_EQ(launch.arguments[0].read, (Traffic{2, 19, 76, 3}));
    EXPECT_EQ(launch.arguments[2].argument, "output return");
    EXPECT_EQ(launch.arguments[2].unique_written, 76u);
  }
}

TEST(Counting, TwoParametersOfOneBufferAreOneArgument) {
  const std::vector<CallCounters> calls = count(plans::AddPlan(19, 1, true));
  const std::vector<ArgumentTraffic>& arguments = calls.at(0).launches.at(0).arguments;
  ASSERT_EQ(arguments.size(), 2u);
  EXPECT_EQ(arguments[0].argument, "self");
  EXPECT_EQ(arguments[0].parameters, "x, out");
  EXPECT_EQ(arguments[0].unique_read, 76u);
  EXPECT_EQ(arguments[0].unique_written, 76u);
}

TEST(Counting, ACallOfTwoLaunchesAddsTrafficAndCountsItsUniqueBytesOnce) {
  plans::AddPlan plan(19, 1);
  plan.recording.calls[0].nodes.push_back(plans::AddPlan::launch(0, 2, 19));
  const CallCounters call = count(plan).at(0);
  EXPECT_EQ(call.launches.size(), 2u);
  EXPECT_EQ(call.arguments.at(0).read.bytes, 2u * 76);
  EXPECT_EQ(call.arguments.at(0).unique_read, 76u);
  EXPECT_EQ(totals(call).unique_bytes(), 3u * 76);
}

TEST(Counting, FillsAreNoLaunchesAndOnlyTheirNumberIsKept) {
  plans::AddPlan plan(19, 1);
  Fill fill;
  fill.dst = plans::view(2, DType::f32, {19});
  fill.value = std::vector<std::byte>(4);
  plan.recording.calls[0].nodes.insert(plan.recording.calls[0].nodes.begin(), fill);
  const CallCounters call = count(plan).at(0);
  EXPECT_EQ(call.copies, 1u);
  EXPECT_EQ(call.launches.size(), 1u);
}

TEST(Counting, ThreadsChangeNothing) {
  const plans::AddPlan plan(100'000, 1);
  EXPECT_EQ(count(plan, 1), count(plan, 4));
}

}  // namespace
}  // namespace kgb::executor
