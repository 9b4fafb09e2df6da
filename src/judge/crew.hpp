// SPDX-License-Identifier: Apache-2.0
// The processes that take part in one timing on a device, and a few such crews: while one measures, others
// can lay out memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "sandbox/worker.hpp"

namespace kgb {

// Each process starts when it is first asked.
struct Crew {
  sandbox::Worker executor;
  sandbox::Worker baseline;  // torch
  sandbox::Worker rival;     // another executor, for a baseline that is a candidate or a vendor's function

  // After an error any of them may stand in the middle of a series, and would answer the next candidate with
  // it.
  void stop() {
    for (sandbox::Worker* worker : {&executor, &baseline, &rival}) worker->stop();
  }
};

class CrewPool {
 public:
  CrewPool(std::function<Crew()> make, std::size_t size) : make_(std::move(make)), size_(size) {}
  // Waits for a free crew.
  void with(const std::function<void(Crew&)>& work);

 private:
  std::function<Crew()> make_;
  std::size_t size_, made_ = 0;
  std::vector<std::unique_ptr<Crew>> idle_;
  std::mutex mutex_;
  std::condition_variable freed_;
};

}  // namespace kgb
