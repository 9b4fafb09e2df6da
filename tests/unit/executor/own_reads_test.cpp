// SPDX-License-Identifier: Apache-2.0
// Reads of intermediates in a trial: what is wanted is given, what is claimed is checked, and what
// host code places behind a read counts as host bytes.
#include <gtest/gtest.h>

#include "executor/trial.hpp"
#include "plans.hpp"

namespace kgb::executor {
namespace {

using namespace plans;

TrialResult own_read_trial(const AddPlan& plan) {
  Workshop workshop;
  auto result = run_trial(plan.recording, plan.calls, {}, workshop);
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return *std::move(result);
}

// The first two words of the sum in call `call`, as integers.
Read read_of(int call, std::optional<std::vector<std::byte>> bytes = {}) {
  return {view(3 * call + 2, DType::i32, {2}), std::move(bytes), "aten::_to_copy", "mine.py", 9};
}

std::vector<Node>& nodes(AddPlan& plan, int call) {
  return plan.recording.calls[static_cast<std::size_t>(call)].nodes;
}

// The plan up to a read in call 1.
AddPlan unfinished() {
  AddPlan plan(64);
  nodes(plan, 1).emplace_back(read_of(1));
  plan.recording.calls[1].outputs.clear();
  plan.recording.calls[2] = {};
  return plan;
}

TEST(OwnReads, ARunStopsAtAReadThatIsWanted) {
  const TrialResult result = own_read_trial(unfinished());
  ASSERT_TRUE(result.findings.empty());
  ASSERT_EQ(result.outputs.size(), 1u);  // of call 0
  const TrialResult whole = own_read_trial(AddPlan(64));
  ASSERT_TRUE(result.read.has_value());
  const auto second = whole.bytes_of(whole.outputs[1]).first(8);
  EXPECT_EQ(*result.read, std::vector<std::byte>(second.begin(), second.end()));
}

TEST(OwnReads, TheBytesOfARecordingMustBeThoseThatTheKernelsLeave) {
  AddPlan plan(64);
  const auto bytes = own_read_trial(unfinished()).read;
  nodes(plan, 1).emplace_back(read_of(1, bytes));
  EXPECT_TRUE(own_read_trial(plan).findings.empty());
  EXPECT_FALSE(own_read_trial(plan).read.has_value());
  std::get<Read>(nodes(plan, 1).back()).bytes->front() ^= std::byte{1};
  const TrialResult forged = own_read_trial(plan);
  ASSERT_EQ(forged.findings.size(), 1u);
  EXPECT_EQ(forged.findings[0].kind, "read_differs");
  EXPECT_EQ(forged.findings[0].file, "mine.py");
  EXPECT_EQ(forged.findings[0].line, 9);
  EXPECT_EQ(forged.findings[0].details.at("call"), "2");
}

TEST(OwnReads, ACopyOfAnInputIsNoIntermediate) {
  AddPlan plan = unfinished();
  nodes(plan, 1).front() =
      Copy{view(5, DType::f32, {64}), view(3, DType::f32, {64}), "aten::clone", "mine.py", 8};
  const TrialResult result = own_read_trial(plan);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "host_read");
  EXPECT_FALSE(result.read.has_value());
}

// What the output's elements come from when `more` stands behind the launch, with a read between or without.
WriteSources sources(const Node& more, bool with_read) {
  AddPlan plan(64, 1);
  if (with_read) {
    AddPlan asked(64, 1);
    nodes(asked, 0).emplace_back(read_of(0));
    asked.recording.calls[0].outputs.clear();
    nodes(plan, 0).emplace_back(read_of(0, own_read_trial(asked).read));
  }
  nodes(plan, 0).push_back(more);
  const TrialResult result = own_read_trial(plan);
  EXPECT_TRUE(result.findings.empty());
  return result.outputs.empty() ? WriteSources() : result.outputs[0].sources;
}

TEST(OwnReads, PiecesThatHostCodePlacesBehindAReadAreHostBytes) {
  const std::vector<std::byte> zero(4);
  const Fill piece{view(2, DType::f32, {2}), zero, "aten::fill_"},
      all{view(2, DType::f32, {64}), zero, "aten::zero_"};
  const Copy moved{view(2, DType::f32, {2}), view(0, DType::f32, {2}), "aten::copy_", "mine.py", 8};
  const Constant made{"arange", view(2, DType::f32, {2}), {0, 1}};
  EXPECT_EQ(sources(piece, false).fill, 2);
  EXPECT_EQ(sources(moved, false).copy, 2);
  for (const Node& more : {Node(piece), Node(moved), Node(made)}) EXPECT_EQ(sources(more, true).upload, 2);
  EXPECT_EQ(sources(all, true).fill, 64);  // one value everywhere: no answer
}

}  // namespace
}  // namespace kgb::executor
