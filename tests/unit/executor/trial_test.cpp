// SPDX-License-Identifier: Apache-2.0
// What a trial finds and what it gives back, shown on hand-written plans.
#include "executor/trial.hpp"

#include <gtest/gtest.h>

#include "model/generate.hpp"
#include "plans.hpp"

namespace kgb::executor {
namespace {

using namespace plans;

TrialResult trial(const AddPlan& plan, TrialOptions options = {}) {
  Workshop workshop;
  auto result = run_trial(plan.recording, plan.calls, options, workshop);
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return *std::move(result);
}

std::vector<float> made(const AddPlan& plan, int call, const char* path, const TrialOptions& options = {}) {
  for (const auto& [name, spec] : tensors_of(plan.calls[static_cast<std::size_t>(call)]))
    if (name == path) {
      std::vector<std::byte> storage(static_cast<std::size_t>(spec.storage_bytes()));
      generate(spec, path, options.seed, options.trial, call, storage);
      return floats(storage);
    }
  return {};
}

void expect_one(const TrialResult& result, const std::string& kind) {
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, kind) << result.findings[0].message;
}

TEST(Trial, EveryCallComputesOnItsOwnFreshValues) {
  const AddPlan plan(19);
  TrialOptions options;
  options.seed = 42;
  const TrialResult result = trial(plan, options);
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  ASSERT_EQ(result.outputs.size(), 3u);
  for (int c = 0; c < 3; ++c) {
    const auto self = made(plan, c, "self", options), other = made(plan, c, "other", options);
    const auto out = floats(result.bytes_of(result.outputs[static_cast<std::size_t>(c)]));
    ASSERT_EQ(out.size(), 19u);
    for (std::size_t i = 0; i < 19; ++i) EXPECT_EQ(out[i], self[i] + other[i]);
  }
  EXPECT_NE(floats(result.bytes_of(result.outputs[0])), floats(result.bytes_of(result.outputs[1])));
  EXPECT_EQ(result.counters.launches, 3u);
  EXPECT_EQ(result.counters.programs, 6u);
}

TEST(Trial, AnotherTrialHasOtherValuesAndTheSameOneRepeats) {
  const AddPlan plan(64);
  TrialOptions first, second;
  second.trial = 1;
  EXPECT_EQ(trial(plan, first).blob, trial(plan, first).blob);
  EXPECT_NE(trial(plan, first).blob, trial(plan, second).blob);
}

TEST(Trial, OrderAndThreadsDoNotChangeAnHonestResult) {
  const AddPlan plan(200);
  const auto reference = trial(plan).blob;
  TrialOptions shuffled;
  shuffled.order = vm::Order::shuffled;
  shuffled.threads = 2;
  EXPECT_EQ(trial(plan, shuffled).blob, reference);
}

TEST(Trial, ReportsElementsThatNoKernelWrote) {
  AddPlan plan(19);
  for (int c = 0; c < 3; ++c)
    std::get<Launch>(plan.recording.calls[static_cast<std::size_t>(c)].nodes[0]).args[3] = integer(12);
  for (int poison = 0; poison < 3; ++poison) {
    TrialOptions options;
    options.poison = poison;
    const TrialResult result = trial(plan, options);
    ASSERT_TRUE(result.findings.empty());
    EXPECT_EQ(result.outputs[0].poisoned, 7);
    EXPECT_FALSE(result.outputs[0].written);
    EXPECT_EQ(result.outputs[0].sources.none, 7);
    EXPECT_EQ(result.outputs[0].sources.launch, 12);
  }
}

TEST(Trial, NamesTheArgumentThatAKernelLeft) {
  AddPlan plan(19);
  for (int c = 0; c < 3; ++c)
    std::get<Launch>(plan.recording.calls[static_cast<std::size_t>(c)].nodes[0]).args[3] = integer(25);
  const TrialResult result = trial(plan);
  expect_one(result, "out_of_bounds");
  EXPECT_EQ(result.findings[0].details.at("argument"), "self");
  EXPECT_EQ(result.findings[0].details.at("call"), "1");
  EXPECT_EQ(result.findings[0].workload, "s1");
  EXPECT_EQ(result.findings[0].file, "mine.py");
}

TEST(Trial, AKernelMayNotWriteAnInput) {
  AddPlan plan(19);
  for (int c = 0; c < 3; ++c)
    std::get<Launch>(plan.recording.calls[static_cast<std::size_t>(c)].nodes[0]).args[2] = pointer(3 * c + 1);
  const TrialResult result = trial(plan);
  expect_one(result, "input_mutated");
  EXPECT_EQ(result.findings[0].details.at("argument"), "other");
}

TEST(Trial, HostCodeMayNotWriteAnInputEither) {
  AddPlan plan(19);
  Fill fill{view(0, DType::f32, {19}), std::vector<std::byte>(4), "aten::zero_"};
  plan.recording.calls[0].nodes.insert(plan.recording.calls[0].nodes.begin(), fill);
  const TrialResult result = trial(plan);
  expect_one(result, "input_mutated");
  EXPECT_NE(result.findings[0].message.find("aten::zero_"), std::string::npos);
}

TEST(Trial, AnInPlaceOperatorGivesItsArgumentAndItsReturnValue) {
  const AddPlan plan(19, 3, true);
  const TrialResult result = trial(plan);
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  ASSERT_EQ(result.outputs.size(), 6u);
  EXPECT_EQ(result.outputs[0].path, "return");
  EXPECT_EQ(result.outputs[1].path, "self");
  const auto self = made(plan, 0, "self"), other = made(plan, 0, "other");
  const auto out = floats(result.bytes_of(result.outputs[1]));
  for (std::size_t i = 0; i < 19; ++i) EXPECT_EQ(out[i], self[i] + other[i]);
  EXPECT_TRUE(result.outputs[1].written);
}

TEST(Trial, OneOutputBufferForAllCallsIsAnOverlap) {
  AddPlan plan(19);
  for (std::size_t c = 1; c < 3; ++c) {
    std::get<Launch>(plan.recording.calls[c].nodes[0]).args[2] = pointer(2);
    plan.recording.calls[c].outputs[0].view.at.buffer = 2;
  }
  expect_one(trial(plan), "output_overlap");
}

TEST(Trial, DisjointSlicesOfOneBufferAreNoOverlap) {
  AddPlan plan(16);
  plan.recording.buffers[2].bytes = 3 * 64;
  for (std::size_t c = 1; c < 3; ++c) {
    const auto offset = static_cast<std::int64_t>(64 * c);
    std::get<Launch>(plan.recording.calls[c].nodes[0]).args[2] = pointer(2, offset);
    plan.recording.calls[c].outputs[0].view.at = {2, offset};
  }
  EXPECT_TRUE(trial(plan).findings.empty());
}

TEST(Trial, AWorkspaceOfTheFirstCallKeepsItsContents) {
  AddPlan plan(19);
  // Call 1 also writes its sum into a workspace; call 2 returns a copy of that workspace.
  plan.recording.buffers.push_back({BufferKind::alloc, 4 * 19, 0, ""});
  plan.recording.calls[0].nodes.push_back(AddPlan::launch(0, 9, 19));
  Copy copy{view(5, DType::f32, {19}), view(9, DType::f32, {19}), "aten::copy_", "mine.py", 9};
  plan.recording.calls[1].nodes = {copy};
  const TrialResult result = trial(plan);
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  EXPECT_EQ(floats(result.bytes_of(result.outputs[1])), floats(result.bytes_of(result.outputs[0])));
  EXPECT_TRUE(result.outputs[1].written);  // by the launch of call 1
}

TEST(Trial, AnInputOfAnEarlierCallIsReadOnly) {
  AddPlan plan(19, 3, true);
  std::get<Launch>(plan.recording.calls[1].nodes[0]).args[2] = pointer(0);
  const TrialResult result = trial(plan);
  expect_one(result, "input_mutated");
  EXPECT_EQ(result.findings[0].details.at("argument"), "self of call 1");
}

// The inputs of calls 2 and 3 lie where those of the call before did.
AddPlan reusing(bool in_place = false) {
  AddPlan plan(19, 3, in_place);
  for (int c = 1; c < 3; ++c)
    for (int input = 0; input < 2; ++input)
      plan.recording.buffers[static_cast<std::size_t>(3 * c + input)].reuses = 3 * (c - 1) + input;
  return plan;
}

TEST(Trial, ReusedMemoryHoldsTheNewValues) {
  for (const bool in_place : {false, true}) {
    const TrialResult apart = trial(AddPlan(19, 3, in_place)), reused = trial(reusing(in_place));
    ASSERT_TRUE(reused.findings.empty()) << reused.findings[0].message;
    EXPECT_EQ(reused.blob, apart.blob);
    for (const TrialOutput& output : reused.outputs) EXPECT_TRUE(output.written);
  }
}

TEST(Trial, AnAddressThatHostCodeKeptIsThatOfTheInputWhichIsThereNow) {
  AddPlan plan = reusing();
  auto& args = std::get<Launch>(plan.recording.calls[2].nodes[0]).args;
  args[0] = pointer(0);
  args[1] = pointer(4);
  const TrialResult result = trial(plan);
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  EXPECT_EQ(result.blob, trial(AddPlan(19)).blob);
  args[2] = pointer(0);
  const TrialResult wrote = trial(plan);
  expect_one(wrote, "input_mutated");
  EXPECT_EQ(wrote.findings[0].details.at("argument"), "self");
}

TEST(Trial, UploadsHoldRealAddressesOfTheirTargets) {
  AddPlan plan(19, 1);
  plan.recording.kernels.push_back({"through",
                                    R"(module {
  tt.func public @through(%table: !tt.ptr<i64>, %out: !tt.ptr<f32>) {
    %address = tt.load %table : !tt.ptr<i64>
    %p = tt.int_to_ptr %address : i64 -> !tt.ptr<f32>
    %v = tt.load %p : !tt.ptr<f32>
    tt.store %out, %v : !tt.ptr<f32>
    tt.return
  }
}
)",
                                    {},
                                    {"*i64", "*fp32"},
                                    {"table", "out"}});
  plan.recording.buffers.push_back({BufferKind::alloc, 8, 0, ""});
  Upload upload{{3, 0}, std::vector<std::byte>(8), {{0, {0, 8}}}, "aten::_to_copy", "mine.py", 3};
  Launch launch;
  launch.kernel = 1;
  launch.args = {pointer(3), pointer(2)};
  plan.recording.calls[0].nodes = {upload, launch};
  plan.recording.calls[0].outputs[0].view.shape = {1};
  const TrialResult result = trial(plan);
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  EXPECT_EQ(floats(result.bytes_of(result.outputs[0]))[0], made(plan, 0, "self")[2]);
}

