// SPDX-License-Identifier: Apache-2.0
// Threads that do work in order of its arrival, with a bounded number of jobs that wait.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kgb::serve {

class WorkQueue {
 public:
  WorkQueue(std::size_t threads, std::size_t waiting);
  // Does what still waits, then ends: whoever wants jobs to end soon stops them before.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // False: as many jobs wait as may. A job must not throw.
  [[nodiscard]] bool push(std::function<void()> job);
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  void work();

  std::size_t capacity_, free_;  // threads that have nothing to do: what they take up does not wait
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace kgb::serve
