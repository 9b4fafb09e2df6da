// SPDX-License-Identifier: Apache-2.0
// Streams of a plan: which nodes are ordered, and what two unordered ones may not both touch.
#include "executor/stream_races.hpp"

#include <gtest/gtest.h>

#include "executor/trial.hpp"
#include "plans.hpp"

namespace kgb::executor {
namespace {

using namespace plans;

RecordedCall call_of(const std::vector<NodeOrder>& order, std::vector<int> joined = {}) {
  RecordedCall call;
  call.order = order;
  call.nodes.resize(order.size());
  call.joined = std::move(joined);
  return call;
}

TEST(StreamOrder, WaitsOrderThroughOtherStreams) {
  // 0 on stream 0; 1 on 1 after it; 2 on 2 after 1; 3 on 0 again.
  const StreamOrder order(call_of({{0, {}}, {1, {0}}, {2, {1}}, {0, {}}}, {2}));
  EXPECT_TRUE(order.unordered(2).empty());
  EXPECT_EQ(order.unordered(3), (std::vector<int>{1, 2}));
  EXPECT_FALSE(order.open(0));
  EXPECT_TRUE(order.open(1) && order.open(2) && order.open(3));
  EXPECT_TRUE(order.before_return(0) && order.before_return(1) && order.before_return(2));
  EXPECT_FALSE(order.before_return(3));
}

TEST(StreamOrder, AWaitForAnEarlierNodeLeavesTheLaterOneOpen) {
  const StreamOrder order(call_of({{1, {}}, {1, {}}, {0, {0}}, {0, {1}}}, {3}));
  EXPECT_EQ(order.unordered(2), std::vector<int>{1});
  EXPECT_TRUE(order.unordered(3).empty());
  EXPECT_FALSE(order.open(0) || order.open(3));
  EXPECT_TRUE(order.open(1) && order.open(2));
}

TEST(ByteRanges, MeetInTheFirstCommonByte) {
  ByteRanges a, b;
  a.add(40, 50);
  a.add(0, 8);
  a.add(8, 16);
  b.add(16, 40);
  a.settle();
  b.settle();
  EXPECT_FALSE(a.meets(b));
  b.add(49, 60);
  b.settle();
  EXPECT_EQ(a.meets(b), 49u);
}

// out = self + other, then again on another stream from element `from` on.
struct TwoLaunches : AddPlan {
  TwoLaunches(std::int64_t from, std::vector<int> after, std::vector<int> joined) : AddPlan(32, 1) {
    RecordedCall& call = recording.calls[0];
    Launch second = launch(0, 2, 16);
    for (int i = 0; i < 3; ++i) second.args[static_cast<std::size_t>(i)] = pointer(i, 4 * from);
    second.line = 9;
    std::get<Launch>(call.nodes[0]).args[3] = integer(16);
    std::get<Launch>(call.nodes[0]).grid = {1, 1, 1};
    call.nodes.emplace_back(second);
    call.order = {{1, {}}, {0, std::move(after)}};
    call.joined = std::move(joined);
  }
  std::vector<Finding> findings(bool sanitize = false) {
    TrialOptions options;
    if (sanitize) options.sanitize.emplace();
    Workshop workshop;
    return run_trial(recording, calls, options, workshop)->findings;
  }
};

TEST(StreamRaces, TwoHalvesOfOneTensorAreHonest) {
  EXPECT_TRUE(TwoLaunches(16, {}, {0, 1}).findings().empty());
  EXPECT_TRUE(TwoLaunches(16, {}, {0, 1}).findings(true).empty());
}

TEST(StreamRaces, OneCommonElementIsARaceUnlessOneWaits) {
  for (const bool sanitize : {false, true}) {
    const auto found = TwoLaunches(15, {}, {0, 1}).findings(sanitize);
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].kind, "race");
    EXPECT_EQ(found[0].line, 9);
    EXPECT_EQ(found[0].details.at("argument"), "output return");
    EXPECT_EQ(found[0].details.at("byte"), "60");
    EXPECT_EQ(found[0].message,
              "kernel add_kernel (line 9) on stream 0 and kernel add_kernel (line 7) on stream 1 touch byte "
              "60 of output "
              "return, and neither waits for the other");
    EXPECT_TRUE(TwoLaunches(15, {0}, {1}).findings(sanitize).empty());
  }
}

TEST(StreamRaces, WorkThatTheReturnDoesNotWaitFor) {
  const auto found = TwoLaunches(16, {}, {1}).findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "race");
  EXPECT_EQ(found[0].line, 7);
}

TEST(StreamRaces, FillsAndCopiesTakePart) {
  TwoLaunches plan(16, {}, {0, 1});
  RecordedCall& call = plan.recording.calls[0];
  call.nodes[1] = Fill{view(2, DType::f32, {4}, 4 * 8), std::vector<std::byte>(4), "aten::zero_"};
  EXPECT_EQ(plan.findings().at(0).message.substr(0, 24), "aten::zero_ on stream 0 ");
  call.nodes[1] =
      Copy{view(2, DType::f32, {4}, 4 * 20), view(2, DType::f32, {4}, 4 * 8), "aten::copy_", "mine.py", 3};
  EXPECT_EQ(plan.findings().at(0).details.at("byte"), "32");
  call.nodes[1] =
      Copy{view(2, DType::f32, {4}, 4 * 20), view(0, DType::f32, {4}, 4 * 8), "aten::copy_", "mine.py", 3};
  EXPECT_TRUE(plan.findings().empty());  // both read `self`
}

}  // namespace
}  // namespace kgb::executor
