// SPDX-License-Identifier: Apache-2.0
// Gate correct: policy on the plan, contract, trials on fresh values, statistics of random operators.
#include <algorithm>

#include "judge/authoring.hpp"
#include "judge/gates.hpp"
#include "judge/native.hpp"
#include "judge/policy.hpp"
#include "judge/random_trials.hpp"
#include "judge/trials.hpp"

namespace kgb {
namespace {

bool runnable(const Job& job) {
  return job.recording && std::none_of(job.findings.begin(), job.findings.end(), [](const Finding& f) {
           return ends_workload(f.kind) || verdict_of(f.kind).has_value();
         });
}

Status judge_job(Case& open, Job& job, Processes& processes) {
  if (!job.recording) return ok_status();
  // What host code did is looked at before anything runs: an answer computed by torch leaves nothing to run.
  apply_policy(open, job, true);
  if (!runnable(job)) return ok_status();
  KGB_CHECK(judge_contract(open, job, processes));
  if (!runnable(job)) return ok_status();
  for (int trial = 0; trial < open.request.value_sets; ++trial) {
    KGB_TRY(const bool right, judge_trial(open, job, trial, processes));
    if (!right) return ok_status();
  }
  return ok_status();
}

// Tuning runs a kernel once for each configuration on the caller's own tensors. What the first call leaves is
// what all of that left: an in-place kernel that tuning breaks, or a configuration that is wrong, shows in
// this recording alone.
Status judge_tuning(Case& open, Processes& processes, const Catalogue& catalogue) {
  Case tuning{open.request, open.op, open.language, {}, {}, {}, {}, {}, {}, Gate::correct, nullptr};
  std::vector<Job*> tuned;
  for (Job& job : open.jobs) {
    if (!job.tuned || !runnable(job)) continue;
    tuned.push_back(&job);
    Job& again = tuning.jobs.emplace_back();
    again.workload = job.workload;
    again.bound = job.bound;
    again.calls = job.calls;
  }
  if (tuned.empty()) return ok_status();
  AuthorRequest request;
  request.generator_seed = open.request.seed;
  request.all_configurations = true;
  KGB_CHECK(author_jobs(tuning, processes, catalogue, request));
  for (std::size_t i = 0; i < tuned.size(); ++i) {
    Job& again = tuning.jobs[i];
    if (runnable(again)) {
      // Values that no other trial had.
      KGB_TRY([[maybe_unused]] const bool right,
              judge_trial(tuning, again, open.request.value_sets, processes));
    }
    for (Finding& finding : again.findings) {
      finding.details["autotune"] = "with the launches of every configuration";
      tuned[i]->findings.push_back(std::move(finding));
    }
  }
  for (Finding& finding : tuning.findings) open.findings.push_back(std::move(finding));
  return ok_status();
}

}  // namespace

Status gate_correct(Case& open, Processes& processes, const Catalogue& catalogue) {
  const StageClock clock(open, "correct");
  if (open.language == "cpp") return native_correct(open, processes);
  if (open.random()) return judge_random(open, processes, catalogue);
  for (Job& job : open.jobs) {
    KGB_CHECK(judge_job(open, job, processes));
    // The verdict stands; every further workload could take the whole limit again.
    if (decide(job.findings) == Verdict::timeout) return ok_status();
  }
  return judge_tuning(open, processes, catalogue);
}

}  // namespace kgb
