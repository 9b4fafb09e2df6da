// SPDX-License-Identifier: Apache-2.0
// Gates static and correct of in-process mode.
#include "judge/in_process.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "judge/census.hpp"
#include "judge/device_host.hpp"

namespace kgb {
namespace {

constexpr int kCallsPerTrial = 3;

// Trial 0: three calls by host code, each watched. A wrong value ends it; what the census found does not.
Result<bool> watched_calls(Case& open, Job& job, Processes& processes) {
  std::vector<CensusRow> census;
  bool right = true;
  for (int number = 0; number < kCallsPerTrial && right && !open.stopped(); ++number) {
    KGB_TRY(right, open.host->call(open, job, {open.request.seed, 0, number}, processes, census));
  }
  add_census(open.census, census);
  if (std::optional<Finding> found = census_finding(open, job, census))
    job.findings.push_back(std::move(*found));
  return right;
}

// Further trials: by replays of the recorded call, in which host code has no part; where it cannot be
// recorded, by calls.
Status later_trials(Case& open, Job& job, bool recorded, Processes& processes) {
  const int last = std::max(1, open.value_sets() - 1);
  std::vector<CensusRow> ignored;
  for (int trial = 1; trial <= last; ++trial)
    for (int number = 0; number < kCallsPerTrial && !open.stopped(); ++number) {
      const ValueSet set{open.request.seed, trial, number};
      KGB_TRY(const bool right, recorded ? open.host->replay(open, job, set, processes)
                                         : open.host->call(open, job, set, processes, ignored));
      if (!right) return ok_status();
    }
  return ok_status();
}

Status judge_job(Case& open, Job& job, Processes& processes) {
  const auto shared = open.seat->station().share();
  KGB_TRY(const bool begun, open.host->begin(open, job));
  if (!begun) return ok_status();
  KGB_TRY(const bool right, watched_calls(open, job, processes));
  if (!right || open.stopped()) return ok_status();
  KGB_TRY(const std::optional<std::string> why, open.host->record(open, job));
  if (!why) return ok_status();
  job.judged = true;
  return later_trials(open, job, why->empty(), processes);
}

}  // namespace

Status in_process_load(Case& open, Processes& processes) {
  if (open.seat == nullptr) return internal_error("in-process mode without a device");
  if (open.random()) {
    open.findings.push_back(make_finding(
        "not_in_process", Gate::static_,
        open.op.name +
            " is random: its statistics are judged on launch plans alone. Leave --in-process out"));
    return ok_status();
  }
  KGB_TRY(TempDir workspace, TempDir::make("kgbench-in-process"));
  KGB_CHECK(write_file(workspace.path() / kCandidateFile, open.request.source));
  KGB_CHECK(Processes::give_to_candidate(workspace.path()));
  KGB_TRY(open.host, DeviceHost::load(open, std::move(workspace), processes));
  return ok_status();
}

Status in_process_correct(Case& open, Processes& processes) {
  if (open.host == nullptr) return ok_status();
  for (Job& job : open.jobs) {
    if (open.stopped()) return ok_status();
    if (job.only_timed) continue;
    if (open.request.progress)
      open.request.progress(Gate::correct, static_cast<std::size_t>(&job - open.jobs.data()),
                            open.jobs.size());
    KGB_CHECK(judge_job(open, job, processes));
    if (decide(job.findings) != Verdict::pass) open.seat->blame();
    // The verdict stands; every further workload could take the whole limit again.
    if (decide(job.findings) == Verdict::timeout) return ok_status();
  }
  return ok_status();
}

}  // namespace kgb
