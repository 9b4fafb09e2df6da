// SPDX-License-Identifier: Apache-2.0
// A queue with a mutex and one condition.
#include "serve/work_queue.hpp"

#include <utility>

namespace kgb::serve {

WorkQueue::WorkQueue(std::size_t threads, std::size_t waiting) : capacity_(waiting), free_(threads) {
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

WorkQueue::~WorkQueue() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool WorkQueue::push(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.size() >= capacity_ + free_) return false;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_one();
  return true;
}

void WorkQueue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return closed_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    --free_;
    lock.unlock();
    job();
    lock.lock();
    ++free_;
  }
}

}  // namespace kgb::serve
