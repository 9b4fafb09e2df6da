// SPDX-License-Identifier: Apache-2.0
// A trial: the recorded calls of one workload, each on fresh values, in one arena. docs/contracts/trial.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "executor/arena.hpp"
#include "executor/device_side.hpp"
#include "model/call.hpp"
#include "model/counters.hpp"
#include "model/launch_plan.hpp"
#include "model/trial.hpp"
#include "vm/sanitize_launch.hpp"
#include "vm/vm.hpp"

namespace kgb::executor {

// Parsed kernels by the hash of their text; bounded, the whole is dropped when full.
class ProgramCache {
 public:
  // nullptr: the VM cannot read the module; `why` says so.
  [[nodiscard]] const vm::Program* find(const std::string& ttir, std::string& why,
                                        vm::Build build = vm::Build::plain);

 private:
  std::unordered_map<std::string, Result<vm::Program>> programs_[vm::kBuilds];
};

// What outlives a trial: nothing that a candidate can see.
struct Workshop {
  ProgramCache programs;
  ArenaMemory memory;
};

// What the sanitizer looks for besides bounds.
struct Sanitizing {
  vm::Checks checks;
  vm::LaunchChecks launch;
};

struct TrialOptions {
  std::uint64_t seed = 0;
  int trial = 0;
  int poison = 0;  // index into kPatterns
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  int threads = 1;
  vm::Order order = vm::Order::forward;
  std::uint64_t max_steps = 0;   // of one launch; 0: no limit
  bool track_writes = true;      // fill in TrialOutput::sources and written
  bool flush_denormals = false;  // vm::Options
  // One thread, and all findings of the launch that ended the trial rather than the first.
  std::optional<Sanitizing> sanitize;
  // Launches run on this device instead of the VM; `images` are the recording's kernels as its code.
  DeviceState* device = nullptr;
  const std::vector<KernelImage>* images = nullptr;
  // Calls are made by this function of the vendor's library instead of the recording's nodes; only with a
  // device. The recording then holds the inputs alone: recording_of_inputs().
  std::string vendor;
  // The last call becomes a graph and is timed; only with a device.
  TimeSeries series;
  // Filled with the counters of each call; not with a sanitizer.
  std::vector<CallCounters>* counters = nullptr;
};

// What a trial of a vendor's function has for a recording: the calls' tensors and pointer arrays.
[[nodiscard]] Recording recording_of_inputs(const std::vector<Call>& calls);

// Runs the trial. `recording` has been validated against `calls` (recording_from_json). Every fault of the
// candidate is a finding; an Error is the executor's own.
[[nodiscard]] Result<TrialResult> run_trial(const Recording& recording, const std::vector<Call>& calls,
                                            const TrialOptions& options, Workshop& workshop);

}  // namespace kgb::executor
