// SPDX-License-Identifier: Apache-2.0
// A candidate's plan and its baseline, both as graphs in processes of their own, take turns on one device.
#include "judge/device_time.hpp"

#include <thread>

#include "judge/conditions.hpp"
#include "judge/opponent.hpp"
#include "judge/rival.hpp"
#include "judge/roof.hpp"
#include "judge/timed_plan.hpp"
#include "judge/timing.hpp"
#include "judge/trials.hpp"
#include "judge/turns.hpp"
#include "stats/order.hpp"

namespace kgb {
namespace {

// Writes need not reach memory within the window, and a data sheet's figure is no law: what is this many
// times faster than the memory is no measurement.
constexpr double kTimesBandwidth = 3;

// The timing of one workload in three steps: beside others, alone on the device, and without it.
class JobTiming {
 public:
  JobTiming(Case& open, Job& job, const TrialRequest& request, Opponent& opponent, Processes& processes)
      : open_(open), job_(job), request_(request), opponent_(opponent), processes_(processes) {}

  Status prepare(Crew& crew) {
    // Both lay out their memory at the same time: with large tensors that is most of what a timing takes.
    std::thread other([&] { has_baseline_ = opponent_.begin(crew); });
    Result<std::optional<TrialResult>> begun = begin_plan(request_, job_, crew.executor);
    other.join();
    KGB_TRY(ended_, std::move(begun));
    return ok_status();
  }

  Status run(Crew& crew) {
    if (!ended_) {
      Timed candidate(crew.executor, "the executor"), baseline = opponent_.timed(crew);
      TimingWatch watch(open_.seat->station().monitor());
      KGB_TRY(series_, measure_turns(open_, candidate, has_baseline_.ok() ? &baseline : nullptr));
      conditions_ = watch.end();
      if (!open_.call_is_enough() && !series_.candidate.empty()) {
        KGB_TRY(energy_,
                energy_of_call(open_.seat->station().monitor(), job_.workload.call, median(series_.candidate),
                               [&](int ms) { return candidate.sustain(ms); }));
      }
      KGB_TRY(left_, end_plan(crew.executor));
    }
    return has_baseline_.ok() ? opponent_.end(crew) : ok_status();
  }

  Status conclude(const Catalogue& catalogue) {
    if (ended_) {
      take_untimed(*ended_);
      return ok_status();
    }
    const std::size_t found = job_.findings.size();
    KGB_CHECK(judge_left(open_, job_, *left_, processes_));
    if (job_.only_timed) job_.judged = true;
    if (job_.findings.size() > found || open_.stopped()) return ok_status();
    if (has_baseline_.ok()) has_baseline_ = opponent_.judge();
    static_cast<void>(note_timing(open_, job_,
                                  {std::move(series_), std::move(conditions_), std::move(energy_),
                                   has_baseline_, has_baseline_.ok() ? opponent_.name() : ""},
                                  catalogue));
    return ok_status();
  }

 private:
  void take_untimed(const TrialResult& ended) {
    for (const Finding& finding : ended.findings) {
      if (finding.kind == "untimed") open_.timings.push_back(untimed(job_, finding.message));
      job_.findings.push_back(finding);
    }
  }

  Case& open_;
  Job& job_;
  const TrialRequest& request_;
  Opponent& opponent_;
  Processes& processes_;
  Status has_baseline_ = ok_status();
  std::optional<TrialResult> ended_;  // before it could be sampled
  std::optional<TrialResult> left_;
  Series series_;
  Conditions conditions_;
  std::optional<Energy> energy_;
};

}  // namespace

Timing* note_timing(Case& open, Job& job, Measured measured, const Catalogue& catalogue) {
  Series& series = measured.series;
  const auto bandwidth = open.chip.peak.find("bandwidth");
  const Result<Cost> cost = catalogue.cost_for(open.op, job.workload.call);
  if (cost.ok() && bandwidth != open.chip.peak.end() &&
      note_too_fast(open.entry_of(job), job, series, cost->bytes, kTimesBandwidth * bandwidth->second))
    return nullptr;
  const bool compared = measured.baseline.ok();
  if (!compared) series.baseline.clear();  // and no ratio: the candidate's time stands alone
  Timing timing = timing_of(job, series, compared ? measured.baseline_name : "", kDeviceMargin);
  if (!compared) timing.why = measured.baseline.error().message;
  note_conditions(timing, std::move(measured.conditions));
  timing.energy = std::move(measured.energy);
  if (cost.ok()) {
    Peaks known = open.seat->station().peaks();
    known.add_nominal(open.chip);
    timing.roof = roof_share(*cost, job.workload.call, known, *timing.candidate);
  }
  return &open.timings.emplace_back(std::move(timing));
}

Status device_time(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.op.tagged("no_kernel")) return ok_status();  // nothing runs on the device
  const std::vector<Job*> jobs = timed_jobs(open, catalogue, false);
  if (!jobs.empty())
    static_cast<void>(open.seat->station().peaks());  // measured now, if ever: the device is not held yet
  std::unique_ptr<Rival> rival;
  if (!open.request.baseline_file.empty()) {
    KGB_TRY(rival, Rival::record(open, jobs, processes, catalogue));
  }
  for (Job* job : jobs) {
    if (!job->recording) continue;
    KGB_TRY(const std::optional<TrialRequest> request,
            timed_request(open, *job, timed_trial(*job), processes));
    if (!request) continue;  // a kernel does not compile: a finding
    const Result<TrialRequest> other =
        rival ? rival->request(job->workload.call.workload, timed_trial(*job), processes)
              : Result<TrialRequest>(vendor_request(open, *job, *request));
    Opponent opponent(open, *job, processes, rival.get(), other);
    JobTiming timing(open, *job, *request, opponent, processes);
    KGB_CHECK(open.seat->station().time([&](Crew& crew) { return timing.prepare(crew); },
                                        [&](Crew& crew) { return timing.run(crew); }));
    KGB_CHECK(timing.conclude(catalogue));
  }
  return ok_status();
}

}  // namespace kgb
