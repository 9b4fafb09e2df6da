// SPDX-License-Identifier: Apache-2.0
// The judge's side of a candidate's process in in-process mode: asks for calls, compares what it claims. The
// process gets values, and neither seeds nor expected values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "judge/case.hpp"
#include "judge/expectations.hpp"
#include "judge/processes.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

class DeviceHost {
 public:
  // Starts the locked process and imports `candidate.py` of the workspace. What the candidate does wrong
  // becomes a finding of the case, and the result is null. An Error is the host's: no device in there, for
  // one.
  static Result<std::shared_ptr<DeviceHost>> load(Case& open, TempDir workspace, Processes& processes);

  // Lays out the arguments of the job's workload. False: the job has a finding now. So with all that follow.
  [[nodiscard]] Result<bool> begin(const Case& open, Job& job);
  // One call by host code on the values of the set, compared with the oracle. Rows of the census are added to
  // `census`.
  [[nodiscard]] Result<bool> call(const Case& open, Job& job, const ValueSet& set, Processes& processes,
                                  std::vector<CensusRow>& census);
  // Records the call as a graph. nullopt: the job has a finding; else why it cannot be recorded, empty where
  // it is.
  [[nodiscard]] Result<std::optional<std::string>> record(const Case& open, Job& job);
  // One replay of the graph on the values of the set, over poisoned outputs; compared.
  [[nodiscard]] Result<bool> replay(const Case& open, Job& job, const ValueSet& set, Processes& processes);
  // From here on the process answers requests for samples.
  [[nodiscard]] Result<bool> ready(const Case& open, Job& job);
  [[nodiscard]] sandbox::Worker& worker() { return worker_; }
  // Seconds by triton.testing.do_bench. Error: why there are none.
  [[nodiscard]] Result<double> do_bench();

 private:
  struct Reply;
  DeviceHost(sandbox::Worker worker, TempDir workspace, const Processes& processes, std::string backend);
  // Starts the process and imports the candidate: what the candidate did wrong.
  Result<std::optional<Finding>> start(const Case& open);
  Result<std::optional<Reply>> ask(const Case& open, Job& job, const std::string& request,
                                   const std::vector<std::byte>& values);
  Result<bool> judge(const Case& open, Job& job, const ValueSet& set, const Reply& reply,
                     Processes& processes);
  Result<bool> judge_outputs(const Case& open, Job& job, const ValueSet& set, const Reply& reply,
                             const Expectation& expectation);

  sandbox::Worker worker_;
  TempDir workspace_;
  Millis limit_;
  std::string load_;     // the request that imports the candidate, for a process that had to be started again
  std::string backend_;  // of the device
  std::string target_;   // the chip card's name
};

// Of a process's answer to the request `do_bench`.
[[nodiscard]] Result<double> published_seconds(const std::string& text);

}  // namespace kgb
