// SPDX-License-Identifier: Apache-2.0
// Where every byte of the arena comes from: a launch, a fill, a copy of an input, host bytes, or nowhere.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "executor/strided.hpp"
#include "model/launch_plan.hpp"
#include "model/trial.hpp"

namespace kgb::executor {

class Machine;

// Theory of operation. One shadow byte per byte of every buffer. Fills, copies and uploads set it as they
// run. The VM does not report its stores, so a launch is seen by its effect: bytes that differ afterwards
// were written. A store of the value that was there already leaves no trace; where the outputs of a call are
// not explained without such stores, the call is run again from its start, and before each launch a rehearsal
// is run in which the bytes in question hold their complement: a byte that is not its complement afterwards
// was written. The rehearsal's own effects are undone. A kernel whose stores depend on the complemented bytes
// can escape this; it then reads what it overwrites.
//
// Behind a read, host code knows something of the values, and where it puts what can spell an answer:
// generated constants, fills of a part of an allocation, and copies into a part of what no launch wrote count
// as host bytes from there to the end of the call. One fill or copy of a whole allocation spells nothing.
class Provenance {
 public:
  enum class Source : std::uint8_t { none, input, fill, copy, upload, launch };

  Provenance(const Recording& recording, Machine& machine);

  // Buffers of the call come to life: inputs hold input values, allocations nothing.
  void begin_call(int call);
  // Around a launch, and after any other node.
  void before_launch(const Launch& launch);
  void after_launch();
  void after(const Node& node);
  // How the elements of a view came about.
  [[nodiscard]] WriteSources count(const View& view) const;
  // Runs the nodes of the call once more with rehearsals, then puts the memory back as it is now.
  // `steps` are the steps that each launch of the call took.
  void explain(const RecordedCall& call, const std::vector<std::uint64_t>& steps);

 private:
  using Image = std::vector<std::vector<std::byte>>;  // one vector per buffer alive
  // Whether the launch was handed a pointer into the buffer; true for all once addresses travel through
  // memory.
  [[nodiscard]] bool in_reach(const Launch& launch, std::size_t buffer) const;
  // Writable buffers that the launch can reach; all of them without one.
  [[nodiscard]] Image save(const Launch* launch = nullptr) const;
  void restore(const Image& image);
  // Buffers that outputs lie in or are copied from: only their bytes are complemented, since a kernel may
  // need the others to run at all (indices, addresses).
  void find_targets(const RecordedCall& call);
  void rehearse(const Launch& launch, std::uint64_t max_steps);
  void mark(const View& view, Source source);
  void mark(const Copy& copy);
  [[nodiscard]] bool whole(const View& view) const;
  [[nodiscard]] Strided shadow_of(const View& view, std::int64_t byte) const;

  const Recording& recording_;
  Machine& machine_;
  bool addresses_in_memory_ = false;
  std::vector<std::vector<std::uint8_t>> shadow_;  // empty for inputs that nothing may write
  std::vector<std::vector<std::uint8_t>> shadow_at_start_;
  Image at_start_, before_;
  std::set<std::size_t> targets_;
  int call_ = 0;
  bool read_ = false;  // host code has read something in this call
};

}  // namespace kgb::executor
