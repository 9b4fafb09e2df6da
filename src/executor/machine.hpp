// SPDX-License-Identifier: Apache-2.0
// The state of a running trial and the execution of single nodes on it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "executor/arena.hpp"
#include "executor/counting.hpp"
#include "executor/device_side.hpp"
#include "executor/neighbours.hpp"
#include "executor/provenance.hpp"
#include "executor/strided.hpp"
#include "executor/trial.hpp"

namespace kgb::executor {

class Machine {
 public:
  Machine(const Recording& recording, const std::vector<Call>& calls, const TrialOptions& options,
          ProgramCache& programs, Arena& arena);

  // Values of the call's inputs, addresses into its pointer arrays, the regions that its kernels may touch.
  void begin_call(int call);
  // Runs one node of the current call. A finding ends the trial.
  [[nodiscard]] std::optional<Finding> execute(const Node& node);
  // Tells the sanitizer, if there is one, which allocations the host code has let go of before this node.
  void free_before(const NodeRef& node);
  // Whether launches can tell what they touch: those that run on a device or are counted cannot.
  [[nodiscard]] bool can_watch() const { return !device_ && !counting_; }
  // Launches from now on tell `footprint` what they touch; nullptr ends that.
  void watch(vm::Footprint* footprint);
  // The same launch, only to see what it writes: findings are dropped, counters untouched, steps limited.
  void rehearse(const Launch& launch, std::uint64_t max_steps);

  [[nodiscard]] Strided at(const View& view) const;
  // The elements of a view in row-major order.
  [[nodiscard]] std::vector<std::byte> elements(const View& view) const;
  [[nodiscard]] std::uint64_t address(const BufferRef& ref) const { return arena_.address(ref); }
  // Buffer and byte of an address; (-1, 0): none.
  [[nodiscard]] std::pair<int, std::int64_t> find(std::uint64_t address) const;
  [[nodiscard]] std::string name_of_node(const Node& node) const;  // "kernel softmax", "aten::fill_"
  // "self", "self of call 1", "output return", "temporary 3".
  [[nodiscard]] std::string name_of_buffer(int buffer) const;
  [[nodiscard]] const TensorSpec* spec_of(int buffer) const;  // of an input; nullptr: a pointer array
  // The call may write the buffer: allocations, and inputs of this call that the schema lets it write.
  [[nodiscard]] bool writable(int buffer) const;
  [[nodiscard]] std::optional<int> input_buffer(int call, const std::string& path) const;

  [[nodiscard]] const TrialCounters& counters() const { return counters_; }
  // Findings of the newest launch beyond the one that execute() gave; only with a sanitizer.
  [[nodiscard]] std::vector<Finding> take_further() { return std::exchange(further_, {}); }
  [[nodiscard]] std::uint64_t last_steps() const { return last_steps_; }
  // The nodes of a whole call on a device, timed; or the vendor's function, where the trial has one.
  [[nodiscard]] std::optional<Finding> time(const std::vector<Node>& nodes);
  // The current call by the vendor's function.
  [[nodiscard]] std::optional<Finding> call_vendor();
  // Name and version of the library that this trial's calls were made by; "": of none.
  [[nodiscard]] const std::string& library() const { return library_; }
  // After a call on a device: an input that the call may not write, or an earlier call's, and that changed.
  [[nodiscard]] std::optional<Finding> check_inputs();
  [[nodiscard]] Arena& arena() { return arena_; }

 private:
  // The memory of inputs that are gone becomes that of the current call's inputs which reuse it.
  void hand_on_memory();
  // The vendor's function with the arguments of the current call.
  Result<std::unique_ptr<device::VendorCall>> bind_vendor();
  std::optional<Finding> run(const Launch& launch);
  std::optional<Finding> run(const Fill& fill);
  std::optional<Finding> run(const Copy& copy);
  std::optional<Finding> run(const Upload& upload);
  std::optional<Finding> run(const Constant& constant);
  std::optional<Finding> run(const Read& read);
  std::optional<Finding> check_writable(const BufferRef& dst, const std::string& op, const std::string& file,
                                        int line) const;
  std::vector<vm::Arg> arguments(const Launch& launch);
  vm::Arg pointer(const Launch& launch, std::size_t argument, const BufferRef& ref);
  // Tells the sanitizer what the host wrote; `src`: what it wrote is as defined as what was copied.
  void note_written(const Strided& dst, const Strided* src = nullptr);
  Finding to_finding(const vm::VmFinding& found, const Launch& launch) const;
  vm::RunOptions run_options(const Launch& launch) const;
  [[nodiscard]] vm::Options choices() const;
  [[nodiscard]] vm::Build build() const {
    if (sanitizer_ || footprint_ != nullptr) return vm::Build::checked;
    return counting_ ? vm::Build::counted : vm::Build::plain;
  }

  const Recording& recording_;
  const std::vector<Call>& calls_;
  const TrialOptions& options_;
  ProgramCache& programs_;
  Arena& arena_;
  vm::Memory memory_;
  std::unique_ptr<vm::Sanitizer> sanitizer_;
  std::unique_ptr<DeviceSide> device_;
  std::unique_ptr<Counting> counting_;
  // Checks nothing: lets a footprint see launches that are not sanitized.
  std::unique_ptr<vm::Sanitizer> watcher_;
  vm::Footprint* footprint_ = nullptr;
  std::unique_ptr<Neighbours> neighbours_;           // only with a sanitizer
  std::multimap<std::pair<int, int>, int> to_free_;  // by call and node; only with a sanitizer
  std::vector<Finding> further_;
  std::vector<int> regions_;  // region of each buffer; -1: not in reach of the current call
  std::vector<int> owners_;   // who has each buffer's memory now: itself, or the input that reuses it
  std::vector<std::optional<TensorSpec>> specs_;
  int call_ = 0;
  std::string library_;
  TrialCounters counters_;
  std::uint64_t last_steps_ = 0;
};

// Where the candidate asked for a node; line 0: not known.
[[nodiscard]] std::pair<std::string, int> place_of(const Node& node);
// A finding of gate correct.
[[nodiscard]] Finding make_finding(std::string kind, std::string message);

}  // namespace kgb::executor
