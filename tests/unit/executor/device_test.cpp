// SPDX-License-Identifier: Apache-2.0
// Trials on a device: what the VM guarantees by construction is checked here, and a timed call is judged like
// any other. The device is the driver's stand-in (tests/standin), so that this runs everywhere.
#include <gtest/gtest.h>

#include <cstdlib>

#include "device/bandwidth.hpp"
#include "executor/trial.hpp"
#include "plans.hpp"

namespace kgb::executor {
namespace {

using namespace plans;

class DeviceTrial : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("KGBENCH_CUDA_LIBRARY", KGB_STANDIN, 1);
    auto opened = device::open_runtime("cuda", 0);
    ASSERT_TRUE(opened.ok()) << opened.error().message;
    runtime = opened->release();
  }

  // Images of the plan's kernels: on the stand-in, code is TTIR.
  static std::vector<KernelImage> images_of(const Recording& recording) {
    std::vector<KernelImage> images;
    for (const Kernel& kernel : recording.kernels) {
      KernelImage image;
      image.entry = kernel.name;
      const auto text = std::as_bytes(std::span(kernel.ttir.c_str(), kernel.ttir.size() + 1));
      image.code.assign(text.begin(), text.end());
      images.push_back(std::move(image));
    }
    return images;
  }

  TrialResult trial(const AddPlan& plan, TimeSeries series = {}, int poison = 0) {
    const std::vector<KernelImage> images = images_of(plan.recording);
    TrialOptions options;
    options.device = &state;
    options.images = &images;
    options.series = std::move(series);
    options.poison = poison;
    Workshop workshop;
    auto result = run_trial(plan.recording, plan.calls, options, workshop);
    if (result.ok()) return *std::move(result);
    ADD_FAILURE() << result.error().message;
    return {};
  }

  static TrialResult on_the_vm(const AddPlan& plan) {
    Workshop workshop;
    return *run_trial(plan.recording, plan.calls, {}, workshop);
  }

  static TimeSeries samples(int bursts, std::vector<double>& out) {
    return [&out, bursts](const Replays& replays) -> Status {
      for (int i = 0; i < bursts; ++i) {
        KGB_TRY(const std::vector<double> ns, replays.sample(3));
        out.insert(out.end(), ns.begin(), ns.end());
      }
      return ok_status();
    };
  }

  static inline device::Runtime* runtime = nullptr;
  DeviceState state{*runtime};
};

TEST_F(DeviceTrial, GivesWhatTheMachineGives) {
  const AddPlan plan(1000);
  const TrialResult result = trial(plan);
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  EXPECT_EQ(result.blob, on_the_vm(plan).blob);
  EXPECT_TRUE(result.outputs[0].written);
  EXPECT_EQ(result.counters.launches, 3u);
}

TEST_F(DeviceTrial, AnInputThatAKernelWroteIsFoundByComparison) {
  AddPlan plan(19);
  for (int c = 0; c < 3; ++c)
    std::get<Launch>(plan.recording.calls[static_cast<std::size_t>(c)].nodes[0]).args[2] = pointer(3 * c + 1);
  const TrialResult result = trial(plan);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "input_mutated");
  EXPECT_EQ(result.findings[0].details.at("argument"), "other");
}

TEST_F(DeviceTrial, AnInputOfAnEarlierCallIsReadOnlyToo) {
  AddPlan plan(19, 3, true);
  std::get<Launch>(plan.recording.calls[1].nodes[0]).args[2] = pointer(0);
  const TrialResult result = trial(plan);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "input_mutated");
  EXPECT_EQ(result.findings[0].details.at("argument"), "self of call 1");
}

TEST_F(DeviceTrial, AWriteBeyondABufferHitsItsRedZone) {
  AddPlan plan(19);
  std::get<Launch>(plan.recording.calls[1].nodes[0]).args[3] = integer(21);
  // The sum of two NaNs of 0xFF is that NaN again; the next value set's pattern does not hide the write.
  EXPECT_TRUE(trial(plan, {}, 0).findings.empty());
  const TrialResult result = trial(plan, {}, 1);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "red_zone");
  EXPECT_EQ(result.findings[0].details.at("call"), "2");
}

TEST_F(DeviceTrial, TheTimedCallIsJudgedByItsLastReplay) {
  // In place: replays that did not start from the same memory would add up.
  const AddPlan plan(50, 3, true);
  std::vector<double> ns;
  const TrialResult result = trial(plan, samples(4, ns));
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  EXPECT_EQ(ns.size(), 12u);
  EXPECT_EQ(result.blob, on_the_vm(plan).blob);
}

TEST_F(DeviceTrial, ReplaysBackToBackLeaveTheJudgedOutputsAlone) {
  const AddPlan plan(50, 3, true);  // in place: each replay would add once more
  Sustained done;
  const TrialResult result = trial(plan, [&](const Replays& replays) -> Status {
    KGB_TRY(done, replays.sustain(std::chrono::milliseconds(5)));
    return ok_status();
  });
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  EXPECT_GT(done.replays, 1);
  EXPECT_GE(done.seconds, 5e-3);
  EXPECT_EQ(result.blob, on_the_vm(plan).blob);
}

TEST_F(DeviceTrial, TheBandwidthIsMeasuredAndItsMemoryGivenBack) {
  const auto made = device::measure_bandwidth(*runtime);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_GT(made->copy, 1e6);
  EXPECT_GT(made->read, 1e6);
  EXPECT_LT(made->copy, 1e15);
}

