// SPDX-License-Identifier: Apache-2.0
// The judge's side of a native candidate's process: loads the library, calls it, compares what it claims.
#pragma once

#include <memory>
#include <string>

#include "base/files.hpp"
#include "judge/case.hpp"
#include "judge/processes.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

class NativeHost {
 public:
  // Starts the locked process and loads `candidate.so` of the workspace. What the candidate does wrong
  // becomes a finding of the case, and the result is null.
  static Result<std::shared_ptr<NativeHost>> load(const JudgeSetup& setup, sandbox::LockSpec lock,
                                                  TempDir workspace, Case& open);

  // One call on the values of `set`, compared with the oracle; findings go to the job.
  [[nodiscard]] Status judge_call(const Case& open, Job& job, const ValueSet& set, Processes& processes);

  // One timed call on cold caches. Seconds as the candidate's process claims them, bounded by our own clock.
  // With `verify` the outputs are compared too. nullopt: the job has a finding now.
  [[nodiscard]] Result<std::optional<double>> time_call(const Case& open, Job& job, const ValueSet& set,
                                                        bool verify, Processes& processes);

 private:
  NativeHost(sandbox::Worker worker, TempDir workspace, const JudgeSetup& setup);
  struct Claim;
  Result<Claim> call(const Case& open, Job& job, const ValueSet& set, const char* run, bool verify,
                     Processes& processes);
  Status compare_claim(const Case& open, Job& job, const ValueSet& set, const Claim& claim,
                       Processes& processes);

  sandbox::Worker worker_;
  TempDir workspace_;
  Millis limit_;
  std::string library_;
  std::vector<std::string> entries_;
};

}  // namespace kgb
