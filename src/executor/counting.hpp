// SPDX-License-Identifier: Apache-2.0
// Counters of the calls of a trial, put together launch by launch.
#pragma once

#include <memory>
#include <vector>

#include "model/call.hpp"
#include "model/counters.hpp"
#include "model/launch_plan.hpp"
#include "vm/count.hpp"

namespace kgb::executor {

class Counting {
 public:
  explicit Counting(std::vector<CallCounters>& calls) : calls_(calls) {}

  void begin_call(const Call& call, int number);
  // For RunOptions.
  [[nodiscard]] vm::Counter* counter() { return counter_.get(); }
  // After a launch; `regions`: of each buffer of the recording.
  void take(const Launch& launch, const Kernel& kernel, const vm::Program& program, const vm::Memory& memory,
            const std::vector<int>& regions);
  void note_copy() { ++calls_.back().copies; }

 private:
  std::vector<CallCounters>& calls_;
  std::unique_ptr<vm::Counter> counter_;  // of the current call
};

}  // namespace kgb::executor
