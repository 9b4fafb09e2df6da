// SPDX-License-Identifier: Apache-2.0
// The sanitizer of the virtual machine: what its runs look for beyond bounds, and its memory of launches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "vm/vm.hpp"

namespace kgb::vm {

struct Checks {
  bool races = true;          // between program instances of one launch
  bool uninitialised = true;  // reads of bytes that nothing has written
  bool overflow = true;       // 32-bit integers that wrap on their way into an address
  bool waits = true;          // loops that wait for other programs; without it they run into the step limit
};

// Is told of everything that a launch touches, for those who compare launches.
class Footprint {
 public:
  virtual ~Footprint() = default;
  // `count` elements of `bytes`, `stride` bytes apart.
  virtual void touched(const std::byte* first, std::int64_t count, std::int64_t stride, std::size_t bytes,
                       Verb verb) = 0;
};

struct SanitizerState;

// Shadow memory that outlives a launch. One per trial; a run takes it in RunOptions::sanitizer and then runs
// on one thread. The program must have been parsed with Build::checked.
class Sanitizer {
 public:
  explicit Sanitizer(Checks checks = {});
  ~Sanitizer();
  Sanitizer(const Sanitizer&) = delete;
  Sanitizer& operator=(const Sanitizer&) = delete;

  [[nodiscard]] const Checks& checks() const;
  // Memory that nothing has written yet. Memory that was never named here counts as written.
  void allocate(const std::byte* start, std::size_t bytes);
  // The allocation is over: every later access is a finding.
  void release(const std::byte* start);
  // The host wrote these bytes.
  void define(const std::byte* at, std::size_t bytes);
  // Whether something has written all of these bytes.
  [[nodiscard]] bool defined(const std::byte* at, std::size_t bytes) const;
  // Whether something has written all of the allocation, so that nobody need ask again.
  [[nodiscard]] bool whole(const std::byte* start) const;

  // Also tells `footprint` of every access from now on; nullptr ends that.
  void watch(Footprint* footprint);

  [[nodiscard]] SanitizerState& state() { return *state_; }

 private:
  std::unique_ptr<SanitizerState> state_;
};

}  // namespace kgb::vm