TEST(Trial, PointerArraysHoldTheAddressesOfTheirItems) {
  std::vector<Call> calls(1, Call{"cublas::x", "x", "s1", {}});
  calls[0].args.push_back({"A", PointerArray{{spec(DType::f32, {4}), spec(DType::f32, {4})}}, false});
  Recording recording;
  recording.target = "h200";
  recording.kernels.push_back({"second",
                               R"(module {
  tt.func public @second(%table: !tt.ptr<i64>, %out: !tt.ptr<f32>) {
    %c1_i32 = arith.constant 1 : i32
    %t = tt.addptr %table, %c1_i32 : !tt.ptr<i64>, i32
    %address = tt.load %t : !tt.ptr<i64>
    %p = tt.int_to_ptr %address : i64 -> !tt.ptr<f32>
    %v = tt.load %p : !tt.ptr<f32>
    tt.store %out, %v : !tt.ptr<f32>
    tt.return
  }
}
)",
                               {},
                               {"*i64", "*fp32"},
                               {"table", "out"}});
  recording.buffers = {{BufferKind::input, 16, 0, "A"},
                       {BufferKind::input, 16, 0, "A[0]"},
                       {BufferKind::input, 16, 0, "A[1]"},
                       {BufferKind::alloc, 4, 0, ""}};
  Launch launch;
  launch.args = {pointer(0), pointer(3)};
  RecordedCall recorded{{launch}, {}, {}, {returned(view(3, DType::f32, {1}))}, "tensor", {}};
  recording.calls = {recorded};
  Workshop workshop;
  const auto result = run_trial(recording, calls, {}, workshop);
  ASSERT_TRUE(result.ok());
  ASSERT_TRUE(result->findings.empty()) << result->findings[0].message;
  std::vector<std::byte> storage(16);
  generate(std::get<PointerArray>(calls[0].args[0].value).items[1], "A[1]", 0, 0, 0, storage);
  EXPECT_EQ(floats(result->bytes_of(result->outputs[0]))[0], floats(storage)[0]);
}

