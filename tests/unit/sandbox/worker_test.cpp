// SPDX-License-Identifier: Apache-2.0
// Workers that do not answer are given up, at the deadline or when nobody wants the answer; the next one is
// fresh.
#include "sandbox/worker.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace kgb::sandbox {
namespace {

// Reads nothing and says nothing.
Command silent() {
  Command command;
  command.argv = {"/bin/sh", "-c", "exec sleep 100000"};
  command.environment = {"PATH=/usr/bin:/bin"};
  return command;
}

TEST(Worker, IsLostAtTheDeadline) {
  Worker worker(silent());
  const Result<Answer> answer = worker.ask("{}", {}, Millis(50));
  ASSERT_TRUE(answer.ok());
  ASSERT_TRUE(answer->loss.has_value());
  EXPECT_EQ(answer->loss->end, FrameEnd::deadline);
}

TEST(Worker, IsLostWhenNobodyWantsTheAnswerAnyMore) {
  Worker worker(silent());
  std::atomic<bool> stop{false};
  std::thread other([&] { stop = true; });
  const Result<Answer> answer = worker.ask("{}", {}, Millis(std::chrono::hours(1)), {}, &stop);
  other.join();
  ASSERT_TRUE(answer.ok());
  ASSERT_TRUE(answer->loss.has_value());
  EXPECT_EQ(answer->loss->end, FrameEnd::deadline);
}

TEST(Worker, OfAPoolIsFreeForTheNextAfterAStop) {
  WorkerPool pool(silent(), 1);
  const std::atomic<bool> stop{true};
  for (int i = 0; i < 3; ++i) {
    const Result<Answer> answer = pool.ask("{}", {}, Millis(std::chrono::hours(1)), {}, &stop);
    ASSERT_TRUE(answer.ok());
    EXPECT_TRUE(answer->loss.has_value());
  }
}

}  // namespace
}  // namespace kgb::sandbox
