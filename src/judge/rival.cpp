// SPDX-License-Identifier: Apache-2.0
// Records a baseline's plans beside those of the candidate.
#include "judge/rival.hpp"

#include "judge/authoring.hpp"
#include "judge/native.hpp"
#include "judge/native_host.hpp"
#include "judge/trials.hpp"

namespace kgb {

std::optional<std::string> fault_in(const std::vector<Finding>& findings) {
  const Finding* worst = deciding_finding(findings);
  if (worst == nullptr) return std::nullopt;
  return worst->kind + ": " + worst->message;
}

Rival::Rival(const Case& open, JudgeRequest request)
    : request_(std::move(request)),
      case_{request_,   open.op, open.chip, open.language, {}, {},      {}, {}, {}, {},
            Gate::fast, nullptr, {},        open.seat,     {}, nullptr, {}} {}

Result<std::unique_ptr<Rival>> Rival::record(const Case& open, const std::vector<Job*>& jobs,
                                             Processes& processes, const Catalogue& catalogue) {
  JudgeRequest request = open.request;
  request.source = open.request.baseline_source;
  request.file = open.request.baseline_file;
  request.in_process = false;  // a rival is a plan
  auto rival = std::unique_ptr<Rival>(new Rival(open, std::move(request)));
  for (const Job* job : jobs) {
    Job& mine = rival->case_.jobs.emplace_back();
    mine.workload = job->workload;
    mine.bound = job->bound;
    mine.calls.assign(job->calls.size(), job->workload.call);
  }
  if (jobs.empty()) return rival;
  if (open.language == "cpp") {
    KGB_CHECK(native_build(rival->case_, processes));
    return rival;
  }
  AuthorRequest how;
  how.generator_seed = open.request.seed;
  KGB_CHECK(author_jobs(rival->case_, processes, catalogue, how));
  return rival;
}

Job* Rival::job_of(const std::string& workload) {
  for (Job& job : case_.jobs)
    if (job.workload.call.workload == workload) return &job;
  return nullptr;
}

Result<double> Rival::time(const std::string& workload, const ValueSet& set, bool verify,
                           Processes& processes) {
  Job* job = job_of(workload);
  if (job == nullptr) return internal_error("the baseline was not compiled for workload " + workload);
  if (case_.native == nullptr)
    return user_error("the baseline " + name() +
                      " cannot be timed: " + fault_in(case_.findings).value_or("it does not load"));
  KGB_TRY(const std::optional<double> seconds, case_.native->time_call(case_, *job, set, verify, processes));
  if (!seconds)
    return user_error("the baseline " + name() +
                      " is wrong: " + fault_in(job->findings).value_or("its call failed"));
  return *seconds;
}

Result<TrialRequest> Rival::request(const std::string& workload, int trial, Processes& processes) {
  Job* job = job_of(workload);
  if (job == nullptr) return internal_error("the baseline was not recorded for workload " + workload);
  std::optional<std::string> fault = fault_in(case_.findings);
  if (!fault) fault = fault_in(job->findings);
  if (!fault && !job->recording) fault = "its call could not be recorded";
  if (fault) return user_error("the baseline " + name() + " cannot be timed: " + *fault);
  KGB_TRY(std::optional<TrialRequest> request, timed_request(case_, *job, trial, processes));
  if (!request)
    return user_error("the baseline " + name() +
                      " cannot be timed: " + fault_in(job->findings).value_or("a kernel does not compile"));
  return *std::move(request);
}

}  // namespace kgb
