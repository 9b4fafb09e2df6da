// SPDX-License-Identifier: Apache-2.0
// Work that is the same for many items, spread over threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace kgb {

// f(0) .. f(count - 1), each once, on `lanes` threads; after a false no more are begun.
template <typename F>
void on_lanes(int lanes, std::size_t count, F f) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> stopped{false};
  const auto work = [&] {
    for (std::size_t i = next++; i < count && !stopped; i = next++)
      if (!f(i)) stopped = true;
  };
  std::vector<std::thread> threads;
  for (int lane = 1; lane < lanes; ++lane) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace kgb
