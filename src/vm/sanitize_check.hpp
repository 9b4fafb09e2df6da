// SPDX-License-Identifier: Apache-2.0
// One sanitized launch: the state that its instrumented operations share, and what they ask of it.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vm/access.hpp"
#include "vm/sanitize_shadow.hpp"

namespace kgb::vm {

// What instrumentation learnt about a kernel before it ran.
struct KernelFacts {
  std::vector<std::uint8_t> written;  // by parameter: a store or atomic may go through it
  bool writes_anywhere = false;       // a store goes through a pointer of unknown origin
  bool synchronises = false;          // an atomic's result is used: it may order program instances
  bool masked_without_other = false;  // a masked load whose inactive lanes are undefined
  bool float_atomics = false;
  std::vector<int> undefined_loads;  // places of masked loads without `other`
};

// What the order of program instances is known from: releases and acquires of single atomic locations. An
// instance is a row of segments, each ended by an atomic operation that may order.
class Ordering {
 public:
  void clear(std::uint32_t first);
  std::uint32_t segment(std::int64_t instance);  // a new one, numbered on from `first`
  [[nodiscard]] std::int64_t owner(std::uint32_t segment) const { return owners_[segment - first_]; }
  void release(std::uint64_t address, std::uint32_t segment) { log_[address].push_back(segment); }
  void acquire(std::uint64_t address, std::uint32_t segment);
  // Everything in segment `a` happened before the start of segment `b`, or both are of one instance.
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b);

 private:
  struct Acquired {
    std::uint64_t address = 0;
    std::size_t length = 0;  // releases of the address that were seen
    std::uint32_t segment = 0;
  };
  std::uint32_t first_ = 0;
  std::vector<std::int64_t> owners_;  // by segment
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> log_;
  std::unordered_map<std::int64_t, std::vector<Acquired>> acquired_;  // by instance
  std::uint32_t asked_a_ = 0, asked_b_ = 0;
  bool answer_ = false;
};

// A row of accesses: `count` elements of `bytes`, `stride` bytes apart, from `offset` of the buffer.
struct Row {
  std::int64_t offset = 0, count = 1, stride = 0;
  std::size_t bytes = 4;
  std::int64_t tile = 0, tile_stride = 0;  // which elements of the tile
};

class LaunchCheck;
class Turns;

// Lanes of a value that wrapped as 32-bit integers, or come from one that did.
struct Wrapped {
  std::vector<std::uint8_t> lanes;
  int place = 0;
  std::string text;  // "65536 * 32768"
};

// State of one frame.
struct FrameCheck {
  LaunchCheck* launch = nullptr;
  std::int64_t number = -1;  // of the program instance that `me` belongs to
  std::uint32_t me = 0;
  Turns* turns = nullptr;     // nullptr: nobody waits for anybody
  std::uint64_t read_at = 0;  // the newest read of one element: what a loop waits for
  std::size_t read_bytes = 0;
  std::unordered_map<int, Wrapped> wrapped;  // by value
  std::int64_t wrapped_number = -1;          // of the program instance that they belong to
};

class LaunchCheck {
 public:
  LaunchCheck(Sanitizer& sanitizer, const ProgramImpl& program, const Memory& memory,
              const std::vector<int>& argument_regions, const std::array<std::int64_t, 3>& grid,
              std::int64_t total);
  ~LaunchCheck();

  [[nodiscard]] const Checks& checks() const { return state_.checks; }
  // Whether accesses are of interest at all.
  [[nodiscard]] bool shadows() const {
    return state_.checks.races || state_.checks.uninitialised || state_.checks.overflow ||
           state_.footprint != nullptr;
  }
  // The frame's tag; begins a segment when its program instance is new.
  std::uint32_t tag(Frame& frame);

  // A load from there can only be out of bounds: the launch does not write it, and all of it is written.
  [[nodiscard]] bool only_bounds(int region) const;
  // Every access is announced here before it is made and after its bounds were checked.
  void load(Frame& frame, const Instruction& made, int region, const Row& row);
  void store(Frame& frame, const Instruction& made, int region, const Row& row, int value);
  enum class AtomicUse : std::uint8_t { update, read, overwrite };  // read: a volatile load
  void atomic(Frame& frame, const Instruction& made, int region, std::int64_t offset, std::size_t bytes,
              AtomicUse use);
  // An atomic on one location orders: called after it was done.
  void order(Frame& frame, std::uint64_t address, bool acquires, bool releases);

  [[nodiscard]] UndefinedValue variant() const { return state_.variant; }
  void divided_by_zero(const Instruction& made);

  // Memory changed, which a waiting instance may see.
  std::uint64_t changes = 0;

  // Writes a finding unless the same was written before; the instance goes on.
  void report(Frame& frame, const Instruction& made, std::string kind, std::string message, int region,
              std::int64_t offset, std::vector<std::string> notes);
  // The buffer around `offset` in words and one row of cells.
  [[nodiscard]] std::vector<std::string> picture(int region, std::int64_t offset, std::size_t bytes);
  // Gives findings of out-of-bounds accesses their picture.
  void add_picture(Frame& frame, std::size_t bytes);
  [[nodiscard]] std::string program_text(std::int64_t number) const;

 private:
  struct Conflict {
    enum class Kind : std::uint8_t {
      none,
      uninitialised,
      with_store,
      with_atomic,
      with_load
    } kind = Kind::none;
    std::uint32_t other = 0;  // the word
  };
  // The shadow to look at; nullptr: the access is none of the tensor's, and was reported.
  RegionShadow* enter(Frame& frame, const Instruction& made, int region, const Row& row, Verb verb);
  // The access goes through a pointer to a part: true if it leaves that for another tensor; reported.
  bool leaves_part(Frame& frame, const Instruction& made, int region, const Row& row, Verb verb);
  [[nodiscard]] std::uint32_t first(const RegionShadow& shadow) const {
    return shadow.tracked ? first_ : kNoLaunch;
  }
  [[nodiscard]] bool asks_init(const RegionShadow& shadow) const {
    return state_.checks.uninitialised && !shadow.whole;
  }
  bool excused(std::uint32_t word, std::uint32_t me);
  Conflict of_load(const RegionShadow& shadow, std::size_t g, std::uint32_t me, bool atomic_read);
  Conflict of_store(const RegionShadow& shadow, std::size_t g, std::uint32_t me, bool atomic);
  void explain(Frame& frame, const Instruction& made, int region, std::int64_t offset, std::size_t bytes,
               Verb verb, const Conflict& conflict);
  [[nodiscard]] std::string who(std::uint32_t word) const;

  SanitizerState& state_;
  const ProgramImpl& program_;
  const Memory& memory_;
  const KernelFacts& facts_;
  bool compare_ = true;  // races are looked for
  std::uint32_t first_ = kNoLaunch;
  std::int64_t total_ = 0;
  std::array<std::int64_t, 3> grid_;
  std::vector<RegionShadow*> shadows_;  // by region; nullptr: nothing to check there
  Ordering ordering_;
};

}  // namespace kgb::vm
