// SPDX-License-Identifier: Apache-2.0
// What conditions make of a timing, and when energy is unknown. Devices are the stand-ins.
#include "judge/conditions.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace kgb {
namespace {

Timing faster() {
  Timing timing;
  timing.ratio = 2;
  timing.call = "faster";
  return timing;
}

Timing under(std::vector<std::string> throttled, std::vector<ForeignProcess> foreign = {}) {
  Conditions conditions;
  conditions.sm_mhz = Sampled{1980, 810, 810, 1980};
  conditions.throttled = std::move(throttled);
  conditions.foreign = std::move(foreign);
  Timing timing = faster();
  note_conditions(timing, std::move(conditions));
  return timing;
}

TEST(NoteConditions, ThePowerCapIsToldAndChangesNothing) {
  const Timing timing = under({"power_cap", "application_clocks"});
  EXPECT_EQ(timing.call, "faster");
  EXPECT_EQ(timing.conditions->throttled->size(), 2u);
}

TEST(NoteConditions, HeatMakesItCannotTell) {
  for (const char* reason : {"hw_thermal", "sw_thermal", "hw_slowdown", "power_brake"}) {
    const Timing timing = under({"power_cap", reason});
    EXPECT_EQ(timing.call, "cannot tell") << reason;
    EXPECT_EQ(timing.ratio, 2) << "the number stays beside the reason";
  }
  EXPECT_EQ(
      under({"hw_thermal"}).why,
      "the device was slowed down while this was timed: thermal slowdown by the hardware; SM clock 810 to "
      "1980 MHz");
}

TEST(NoteConditions, AnotherProcessCountsWhenItComputes) {
  EXPECT_EQ(under({}, {{7, 100, std::nullopt}}).call, "faster") << "it may do nothing";
  EXPECT_EQ(under({}, {{7, 100, 0}}).call, "faster");
  const Timing timing = under({}, {{7, 100, 0}, {8, 100, 30}});
  EXPECT_EQ(timing.call, "cannot tell");
  EXPECT_EQ(timing.why, "process 8, none of kgbench's, computed on the device meanwhile: up to 30 % of it");
}

TEST(NoteConditions, AReasonThatIsThereAlreadyStays) {
  Timing timing;
  timing.call = "cannot tell";
  timing.why = "the operator has no baseline on this chip";
  Conditions conditions;
  conditions.throttled = std::vector<std::string>{"hw_thermal"};
  note_conditions(timing, conditions);
  EXPECT_EQ(timing.why, "the operator has no baseline on this chip");
}

class EnergyOfCall : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ::setenv("KGBENCH_CUDA_LIBRARY", KGB_STANDIN, 1);
    ::setenv("KGBENCH_NVML_LIBRARY", KGB_STANDIN_NVML, 1);
  }
  void TearDown() override { ::unsetenv("KGBENCH_STANDIN_NVML_STATE"); }
  static Call call(bool mutated) {
    Call call;
    TensorSpec self;
    self.mutated = mutated;
    call.args.push_back({"self", self, false});
    return call;
  }
  // 100 replays a second for as long as asked.
  Result<Energy> of(bool mutated, double seconds) {
    return energy_of_call(monitor, call(mutated), seconds, [&](int ms) -> Result<Sustained> {
      ++replays;
      std::this_thread::sleep_for(std::chrono::milliseconds(ms));
      return Sustained{ms / 10, 1e-3 * ms};
    });
  }
  DeviceMonitor monitor{DeviceChoice{"cuda", 0}};
  int replays = 0;
};

TEST_F(EnergyOfCall, IsThePowerBetweenStepsTimesTheTimeOfAReplay) {
  ASSERT_NE(monitor.get(), nullptr) << monitor.missing();
  const auto energy = of(false, 1e-2);
  ASSERT_TRUE(energy.ok() && energy->call_mj) << energy->why;
  EXPECT_GT(*energy->call_mj, 3500) << "500 W for 10 ms";
  EXPECT_LT(*energy->call_mj, 6500);
}

TEST_F(EnergyOfCall, IsUnknownWhereReplaysWouldNotBeTheCall) {
  EXPECT_NE(of(true, 1e-2)->why.find("changes its inputs"), std::string::npos);
  EXPECT_NE(of(false, 2e-6)->why.find("shorter than 10 us"), std::string::npos);
  EXPECT_EQ(replays, 0);
}

TEST_F(EnergyOfCall, IsUnknownWhereTheCounterStandsOrIsRefused) {
  ::setenv("KGBENCH_STANDIN_NVML_STATE", "still", 1);
  EXPECT_NE(of(false, 1e-2)->why.find("too coarse"), std::string::npos);
  ::setenv("KGBENCH_STANDIN_NVML_STATE", "forbidden", 1);
  EXPECT_EQ(of(false, 1e-2)->why, "the energy: not permitted");
  EXPECT_EQ(replays, 1) << "a counter that says nothing is not waited for";
}

TEST_F(EnergyOfCall, AFailedReplayIsTheTimingsError) {
  const auto energy = energy_of_call(
      monitor, call(false), 1e-2, [](int) -> Result<Sustained> { return host_error("the device is gone"); });
  ASSERT_FALSE(energy.ok());
  EXPECT_EQ(energy.error().message, "the device is gone");
}

TEST_F(EnergyOfCall, WithoutAMonitorEverythingIsUnknownInOneLine) {
  const DeviceMonitor none{DeviceChoice{"abacus", 0}};
  EXPECT_EQ(none.get(), nullptr);
  TimingWatch watch(none);
  const Conditions seen = watch.end();
  ASSERT_EQ(seen.unknown.size(), 1u);
  EXPECT_FALSE(seen.sm_mhz || seen.foreign);
}

}  // namespace
}  // namespace kgb
