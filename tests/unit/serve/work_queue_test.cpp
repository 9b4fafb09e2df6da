// SPDX-License-Identifier: Apache-2.0
// Jobs run in order, as many wait as may, and the end waits for them.
#include "serve/work_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace kgb::serve {
namespace {

TEST(WorkQueue, DoesEveryJobInOrderBeforeItEnds) {
  std::vector<int> done;
  {
    WorkQueue queue(1, 100);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(queue.push([&done, i] { done.push_back(i); }));
  }
  ASSERT_EQ(done.size(), 100u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(WorkQueue, TakesNoMoreThanMayWait) {
  std::promise<void> gate;
  const std::shared_future<void> opened = gate.get_future().share();
  std::promise<void> running;
  std::atomic<int> done{0};
  {
    WorkQueue queue(1, 2);
    ASSERT_TRUE(queue.push([&] {
      running.set_value();
      opened.wait();
      ++done;
    }));
    running.get_future().wait();
    EXPECT_TRUE(queue.push([&] { ++done; }));
    EXPECT_TRUE(queue.push([&] { ++done; }));
    EXPECT_FALSE(queue.push([&] { ++done; }));
    gate.set_value();
  }
  EXPECT_EQ(done, 3);
}

TEST(WorkQueue, RunsAsManyAtATimeAsItHasThreads) {
  std::promise<void> first, second;
  WorkQueue queue(2, 0);
  ASSERT_TRUE(queue.push([&] {
    first.set_value();
    second.get_future().wait();  // would never come on one thread
  }));
  first.get_future().wait();
  EXPECT_TRUE(queue.push([&] { second.set_value(); }));
}

}  // namespace
}  // namespace kgb::serve
