// SPDX-License-Identifier: Apache-2.0
// Who is let in next, told by the order in which threads got in.
#include "judge/lease.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace kgb {
namespace {

// Threads that want the lease, begun one after the other; each writes its letter once it has it.
class Wanting {
 public:
  explicit Wanting(Lease& lease) : lease_(lease) {}
  ~Wanting() { join(); }
  Wanting(const Wanting&) = delete;
  Wanting& operator=(const Wanting&) = delete;

  void share(char letter) { begin(letter, false); }
  void alone(char letter) { begin(letter, true); }
  std::string order() {
    join();
    return order_;
  }
  std::string so_far() {
    const std::lock_guard lock(mutex_);
    return order_;
  }

 private:
  void begin(char letter, bool alone) {
    const std::size_t waiting = lease_.waiting(), in = so_far().size();
    threads_.emplace_back([this, letter, alone] {
      const Lease::Held held = alone ? lease_.alone() : lease_.share();
      EXPECT_FALSE(alone && inside_ != 0) << letter << " is not alone";
      ++inside_;
      {
        const std::lock_guard lock(mutex_);
        order_ += letter;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      --inside_;
    });
    while (lease_.waiting() == waiting && so_far().size() == in) std::this_thread::yield();
  }
  void join() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }

  Lease& lease_;
  std::mutex mutex_;
  std::string order_;
  std::atomic<int> inside_{0};
  std::vector<std::thread> threads_;
};

TEST(Lease, IsSharedByMany) {
  Lease lease;
  const Lease::Held one = lease.share(), other = lease.share();
  Wanting wanting(lease);
  wanting.share('s');
  EXPECT_EQ(wanting.order(), "s");
}

TEST(Lease, IsHeldAloneOnlyWhenNobodySharesIt) {
  Lease lease;
  Wanting wanting(lease);
  {
    const Lease::Held held = lease.share();
    wanting.alone('A');
    EXPECT_EQ(wanting.so_far(), "");
  }
  EXPECT_EQ(wanting.order(), "A");
}

TEST(Lease, LetsNobodyShareItPastWhoWantsItAlone) {
  Lease lease;
  Wanting wanting(lease);
  {
    const Lease::Held held = lease.share();
    wanting.alone('A');
    wanting.share('s');
    EXPECT_EQ(wanting.so_far(), "");
  }
  EXPECT_EQ(wanting.order(), "As");
}

TEST(Lease, GoesFromOneToTheNextOfThoseThatWantItAlone) {
  Lease lease;
  Wanting wanting(lease);
  {
    const Lease::Held held = lease.share();
    wanting.alone('A');
    wanting.share('s');
    wanting.alone('A');
    wanting.share('s');
    wanting.alone('A');
  }
  EXPECT_EQ(wanting.order(), "AAAss");
}

// Who asks for it alone while it is held alone waits for those that wanted to share it before.
TEST(Lease, IsSharedBetweenTwoPhasesAlone) {
  Lease lease;
  Wanting wanting(lease);
  {
    const Lease::Held held = lease.alone();
    wanting.share('s');
    wanting.alone('A');
    wanting.share('s');
  }
  EXPECT_EQ(wanting.order(), "ssA");
}

TEST(Lease, LosesNobody) {
  Lease lease;
  std::atomic<int> inside{0}, done{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 500; ++i) {
        const bool alone = (i + t) % 3 == 0;
        const Lease::Held held = alone ? lease.alone() : lease.share();
        const int others = inside++;
        EXPECT_FALSE(alone && others != 0);
        ++done;
        --inside;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 8 * 500);
}

}  // namespace
}  // namespace kgb
