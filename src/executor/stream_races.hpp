// SPDX-License-Identifier: Apache-2.0
// Two streams at the same memory: what the nodes of a call touched, compared where no wait orders two of
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/strided.hpp"
#include "model/launch_plan.hpp"
#include "model/verdict.hpp"
#include "vm/sanitize.hpp"

namespace kgb::executor {

class Machine;

// Which nodes of a call come before which, by their streams and waits.
class StreamOrder {
 public:
  explicit StreamOrder(const RecordedCall& call);
  [[nodiscard]] int stream(int node) const { return stream_[at(node)]; }
  // Some other node may run at the same time.
  [[nodiscard]] bool open(int node) const { return open_[at(node)]; }
  [[nodiscard]] bool before_return(int node) const;
  // The nodes before `node` in the list that nothing orders with it.
  [[nodiscard]] std::vector<int> unordered(int node) const;

 private:
  using Known = std::vector<int>;  // by stream: how many of its nodes come before
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  void follow(Known& known, int node) const;
  void mark_open();

  std::vector<int> stream_, position_;     // of each node; its place on the stream
  std::vector<std::vector<int>> streams_;  // the nodes of each
  std::vector<Known> known_;               // by node
  Known at_return_;
  std::vector<bool> open_;
};

// Addresses as ranges; sorted and merged once they are settled.
class ByteRanges {
 public:
  void add(std::uint64_t from, std::uint64_t to);
  void settle();
  [[nodiscard]] std::size_t size() const { return ranges_.size(); }
  // The first address that both hold.
  [[nodiscard]] std::optional<std::uint64_t> meets(const ByteRanges& other) const;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
  std::size_t limit_ = 4096;
};

// One call. Only what a node touched on the values of this trial is compared, not what its arguments could
// reach: two halves of one tensor on two streams are honest work.
class StreamRaces {
 public:
  StreamRaces(const RecordedCall& call, const Machine& machine);
  ~StreamRaces();
  // What is to be told of the node's accesses; nullptr: everything is ordered with it.
  [[nodiscard]] vm::Footprint* watch(int node);
  // A conflict of the node, which has run, with one before it.
  [[nodiscard]] std::optional<Finding> after(int node);
  // A node that the return of the call does not wait for.
  [[nodiscard]] std::optional<Finding> at_return() const;

 private:
  struct Touched;
  [[nodiscard]] std::string describe(int node) const;
  [[nodiscard]] Finding conflict(int node, int other, std::uint64_t address) const;

  const RecordedCall& call_;
  const Machine& machine_;
  StreamOrder order_;
  std::vector<std::unique_ptr<Touched>> touched_;  // by node, open ones only
  std::size_t ranges_ = 0;                         // of all of them
};

}  // namespace kgb::executor
