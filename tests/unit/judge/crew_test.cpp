// SPDX-License-Identifier: Apache-2.0
// Crews are made on demand, up to the size of the pool, and used again.
#include "judge/crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace kgb {
namespace {

sandbox::Worker worker() {
  sandbox::Command never_started;
  never_started.argv = {"/bin/false"};
  return sandbox::Worker(never_started);
}

class Crews : public testing::Test {
 protected:
  std::atomic<int> made_{0};
  CrewPool pool_{[this] {
                   ++made_;
                   return Crew{worker(), worker(), worker()};
                 },
                 2};
};

TEST_F(Crews, OneAtATimeIsOneCrew) {
  Crew* first = nullptr;
  pool_.with([&](Crew& crew) { first = &crew; });
  pool_.with([&](Crew& crew) { EXPECT_EQ(&crew, first); });
  EXPECT_EQ(made_, 1);
}

TEST_F(Crews, TwoAtATimeAreTwo) {
  pool_.with([&](Crew& outer) { pool_.with([&](Crew& inner) { EXPECT_NE(&outer, &inner); }); });
  EXPECT_EQ(made_, 2);
}

TEST_F(Crews, AThirdWaitsForOneOfThem) {
  std::atomic<bool> released{false};
  std::thread third;
  pool_.with([&](Crew&) {
    pool_.with([&](Crew&) {
      third = std::thread([&] { pool_.with([&](Crew&) { EXPECT_TRUE(released); }); });
      std::this_thread::yield();
      released = true;
    });
  });
  third.join();
  EXPECT_EQ(made_, 2);
}

}  // namespace
}  // namespace kgb
