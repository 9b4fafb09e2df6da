// SPDX-License-Identifier: Apache-2.0
// The counters of the virtual machine: what launches computed, asked of memory and looped, and how often.
#pragma once

#include <memory>

#include "model/counters.hpp"
#include "vm/vm.hpp"

namespace kgb::vm {

struct CounterState;

// Counts the launches of one call, one after the other, over the same Memory. A run takes it in
// RunOptions::counter; its program must have been parsed with Build::counted.
class Counter {
 public:
  Counter();
  ~Counter();
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  // What the newest launch did, by names of regions; kernel, place and parameters are the caller's to add.
  // Forgets it but for the bytes that the call has touched.
  [[nodiscard]] LaunchCounters take(const Program& program, const Memory& memory);
  // Distinct bytes of a region in all launches taken so far.
  struct Unique {
    std::uint64_t read = 0, written = 0;
  };
  [[nodiscard]] Unique unique(int region) const;

  [[nodiscard]] CounterState& state() { return *state_; }

 private:
  std::unique_ptr<CounterState> state_;
};

}  // namespace kgb::vm