TEST_F(DeviceTrial, ATracedReplayTellsItsNodesApart) {
  ::setenv("KGBENCH_CUPTI_LIBRARY", KGB_STANDIN, 1);
  const AddPlan plan(50);
  std::vector<device::NodeTime> nodes;
  const TrialResult result = trial(plan, [&nodes](const Replays& replays) -> Status {
    KGB_TRY(nodes, replays.trace());
    return ok_status();
  });
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  ASSERT_EQ(nodes.size(), 1u);
  EXPECT_EQ(nodes[0].name, plan.recording.kernels[0].name);
  EXPECT_EQ(nodes[0].start_ns, 0);
  EXPECT_GT(nodes[0].ns, 0);
  EXPECT_EQ(result.blob, on_the_vm(plan).blob);
}

TEST_F(DeviceTrial, HostNodesOfATimedCallAreReplayed) {
  AddPlan plan(12, 3, true);
  // The timed call adds to `self`: a constant, then a transposed copy of an upload, then what a fill left.
  for (RecordedCall& call : plan.recording.calls) {
    const int c = static_cast<int>(&call - plan.recording.calls.data());
    const int base = static_cast<int>(plan.recording.buffers.size());
    for (int i = 0; i < 3; ++i) plan.recording.buffers.push_back({BufferKind::alloc, 48, c, ""});
    const auto add = [&](int buffer) {
      Launch launch = AddPlan::launch(c, 3 * c, 12);
      launch.args[1] = pointer(buffer);
      return launch;
    };
    std::vector<float> numbers(12);
    for (std::size_t i = 0; i < 12; ++i) numbers[i] = static_cast<float>(i * i);
    const auto bytes = std::as_bytes(std::span(numbers));
    View transposed = view(base + 1, DType::f32, {3, 4});
    transposed.strides = {1, 3};
    const float seven = 7;
    const auto value = std::as_bytes(std::span(&seven, 1));
    call.nodes.push_back(Constant{"arange", view(base, DType::f32, {12}), {0.5, 2}});
    call.nodes.push_back(add(base));
    call.nodes.push_back(
        Upload{{base + 2, 0}, {bytes.begin(), bytes.end()}, {}, "aten::_to_copy", "mine.py", 3});
    call.nodes.push_back(Copy{view(base + 1, DType::f32, {3, 4}), view(base + 2, DType::f32, {3, 4}),
                              "aten::copy_", "mine.py", 4});
    call.nodes.push_back(Copy{view(base, DType::f32, {3, 4}), transposed, "aten::copy_", "mine.py", 5});
    call.nodes.push_back(add(base));
    View every_second = view(base + 2, DType::f32, {6});
    every_second.strides = {2};
    call.nodes.push_back(Fill{every_second, {value.begin(), value.end()}, "aten::fill_"});
    call.nodes.push_back(add(base + 2));
  }
  std::vector<double> ns;
  const TrialResult result = trial(plan, samples(1, ns));
  ASSERT_TRUE(result.findings.empty()) << result.findings[0].message;
  EXPECT_EQ(result.blob, on_the_vm(plan).blob);
}

TEST_F(DeviceTrial, WhatCannotBeTimedSaysWhy) {
  AddPlan plan(19);
  plan.recording.buffers.push_back({BufferKind::alloc, 38, 2, ""});
  plan.recording.calls[2].nodes.push_back(
      Copy{view(9, DType::f16, {19}), view(8, DType::f32, {19}), "aten::_to_copy", "mine.py", 9});
  std::vector<double> ns;
  const TrialResult result = trial(plan, samples(1, ns));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "untimed");
  EXPECT_NE(result.findings[0].message.find("aten::_to_copy"), std::string::npos);
  EXPECT_TRUE(ns.empty());
}

TEST_F(DeviceTrial, CodeThatTheDriverDoesNotTakeIsRefused) {
  AddPlan plan(19);
  plan.recording.kernels[0].ttir = "nonsense";
  const TrialResult result = trial(plan);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "device_refused");
  EXPECT_FALSE(state.lost);
}

TEST_F(DeviceTrial, SharedMemoryBeyondTheDevicesIsRefusedBeforeTheLaunch) {
  const AddPlan plan(19);
  std::vector<KernelImage> images = images_of(plan.recording);
  images[0].shared_bytes = 300'000;
  images[0].code.push_back(std::byte{0});  // another kernel than the other tests' to the cache of modules
  TrialOptions options;
  options.device = &state;
  options.images = &images;
  Workshop workshop;
  const auto result = run_trial(plan.recording, plan.calls, options, workshop);
  ASSERT_TRUE(result.ok() && result->findings.size() == 1);
  EXPECT_EQ(result->findings[0].kind, "device_refused");
  EXPECT_NE(result->findings[0].message.find("232448"), std::string::npos);
}

// Last: the stand-in, like a device, answers nothing more after it.
TEST_F(DeviceTrial, ZAFaultTakesTheContext) {
  AddPlan plan(19);
  std::get<Launch>(plan.recording.calls[0].nodes[0]).args[0] = pointer(-1);
  const TrialResult result = trial(plan);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].kind, "device_fault");
  EXPECT_EQ(result.findings[0].file, "mine.py");
  EXPECT_TRUE(state.lost);
}

}  // namespace
}  // namespace kgb::executor
