// SPDX-License-Identifier: Apache-2.0
// Gate correct: policy on the plan, contract, trials on fresh values, statistics of random operators.
#include <algorithm>
#include <span>

#include "judge/authoring.hpp"
#include "judge/cuda.hpp"
#include "judge/gates.hpp"
#include "judge/in_process.hpp"
#include "judge/memcheck.hpp"
#include "judge/native.hpp"
#include "judge/policy.hpp"
#include "judge/quick_device.hpp"
#include "judge/random_trials.hpp"
#include "judge/timing.hpp"
#include "judge/trials.hpp"

namespace kgb {
namespace {

bool runnable(const Job& job) {
  return job.recording && std::none_of(job.findings.begin(), job.findings.end(), [](const Finding& f) {
           return ends_workload(f.kind) || verdict_of(f.kind).has_value();
         });
}

// Nothing runs yet of a workload that is only timed: what its plan is, and what its calls should give.
Status judge_timed_job(Case& open, Job& job, Processes& processes) {
  if (!job.recording) return ok_status();
  apply_policy(open, job, true);
  return runnable(job) ? judge_contract(open, job, timed_trial(job), processes) : ok_status();
}

// Policy, contract and, for a device, the trial on the VM: it sees every access, and keeps a stray one off
// the device. True: the workload may go on to its own trials.
Result<bool> prepare_job(Case& open, Job& job, Processes& processes) {
  if (!job.recording) return false;
  // What host code did is looked at before anything runs: an answer computed by torch leaves nothing to run.
  apply_policy(open, job, true);
  if (!runnable(job)) return false;
  KGB_CHECK(judge_contract(open, job, 0, processes));
  if (!runnable(job)) return false;
  if (open.language == "cuda") {
    // The device runs it unwatched but for red zones and compute-sanitizer.
    std::optional<Finding> said = cuda_needs_device(open);
    if (!said)
      said = make_finding("vm_unchecked", Gate::correct,
                          "accesses were not watched: the virtual machine does not run CUDA C++");
    const bool goes_on = !verdict_of(said->kind);
    said->workload = job.workload.call.workload;
    job.findings.push_back(*std::move(said));
    return goes_on;
  }
  if (!open.on_device()) return true;
  return judge_on_vm(open, job, processes);
}

// The trials at home: on the device, or on the VM where that is the chip.
Status judge_at_home(Case& open, Job& job, Processes& processes) {
  const int trials = reads_values(job) ? std::min(1, open.value_sets()) : open.value_sets();
  const bool after_vm = open.on_device() && !reads_values(job);
  // The profile quick tries the values of the VM's trial again, which the oracle knows by now.
  const bool same_values = after_vm && open.quick();
  const int first = after_vm && !same_values ? 1 : 0;
  for (int trial = first; trial < first + trials; ++trial) {
    KGB_TRY(const bool right, judge_trial(open, job, {trial, home_of(open), same_values}, processes));
    if (!right) return ok_status();
  }
  // Values can make an honest launch look like none; only a second set tells.
  if (open.quick() && job.wanting_launch && !reads_values(job)) {
    KGB_TRY([[maybe_unused]] const bool right,
            judge_trial(open, job, {first + trials, home_of(open)}, processes));
  }
  return ok_status();
}

void tell_progress(const Case& open, const Job& job) {
  if (open.request.progress)
    open.request.progress(Gate::correct, static_cast<std::size_t>(&job - open.jobs.data()), open.jobs.size());
}

// One workload after the other. The profile quick has all of them on the VM before it compiles a kernel for
// the device, and compiles none for a candidate that failed there.
Status judge_jobs(Case& open, Processes& processes, const Catalogue& catalogue) {
  const bool vm_first = open.quick() && open.on_device();
  std::vector<Job*> prepared;
  for (Job& job : open.jobs) {
    if (open.stopped()) return ok_status();
    if (job.only_timed) continue;
    tell_progress(open, job);
    KGB_TRY(const bool goes_on, prepare_job(open, job, processes));
    if (goes_on && vm_first) prepared.push_back(&job);
    if (goes_on && !vm_first) KGB_CHECK(judge_at_home(open, job, processes));
    // The verdict stands; every further workload could take the whole limit again.
    if (decide(job.findings) == Verdict::timeout) return ok_status();
  }
  const bool failed = std::any_of(open.jobs.begin(), open.jobs.end(),
                                  [](const Job& job) { return decide(job.findings) != Verdict::pass; });
  if (failed || prepared.empty()) return ok_status();
  for (Job* job : device_jobs(prepared, timed_jobs(open, catalogue, false))) {
    if (open.stopped()) return ok_status();
    KGB_CHECK(judge_at_home(open, *job, processes));
    if (decide(job->findings) == Verdict::timeout) return ok_status();
  }
  return ok_status();
}

// Records these workloads anew and runs one more trial of each; `why` goes with what is found.
Status judge_again(Case& open, const std::vector<Job*>& jobs, const AuthorRequest& request, int trial,
                   const std::pair<std::string, std::string>& why, Processes& processes,
                   const Catalogue& catalogue) {
  if (jobs.empty()) return ok_status();
  Case second{open.request, open.op,       open.chip, open.language, {},        {}, {},      {}, {},
              {},           Gate::correct, nullptr,   open.observer, open.seat, {}, nullptr, {}};
  for (const Job* job : jobs) {
    Job& again = second.jobs.emplace_back();
    again.workload = job->workload;
    again.bound = job->bound;
    again.calls = job->calls;
    // An output that seemed to want a launch gets its second look on these values.
    again.wanting_launch = !request.all_configurations && job->wanting_launch;
  }
  KGB_CHECK(author_jobs(second, processes, catalogue, request));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    Job& again = second.jobs[i];
    if (again.recording) apply_policy(second, again, false);
    if (runnable(again)) KGB_CHECK(judge_contract(second, again, trial, processes));
    if (runnable(again)) {
      KGB_TRY([[maybe_unused]] const bool right,
              judge_trial(second, again, {trial, home_of(open)}, processes));
    }
    if (!request.all_configurations) jobs[i]->wanting_launch = again.wanting_launch;
    jobs[i]->elements += again.elements;
    if (again.worst_ratio > jobs[i]->worst_ratio) {
      jobs[i]->worst_ratio = again.worst_ratio;
      jobs[i]->worst_at = again.worst_at;
    }
    for (Finding& finding : again.findings) {
      finding.details[why.first] = why.second;
      jobs[i]->findings.push_back(std::move(finding));
    }
  }
  for (Finding& finding : second.findings) open.findings.push_back(std::move(finding));
  return ok_status();
}

// Further trials of workloads whose host code sees values: it is called again for each set of them.
Status judge_readers(Case& open, Processes& processes, const Catalogue& catalogue) {
  for (int trial = 1; trial < open.value_sets(); ++trial) {
    std::vector<Job*> readers;
    for (Job& job : open.jobs)
      if (!job.only_timed && reads_values(job) && runnable(job)) readers.push_back(&job);
    AuthorRequest request;
    request.generator_seed = open.request.seed;
    request.trial = trial;
    KGB_CHECK(judge_again(open, readers, request, trial, {"values", "of set " + std::to_string(trial + 1)},
                          processes, catalogue));
  }
  return ok_status();
}

// Tuning runs a kernel once for each configuration on the caller's own tensors. What the first call leaves is
// what all of that left: an in-place kernel that tuning breaks, or a configuration that is wrong, shows in
// this recording alone.
Status judge_tuning(Case& open, Processes& processes, const Catalogue& catalogue) {
  std::vector<Job*> tuned;
  for (Job& job : open.jobs)
    if (!job.only_timed && job.tuned && runnable(job)) tuned.push_back(&job);
  AuthorRequest request;
  request.generator_seed = open.request.seed;
  request.trial = open.value_sets() + 1;  // values that no other trial had
  request.all_configurations = true;
  return judge_again(open, tuned, request, request.trial,
                     {"autotune", "with the launches of every configuration"}, processes, catalogue);
}

}  // namespace

namespace {

Status judge_plans(Case& open, Processes& processes, const Catalogue& catalogue) {
  for (Job& job : open.jobs)
    if (job.only_timed) KGB_CHECK(judge_timed_job(open, job, processes));
  if (open.random()) return judge_random(open, processes, catalogue);
  KGB_CHECK(judge_jobs(open, processes, catalogue));
  KGB_CHECK(judge_readers(open, processes, catalogue));
  return judge_tuning(open, processes, catalogue);
}

}  // namespace

Status gate_correct(Case& open, Processes& processes, const Catalogue& catalogue) {
  const StageClock clock(open, "correct");
  if (open.language == "cpp") return native_correct(open, processes);
  if (open.in_process()) return in_process_correct(open, processes);
  KGB_CHECK(judge_plans(open, processes, catalogue));
  return open.stopped() ? ok_status() : memcheck(open, processes);
}

}  // namespace kgb