TEST(Trial, AModuleThatTheMachineCannotReadIsUnsupported) {
  AddPlan plan(19);
  plan.recording.kernels[0].ttir = "this is no module";
  expect_one(trial(plan), "vm_unsupported");
}

TEST(Trial, AnEndlessKernelReachesItsLimit) {
  AddPlan plan(19);
  plan.recording.kernels[0] = add_kernel(R"(    %c0_i32 = arith.constant 0 : i32
    %c1_i32 = arith.constant 1 : i32
    %e = scf.while (%v = %c0_i32) : (i32) -> i32 {
      %go = arith.cmpi sge, %v, %c0_i32 : i32
      scf.condition(%go) %v : i32
    } do {
    ^bb0(%w: i32):
      %z = arith.muli %w, %c0_i32 : i32
      scf.yield %z : i32
    }
)");
  TrialOptions options;
  options.max_steps = 10'000;
  expect_one(trial(plan, options), "step_limit");
  options.max_steps = 0;
  options.deadline = std::chrono::steady_clock::now();
  expect_one(trial(plan, options), "deadline");
}

TEST(Trial, MoreMemoryThanThereIsIsTheCandidatesFault) {
  AddPlan plan(19);
  plan.recording.buffers.push_back({BufferKind::alloc, std::int64_t{1} << 46, 0, ""});
  expect_one(trial(plan), "memory_limit");
}

