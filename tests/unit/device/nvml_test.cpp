// SPDX-License-Identifier: Apache-2.0
// NVML on its stand-in (tests/standin/nvml.cpp): what it tells, what it refuses, an old driver, none at all.
#include "device/cuda/nvml.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>

namespace kgb::device {
namespace {

using Strings = std::vector<std::string>;

class NvmlStandin : public testing::Test {
 protected:
  void SetUp() override { says(""); }
  void TearDown() override { says(""); }
  static void says(const char* state) { ::setenv("KGBENCH_STANDIN_NVML_STATE", state, 1); }
  static std::unique_ptr<Monitor> monitor(const char* library = KGB_STANDIN_NVML) {
    static std::vector<std::unique_ptr<cuda::Nvml>> loaded;
    auto nvml = cuda::Nvml::load(library);
    if (!nvml.ok()) return nullptr;
    loaded.push_back(std::make_unique<cuda::Nvml>(*nvml));
    auto opened = cuda::monitor_of(*loaded.back(), "0000:c1:00.0");
    return opened.ok() ? std::move(*opened) : nullptr;
  }
};

// Layouts of nvml.h (LP64).
TEST_F(NvmlStandin, StructsHaveTheLibrarysLayout) {
  EXPECT_EQ(sizeof(cuda::ProcessInfo), 24u);
  EXPECT_EQ(offsetof(cuda::ProcessInfo, memory_bytes), 8u);
  EXPECT_EQ(sizeof(cuda::LoadSample), 32u);
  EXPECT_EQ(offsetof(cuda::LoadSample, sm), 16u);
}

TEST_F(NvmlStandin, TellsClocksPowerAndHeat) {
  const auto m = monitor();
  ASSERT_NE(m, nullptr);
  Strings refused;
  const Reading reading = m->read(refused);
  EXPECT_TRUE(refused.empty());
  EXPECT_EQ(reading.sm_mhz, 1980);
  EXPECT_EQ(reading.memory_mhz, 3201);
  EXPECT_EQ(reading.power_w, 500);
  EXPECT_EQ(reading.temperature_c, 45);
  EXPECT_EQ(reading.throttled, Strings{}) << "idling is no throttling";
  EXPECT_EQ(m->facts().library_version, "999.1");
  EXPECT_EQ(m->facts().persistence, true);
  EXPECT_EQ(m->facts().application_sm_mhz, 1980);
}

TEST_F(NvmlStandin, NamesWhatHoldsTheClocksDown) {
  says("power_cap,thermal");
  Strings refused;
  EXPECT_EQ(monitor()->read(refused).throttled, (Strings{"power_cap", "hw_thermal"}));
}

TEST_F(NvmlStandin, WhatIsRefusedIsALineAndUnknown) {
  const auto m = monitor();
  says("forbidden");
  Strings refused;
  const Reading reading = m->read(refused);
  EXPECT_EQ(refused.size(), 5u);
  EXPECT_EQ(refused[0], "the SM clock: not permitted");
  EXPECT_FALSE(reading.sm_mhz || reading.throttled);
  EXPECT_EQ(m->energy_mj().error().message, "the energy: not permitted");
  EXPECT_EQ(m->processes().error().message, "processes on the device: not permitted");
}

TEST_F(NvmlStandin, AnOldDriverLacksSomeFunctionsAndTellsTheRest) {
  const auto m = monitor(KGB_STANDIN_OLD_NVML);
  ASSERT_NE(m, nullptr);
  Strings refused;
  EXPECT_EQ(m->read(refused).sm_mhz, 1980);
  EXPECT_TRUE(refused.empty());
  EXPECT_EQ(m->energy_mj().error().message, "the energy: not known to this driver");
  EXPECT_FALSE(m->processes().ok() || m->loads(0).ok());
  EXPECT_FALSE(m->facts().persistence.has_value());
}

TEST_F(NvmlStandin, LoadsAreThoseSinceTheGivenTime) {
  const auto m = monitor();
  EXPECT_TRUE(m->loads(1000)->empty()) << "no sample is no error";
  says("busy");
  const auto loads = m->loads(1000);
  ASSERT_EQ(loads->size(), 2u);
  EXPECT_EQ(loads->front().sm_percent, 37);
}

TEST_F(NvmlStandin, ADeviceThatItDoesNotKnowIsAnError) {
  const auto nvml = cuda::Nvml::load(KGB_STANDIN_NVML);
  const auto opened = cuda::monitor_of(*nvml, "0000:00:00.0");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().message, "NVML on the device at 0000:00:00.0: not found");
}

TEST_F(NvmlStandin, ALibraryThatIsNotThereOrAnotherOneIsALine) {
  EXPECT_EQ(cuda::Nvml::load("libnone.so.7").error().message, "libnone.so.7 could not be opened");
  EXPECT_NE(cuda::Nvml::load(KGB_STANDIN).error().message.find("is no NVML"), std::string::npos);
}

}  // namespace
}  // namespace kgb::device
