// SPDX-License-Identifier: Apache-2.0
// Watching a device: what becomes of its samples, who else is there, and energy from a counter in steps.
#include "device/watch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace kgb::device {
namespace {

// A monitor that tells what the test sets.
class Told : public Monitor {
 public:
  std::vector<double> sm{1980};  // sample after sample, the last again and again
  Result<std::vector<DeviceProcess>> list = std::vector<DeviceProcess>{{1, 100}};
  Result<std::vector<ProcessLoad>> load = std::vector<ProcessLoad>();
  std::vector<std::string> throttled;
  double watts = 0;  // of the energy counter, which steps every 20 ms
  [[nodiscard]] MonitorFacts facts() const override { return {}; }
  [[nodiscard]] Reading read(std::vector<std::string>& refused) const override {
    const std::size_t at = next_++;
    refused.emplace_back("the power: not permitted");
    return {sm[std::min(at, sm.size() - 1)], 3201, std::nullopt, 40, throttled};
  }
  [[nodiscard]] Result<double> energy_mj() const override {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now().time_since_epoch());
    return watts * static_cast<double>(ms.count() / 20 * 20);
  }
  [[nodiscard]] Result<std::vector<DeviceProcess>> processes() const override { return list; }
  [[nodiscard]] Result<std::vector<ProcessLoad>> loads(std::uint64_t /*since_us*/) const override {
    return load;
  }

 private:
  mutable std::atomic<std::size_t> next_ = 0;
};

Conditions watched(const Monitor& monitor) {
  Watch watch(monitor, [](std::int64_t pid) { return pid == 1; });
  return watch.end();
}

TEST(Watch, KeepsStartEndAndExtremes) {
  Told told;
  told.sm = {1980, 1500};
  told.throttled = {"power_cap"};
  const Conditions seen = watched(told);
  EXPECT_GE(seen.samples, 2);
  ASSERT_TRUE(seen.sm_mhz);
  EXPECT_EQ(seen.sm_mhz->first, 1980);
  EXPECT_EQ(seen.sm_mhz->last, 1500);
  EXPECT_EQ(seen.sm_mhz->least, 1500);
  EXPECT_EQ(seen.sm_mhz->most, 1980);
  EXPECT_EQ(seen.throttled, std::vector<std::string>{"power_cap"});
  EXPECT_FALSE(seen.power_w);
  EXPECT_EQ(seen.unknown, std::vector<std::string>{"the power: not permitted"}) << "once, not once a sample";
}

TEST(Watch, OtherProcessesAreThoseThatAreNotKgbenchs) {
  Told told;
  EXPECT_TRUE(watched(told).foreign->empty());
  told.list = std::vector<DeviceProcess>{{1, 100}, {7, 5}, {8, std::nullopt}};
  told.load = std::vector<ProcessLoad>{{7, 12}, {7, 30}, {1, 90}};
  const Conditions seen = watched(told);
  ASSERT_EQ(seen.foreign->size(), 2u);
  EXPECT_EQ(seen.foreign->front().pid, 7);
  EXPECT_EQ(seen.foreign->front().memory_bytes, 5);
  EXPECT_EQ(seen.foreign->front().sm_percent, 30);
  EXPECT_EQ(seen.foreign->back().sm_percent, 0);
}

TEST(Watch, AListWithoutKgbenchsOwnProcessesSaysNothing) {
  Told told;
  for (const std::vector<DeviceProcess>& list :
       {std::vector<DeviceProcess>{}, std::vector<DeviceProcess>{{900, 5}}}) {
    told.list = list;
    const Conditions seen = watched(told);
    EXPECT_FALSE(seen.foreign);
    EXPECT_NE(seen.unknown.back().find("does not list kgbench's own"), std::string::npos);
  }
  told.list = host_error("processes on the device: not permitted");
  EXPECT_EQ(watched(told).unknown.back(), "processes on the device: not permitted");
}

TEST(Watch, AProcessWhoseLoadIsNotToldIsThereAllTheSame) {
  Told told;
  told.list = std::vector<DeviceProcess>{{1, 100}, {7, 5}};
  told.load = host_error("the load of processes: not supported on this device");
  const Conditions seen = watched(told);
  EXPECT_FALSE(seen.foreign->front().sm_percent);
  EXPECT_EQ(seen.unknown.back(), "the load of processes: not supported on this device");
}

// A counter that steps by 10 J every 50 ms, polled every 10 ms.
std::vector<EnergyPoll> steps(double seconds) {
  std::vector<EnergyPoll> polls;
  for (int i = 0; 0.01 * i < seconds; ++i) polls.push_back({0.01 * i, 10'000.0 * (i / 5)});
  return polls;
}

TEST(MeanPower, IsTakenBetweenTheStepsOfTheCounter) {
  const auto watts = mean_power(steps(0.5), 0.1);
  ASSERT_TRUE(watts.ok()) << watts.error().message;
  EXPECT_NEAR(*watts, 200, 1e-6);
}

TEST(MeanPower, StepsThatLieTooNearAreUnknown) {
  for (const double seconds : {0.05, 0.12, 0.2}) {
    const auto watts = mean_power(steps(seconds), 0.1);
    ASSERT_FALSE(watts.ok()) << seconds;
    EXPECT_NE(watts.error().message.find("too coarse"), std::string::npos);
  }
  EXPECT_FALSE(mean_power({}, 0).ok());
}

TEST(MeanPower, PollsWhileTheWorkGoesOn) {
  Told told;
  told.watts = 300;
  bool done = false;
  const auto watts = mean_power_during(told, 0.02, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    done = true;
  });
  EXPECT_TRUE(done);
  ASSERT_TRUE(watts.ok()) << watts.error().message;
  EXPECT_GT(*watts, 200);
  EXPECT_LT(*watts, 400);
}

}  // namespace
}  // namespace kgb::device