// The sources of outputs: what policy builds on.
TEST(TrialSources, AnAnswerOfFillsAndCopiesHasNoLaunch) {
  AddPlan plan(19);
  Copy copy{view(2, DType::f32, {19}), view(0, DType::f32, {19}), "aten::clone", "mine.py", 1};
  plan.recording.calls[0].nodes = {copy};
  Fill fill{view(5, DType::f32, {19}), std::vector<std::byte>(4), "aten::zeros"};
  plan.recording.calls[1].nodes = {fill};
  const TrialResult result = trial(plan);
  ASSERT_TRUE(result.findings.empty());
  EXPECT_EQ(result.outputs[0].sources.copy, 19);
  EXPECT_FALSE(result.outputs[0].written);
  EXPECT_EQ(result.outputs[1].sources.fill, 19);
  EXPECT_FALSE(result.outputs[1].written);
  EXPECT_TRUE(result.outputs[2].written);
}

TEST(TrialSources, ADecoyLaunchDoesNotMakeACopyTheCandidatesWork) {
  AddPlan plan(19);
  plan.recording.buffers.push_back({BufferKind::alloc, 4 * 19, 0, ""});
  Copy copy{view(2, DType::f32, {19}), view(0, DType::f32, {19}), "aten::clone", "mine.py", 1};
  plan.recording.calls[0].nodes = {AddPlan::launch(0, 9, 19), copy};
  const TrialResult result = trial(plan);
  ASSERT_TRUE(result.findings.empty());
  EXPECT_FALSE(result.outputs[0].written);
  EXPECT_EQ(result.outputs[0].sources.copy, 19);
}

