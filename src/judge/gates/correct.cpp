// SPDX-License-Identifier: Apache-2.0
// Gate correct: policy on the plan, contract, trials on fresh values, statistics of random operators.
#include <algorithm>

#include "judge/gates.hpp"
#include "judge/native.hpp"
#include "judge/policy.hpp"
#include "judge/random_trials.hpp"
#include "judge/trials.hpp"

namespace kgb {
namespace {

// What host code did is looked at before anything runs: an answer computed by torch leaves nothing to run.
void judge_policy(const Case& open, Job& job) {
  Policy policy;
  policy.no_kernel = open.op.tagged("no_kernel");
  policy.random = open.random();
  for (Finding& finding : policy_findings(*job.recording, policy, job.workload.call.workload, open.request.file))
    job.findings.push_back(std::move(finding));
}

bool runnable(const Job& job) {
  return job.recording && std::none_of(job.findings.begin(), job.findings.end(), [](const Finding& f) {
           return ends_workload(f.kind) || verdict_of(f.kind).has_value();
         });
}

Status judge_job(Case& open, Job& job, Processes& processes) {
  if (!job.recording) return ok_status();
  judge_policy(open, job);
  if (!runnable(job)) return ok_status();
  KGB_CHECK(judge_contract(open, job, processes));
  if (!runnable(job)) return ok_status();
  for (int trial = 0; trial < open.request.value_sets; ++trial) {
    KGB_TRY(const bool right, judge_trial(open, job, trial, processes));
    if (!right) return ok_status();
  }
  return ok_status();
}

}  // namespace

Status gate_correct(Case& open, Processes& processes, const Catalogue& catalogue) {
  const StageClock clock(open, "correct");
  if (open.language == "cpp") return native_correct(open, processes);
  if (open.random()) return judge_random(open, processes, catalogue);
  for (Job& job : open.jobs) {
    KGB_CHECK(judge_job(open, job, processes));
  }
  return ok_status();
}

}  // namespace kgb
