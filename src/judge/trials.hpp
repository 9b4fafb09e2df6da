// SPDX-License-Identifier: Apache-2.0
// Runs the trials of one workload and holds their outputs against the oracle.
#pragma once

#include <functional>

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

// Called for each output of each call that was compared: for statistics.
using OutputVisitor =
    std::function<void(int call, const TrialOutput&, std::span<const std::byte>, const ExpectedOutput&)>;

enum class Where { vm, device };
// What the candidate is judged on.
[[nodiscard]] inline Where home_of(const Case& open) {
  return open.on_device() ? Where::device : Where::vm;
}
struct TrialSpec {
  int number = 0;  // of the value set
  Where where = Where::vm;
  // On the device after the VM, with the same values: another pattern around and in the buffers, and what
  // wrote the outputs is known already.
  bool after_vm = false;
};
// Whether every tensor that is only read is empty: a sum of nothing is 0, and there is nothing to launch.
[[nodiscard]] bool reads_nothing(const Call& call);
// One trial of the job. Findings go to the job; false when one ended it.
[[nodiscard]] Result<bool> judge_trial(const Case& open, Job& job, TrialSpec trial, Processes& processes,
                                       const OutputVisitor& visit = {});
// Compares one output; what is wrong becomes a finding of the job. True when it is right. Class random has no
// values to compare and is always right here. `poison`: the pattern that unwritten memory held, by its
// number.
[[nodiscard]] Result<bool> judge_output(const Case& open, Job& job, int call, const TrialOutput& output,
                                        std::span<const std::byte> bytes, const ExpectedOutput& expected,
                                        std::optional<int> poison);
// Whether these findings may say no more than that the VM lacks something.
[[nodiscard]] bool are_limits_of_vm(std::span<const Finding> findings);
// Trial 0 on the VM, which watches every access. It knows fewer operations than a device, and more slowly:
// what it could not run is no fault where a device is the candidate's home, and the verdict says that nobody
// watched. True: the workload may go on.
[[nodiscard]] Result<bool> judge_on_vm(const Case& open, Job& job, Processes& processes,
                                       const OutputVisitor& visit = {});
// The bytes of the read that the recording ends with, on the values of the trial. nullopt: the job has
// findings instead.
[[nodiscard]] Result<std::optional<std::vector<std::byte>>> wanted_bytes(const Case& open, Job& job,
                                                                         TrialSpec trial,
                                                                         Processes& processes);
// The request of a timed trial on the device; nullopt: a kernel does not compile, which is a finding of the
// job.
[[nodiscard]] Result<std::optional<TrialRequest>> timed_request(const Case& open, Job& job, int trial,
                                                                Processes& processes);
// The same calls made by the vendor's function that the card names: a baseline, which has no recording.
[[nodiscard]] TrialRequest vendor_request(const Case& open, const Job& job, const TrialRequest& candidate);
// The same where the candidate has no plan.
[[nodiscard]] TrialRequest vendor_request(const Case& open, const Job& job, int trial,
                                          const Processes& processes);
// The same for an entry that returns a Python number: the plan itself holds it.
[[nodiscard]] Result<bool> judge_number(const Case& open, Job& job, int call, const ExpectedOutput& expected);
// Contract of every recorded call, as the values of `trial` make it, without running anything.
[[nodiscard]] Status judge_contract(const Case& open, Job& job, int trial, Processes& processes);

}  // namespace kgb
