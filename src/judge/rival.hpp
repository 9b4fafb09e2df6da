// SPDX-License-Identifier: Apache-2.0
// A candidate as the baseline of another: its calls recorded for the same workloads, its plan timed in an
// executor of its own. A C++ one is compiled and called in a process of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

class Rival {
 public:
  // Records what JudgeRequest::baseline_source does on these workloads of the case, which must outlive it; a
  // C++ one is compiled. An Error is the host's; what is wrong with the baseline is told by `request` and
  // `time`.
  static Result<std::unique_ptr<Rival>> record(const Case& open, const std::vector<Job*>& jobs,
                                               Processes& processes, const Catalogue& catalogue);
  Rival(const Rival&) = delete;
  Rival& operator=(const Rival&) = delete;

  // The timed trial of a workload. Error: why it cannot be timed.
  [[nodiscard]] Result<TrialRequest> request(const std::string& workload, int trial, Processes& processes);
  // One timed call of a C++ baseline on cold caches, in seconds; with `verify` its outputs are compared, too.
  // Error: why there is no time.
  [[nodiscard]] Result<double> time(const std::string& workload, const ValueSet& set, bool verify,
                                    Processes& processes);
  [[nodiscard]] Job* job_of(const std::string& workload);
  [[nodiscard]] const Case& opened() const { return case_; }
  [[nodiscard]] const std::string& name() const { return request_.file; }

 private:
  Rival(const Case& open, JudgeRequest request);
  JudgeRequest request_;  // the case refers to it
  Case case_;
};

// The first finding that speaks against a baseline, in a line; nullopt: none does.
[[nodiscard]] std::optional<std::string> fault_in(const std::vector<Finding>& findings);

}  // namespace kgb