TEST(TrialSources, StoresOfTheValueThatWasThereAreSeen) {
  AddPlan plan(19);
  for (Call& call : plan.calls)
    for (Arg& arg : call.args) std::get<TensorSpec>(arg.value).domain = {"zeros", {}};
  for (std::size_t c = 0; c < 3; ++c) {  // zeros, then a kernel that stores 0 + 0
    Fill fill{view(static_cast<int>(3 * c + 2), DType::f32, {19}), std::vector<std::byte>(4), "aten::zeros"};
    plan.recording.calls[c].nodes.insert(plan.recording.calls[c].nodes.begin(), fill);
  }
  const TrialResult result = trial(plan);
  ASSERT_TRUE(result.findings.empty());
  for (const TrialOutput& output : result.outputs) {
    EXPECT_TRUE(output.written);
    EXPECT_EQ(output.sources.launch, 19);
    EXPECT_EQ(floats(result.bytes_of(output)), std::vector<float>(19, 0.0F));
  }
}

TEST(TrialSources, ACastOfALaunchesResultIsTheLaunches) {
  AddPlan plan(19, 1);
  plan.recording.buffers.push_back({BufferKind::alloc, 2 * 19, 0, ""});
  Copy cast{view(3, DType::f16, {19}), view(2, DType::f32, {19}), "aten::_to_copy", "mine.py", 1};
  plan.recording.calls[0].nodes.emplace_back(cast);
  plan.recording.calls[0].outputs[0].view = view(3, DType::f16, {19});
  const TrialResult result = trial(plan);
  ASSERT_TRUE(result.findings.empty());
  EXPECT_TRUE(result.outputs[0].written);
  EXPECT_EQ(result.outputs[0].bytes, 38u);
}

// The trial under the sanitizer.
std::vector<Finding> sanitized(const AddPlan& plan) {
  TrialOptions options;
  options.sanitize.emplace();
  return trial(plan, options).findings;
}

TEST(TrialSanitized, MemoryThatHostCodeHasFreedIsNotForKernels) {
  AddPlan plan(16, 1);
  plan.recording.buffers.push_back({BufferKind::alloc, 64, 0, ""});
  auto& nodes = plan.recording.calls[0].nodes;
  Launch second = AddPlan::launch(0, 2, 16);
  second.args[0] = pointer(3);
  nodes[0] = AddPlan::launch(0, 3, 16);
  nodes.emplace_back(second);
  for (const auto& [freed, findings] : {std::pair<int, std::size_t>{1, 1}, {2, 0}}) {
    plan.recording.buffers[3].freed = NodeRef{0, freed};
    const auto found = sanitized(plan);
    ASSERT_EQ(found.size(), findings) << freed;
    for (const Finding& finding : found) EXPECT_EQ(finding.kind, "use_after_free");
    EXPECT_TRUE(trial(plan).findings.empty());  // judging does not say so: the values are right
  }
}

TEST(TrialSanitized, AKernelThatRunsFromOneTensorIntoItsNeighbour) {
  AddPlan plan(32, 1);  // out[0:16] = self[0:16] + other[0:16], then out[16:32]
  auto& nodes = plan.recording.calls[0].nodes;
  const auto half = [&](std::int64_t at, std::int64_t n) {
    Launch launch = AddPlan::launch(0, 2, n);
    for (int b = 0; b < 3; ++b) {
      launch.args[static_cast<std::size_t>(b)] = pointer(b, 64 * at);
      launch.args[static_cast<std::size_t>(b)].part = view(b, DType::f32, {16}, 64 * at);
    }
    return launch;
  };
  nodes = {half(0, 16), half(1, 16)};
  EXPECT_TRUE(sanitized(plan).empty());
  nodes = {half(0, 17), half(1, 16)};
  const auto found = sanitized(plan);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0].kind, "out_of_bounds");
  EXPECT_NE(found[0].message.find("outside of the tensor 'x' of add_kernel"), std::string::npos)
      << found[0].message;
  EXPECT_TRUE(trial(plan).findings.empty());  // judging goes by storages
  nodes = {half(0, 32)};
  EXPECT_TRUE(sanitized(plan).empty());  // nobody else's tensor: a kernel may know more of the storage
}

}  // namespace
}  // namespace kgb::executor
