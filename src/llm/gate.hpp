// SPDX-License-Identifier: Apache-2.0
// At most so many calls at a time; whoever comes later waits.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "base/clock.hpp"

namespace kgb::llm {

class Gate {
 public:
  explicit Gate(int most) : free_(most) {}
  // False: `stop` was set first.
  bool pass(const std::atomic<bool>& stop) {
    constexpr Millis kSlice{20};  // between looks at the flag
    std::unique_lock hold(mutex_);
    while (free_ <= 0 && !stop) freed_.wait_for(hold, kSlice);
    if (stop) return false;
    --free_;
    return true;
  }
  void leave() {
    {
      const std::lock_guard hold(mutex_);
      ++free_;
    }
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  int free_;
};

}  // namespace kgb::llm
