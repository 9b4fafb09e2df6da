// SPDX-License-Identifier: Apache-2.0
// Seats at devices: how candidates are spread, whose fault a failure is, and one lease for each device. No
// process is started.
#include "judge/station.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace kgb {
namespace {

// Devices whose probes say what the test wants.
class Devices : public testing::Test {
 protected:
  Stations make(int n) {
    std::vector<std::unique_ptr<Station>> stations;
    for (int i = 0; i < n; ++i) {
      Station::Parts parts{{"cuda", i},
                           {},
                           sandbox::Command(),
                           [] {
                             return Crew{sandbox::Worker(sandbox::Command()),
                                         sandbox::Worker(sandbox::Command()),
                                         sandbox::Worker(sandbox::Command())};
                           },
                           [] { return Result<Peaks>(host_error("none")); },
                           [this, i] {
                             ++probes;
                             return answers[static_cast<std::size_t>(i)];
                           },
                           4};
      parts.told.name = "X";
      stations.push_back(std::make_unique<Station>(std::move(parts)));
      answers.emplace_back(std::string());
    }
    return Stations(std::move(stations));
  }
  std::vector<Result<std::string>> answers;  // of each device's probe
  int probes = 0;
};

TEST_F(Devices, CandidatesAreSpread) {
  Stations all = make(2);
  Result<Seat> a = all.take(), b = all.take();
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->station().device().index, 0);
  EXPECT_EQ(b->station().device().index, 1);
  {
    const Seat freed = std::move(*a);
  }
  EXPECT_EQ(all.take()->station().device().index, 0) << "the idle one";
}

TEST_F(Devices, OneAfterTheOtherTheyTakeTurns) {
  Stations all = make(2);
  EXPECT_EQ(all.take()->station().device().index, 0);
  EXPECT_EQ(all.take()->station().device().index, 1);
}

TEST_F(Devices, WhereNothingFailedNobodyIsProbed) {
  Stations all = make(1);
  EXPECT_TRUE(all.take()->trusted());
  EXPECT_EQ(probes, 0);
}

TEST_F(Devices, ASoundDeviceIsTrustedAndTheCandidateIsNot) {
  Stations all = make(1);
  Result<Seat> seat = all.take(), other = all.take();
  seat->blame();
  other->blame();
  EXPECT_TRUE(seat->trusted());
  EXPECT_TRUE(other->trusted());
  EXPECT_EQ(probes, 1) << "a probe that began after both failures answers for both";
}

TEST_F(Devices, OneThatFailsItsProbesIsLeftOut) {
  Stations all = make(2);
  answers[0] = std::string("it burns");
  Result<Seat> seat = all.take();
  seat->blame();
  EXPECT_FALSE(seat->trusted());
  EXPECT_EQ(probes, 2) << "asked twice";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(all.take()->station().device().index, 1);
  EXPECT_EQ(all.left_out(), std::vector<std::string>{"device 0 (X) was left out: it burns"});
}

TEST_F(Devices, OneThatCouldNotBeAskedStays) {
  Stations all = make(1);
  answers[0] = host_error("no process could be started");
  Result<Seat> seat = all.take();
  seat->blame();
  EXPECT_TRUE(seat->trusted());
}

TEST_F(Devices, WithoutOneThereIsNoSeat) {
  Stations all = make(1);
  answers[0] = std::string("it burns");
  Result<Seat> seat = all.take();
  seat->blame();
  EXPECT_FALSE(seat->trusted());
  EXPECT_EQ(all.take().error().message,
            "no device is left: device 0 (X) was left out: it burns. Mend it (nvidia-smi tells its state), "
            "or judge "
            "on others with --devices");
}

// Each waits, with its device held alone, for the other to hold its own.
TEST_F(Devices, TwoDevicesAreTimedAtTheSameTime) {
  using namespace std::chrono_literals;
  Stations all = make(2);
  Result<Seat> seats[] = {all.take(), all.take()};
  std::promise<void> held[2];
  bool together[2] = {};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i)
    threads.emplace_back([&, i] {
      static_cast<void>(seats[i]->station().time([](Crew&) { return ok_status(); },
                                                 [&](Crew&) {
                                                   held[i].set_value();
                                                   auto other = held[1 - i].get_future();
                                                   together[i] =
                                                       other.wait_for(20s) == std::future_status::ready;
                                                   return ok_status();
                                                 }));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(together[0] && together[1]);
}

TEST_F(Devices, ATrialWaitsForATimingToEnd) {
  Stations all = make(1);
  Result<Seat> seat = all.take();
  Station& station = seat->station();
  std::atomic<bool> entered{false};
  std::thread trial;
  static_cast<void>(station.time([](Crew&) { return ok_status(); },
                                 [&](Crew&) {
                                   trial = std::thread([&] {
                                     const auto lock = station.share();
                                     entered = true;
                                   });
                                   std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                   EXPECT_FALSE(entered);
                                   return ok_status();
                                 }));
  trial.join();
  EXPECT_TRUE(entered);
}

}  // namespace
}  // namespace kgb
