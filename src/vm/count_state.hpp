// SPDX-License-Identifier: Apache-2.0
// What counted runs share: what instrumentation knows of a program, a thread's counts, and bytes seen so far.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "model/counters.hpp"
#include "vm/access.hpp"
#include "vm/program.hpp"

namespace kgb::vm {

using WorkSum = std::map<std::pair<WorkKind, std::string>, std::uint64_t>;

// The arithmetic of a block is known from its types, so that a run only counts how often it is run.
struct CountPlan {
  struct Loop {
    int place = 0;
    std::size_t outside = 0, body = 0;  // blocks: what the loop stands in, what a trip runs
  };
  struct Site {  // a load, store or atomic
    int place = 0;
    Verb verb = Verb::load;
    std::size_t bytes = 4;  // of an element
    int mask = -1;          // which operand
  };
  std::vector<WorkSum> blocks;  // of one run
  std::vector<Loop> loops;
  std::vector<Site> sites;
};

// Which bytes of a buffer were touched.
class Coverage {
 public:
  explicit Coverage(std::size_t bytes) : words_((bytes + 63) / 64) {}
  void mark(std::int64_t from, std::int64_t bytes, bool shared);  // shared: other threads mark, too
  void merge(const Coverage& other);
  [[nodiscard]] std::uint64_t count() const;

 private:
  std::vector<std::uint64_t> words_;
};

// By region, and whether it was written or read.
using Coverages = std::map<std::pair<int, bool>, Coverage>;

struct CounterState;

// One thread's part of a launch.
struct FrameCount {
  FrameCount(const CountPlan& plan, CounterState& all, int regions)
      : counter(&all),
        blocks(plan.blocks.size()),
        sites(plan.sites.size()),
        coverage(2 * static_cast<std::size_t>(regions)) {}
  struct OnRegion {
    int region = -1;
    Traffic traffic;
  };
  CounterState* counter;
  std::vector<std::uint64_t> blocks;         // runs
  std::vector<std::vector<OnRegion>> sites;  // mostly one region each
  std::vector<Coverage*> coverage;           // read and written, by region; null until the thread touches it

  [[nodiscard]] Traffic& traffic(std::size_t site, int region);
  [[nodiscard]] Coverage& covered(const Memory& memory, int region, bool written);
};

struct CounterState {
  std::mutex mutex;
  std::uint64_t programs = 0;
  std::vector<std::uint64_t> blocks;
  std::map<std::pair<std::size_t, int>, Traffic> traffic;  // by site and region
  Coverages launch, call;

  void add(const FrameCount& part);
};

// Puts counting handlers before those of memory and at the start of blocks. Between lower() and analyse().
void instrument_counts(ProgramImpl& program);
// Adds what `times` runs of an operation compute, its region apart, to `sum`.
void add_work(const ProgramImpl& program, const RawOp& op, const Instruction& made, std::uint64_t times,
              WorkSum& sum);

namespace counted {
void run_block(Frame& frame, const Instruction& made);
void run_access(Frame& frame, const Instruction& made);      // load, store, atomics
void run_descriptor(Frame& frame, const Instruction& made);  // load, store, reduce of a block
void run_rows(Frame& frame, const Instruction& made);        // gather, scatter
}  // namespace counted

}  // namespace kgb::vm
