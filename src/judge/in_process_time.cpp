// SPDX-License-Identifier: Apache-2.0
// Gate fast of in-process mode: the candidate's process and the baseline's take turns. Both replay graphs;
// where the candidate's call cannot be recorded, both are called between events.
#include "judge/census.hpp"
#include "judge/conditions.hpp"
#include "judge/device_host.hpp"
#include "judge/device_time.hpp"
#include "judge/in_process.hpp"
#include "judge/opponent.hpp"
#include "judge/rival.hpp"
#include "judge/trials.hpp"

namespace kgb {
namespace {

constexpr int kTimedCall = 2, kVerifiedCall = 1;  // numbers of value sets

// The timing of one workload: beside others, alone on the device, and what follows.
class InProcessTiming {
 public:
  InProcessTiming(Case& open, Job& job, Opponent& opponent, Processes& processes)
      : open_(open), job_(job), opponent_(opponent), processes_(processes) {}

  Status prepare(Crew& crew) {
    DeviceHost& host = *open_.host;
    std::vector<CensusRow> ignored;
    KGB_TRY(fit_, host.begin(open_, job_));
    if (!fit_) return ok_status();
    KGB_TRY(fit_, host.call(open_, job_, set(kTimedCall), processes_, ignored));
    if (!fit_) return ok_status();
    KGB_TRY(const std::optional<std::string> why, host.record(open_, job_));
    fit_ = why.has_value();
    if (!fit_) return ok_status();
    why_not_recorded_ = *why;
    KGB_TRY(fit_, host.ready(open_, job_));
    baseline_ = recorded() ? opponent_.begin(crew) : opponent_.begin_events(crew);
    return ok_status();
  }

  Status run(Crew& crew) {
    if (!fit_) return ok_status();
    Timed candidate(open_.host->worker(), "the candidate's process"), baseline = opponent_.timed(crew);
    TimingWatch watch(open_.seat->station().monitor());
    KGB_TRY(series_, measure_turns(open_, candidate, baseline_.ok() ? &baseline : nullptr));
    conditions_ = watch.end();
    if (open_.request.published) bench(crew);
    return baseline_.ok() ? opponent_.end(crew) : ok_status();
  }

  // What was timed must be right.
  Status conclude(const Catalogue& catalogue) {
    if (!fit_) return ok_status();
    KGB_TRY(const bool right, verify());
    if (!right || open_.stopped()) return ok_status();
    if (job_.only_timed) job_.judged = true;
    if (baseline_.ok()) baseline_ = opponent_.judge();
    Timing* timing = note_timing(open_, job_,
                                 {std::move(series_), std::move(conditions_), std::nullopt, baseline_,
                                  baseline_.ok() ? opponent_.name() : ""},
                                 catalogue);
    if (timing == nullptr) return ok_status();
    if (!recorded()) {
      timing->span = "events";
      timing->why +=
          (timing->why.empty() ? "" : "; ") +
          ("timed between events, since the call cannot be recorded as a graph: " + why_not_recorded_);
    }
    timing->published = std::move(published_);
    return ok_status();
  }

 private:
  [[nodiscard]] bool recorded() const { return why_not_recorded_.empty(); }
  [[nodiscard]] ValueSet set(int number) const { return {open_.request.seed, timed_trial(job_), number}; }
  Result<bool> verify() {
    const auto shared = open_.seat->station().share();
    std::vector<CensusRow> ignored;
    return recorded() ? open_.host->replay(open_, job_, set(kVerifiedCall), processes_)
                      : open_.host->call(open_, job_, set(kVerifiedCall), processes_, ignored);
  }
  // One after the other, as published figures are made; a failure costs the column alone.
  void bench(Crew& crew) {
    Published& column = published_.emplace();
    const auto take = [&](std::optional<double>& place, const Result<double>& seconds) {
      if (seconds.ok()) {
        place = *seconds;
      } else if (column.why.empty()) {
        column.why = seconds.error().message;
      }
    };
    take(column.candidate, open_.host->do_bench());
    take(column.baseline, baseline_.ok() ? opponent_.do_bench(crew) : Result<double>(baseline_.error()));
  }

  Case& open_;
  Job& job_;
  Opponent& opponent_;
  Processes& processes_;
  bool fit_ = false;  // no finding ended it
  std::string why_not_recorded_;
  Status baseline_ = ok_status();
  Series series_;
  Conditions conditions_;
  std::optional<Published> published_;
};

}  // namespace

Status in_process_time(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.host == nullptr || open.op.tagged("no_kernel")) return ok_status();
  const std::vector<Job*> jobs = timed_jobs(open, catalogue, false);
  if (!jobs.empty())
    static_cast<void>(open.seat->station().peaks());  // measured now, if ever: the device is not held yet
  std::unique_ptr<Rival> rival;
  if (!open.request.baseline_file.empty()) {
    KGB_TRY(rival, Rival::record(open, jobs, processes, catalogue));
  }
  for (Job* job : jobs) {
    const Result<TrialRequest> plan =
        rival ? rival->request(job->workload.call.workload, timed_trial(*job), processes)
              : Result<TrialRequest>(vendor_request(open, *job, timed_trial(*job), processes));
    Opponent opponent(open, *job, processes, rival.get(), plan);
    InProcessTiming timing(open, *job, opponent, processes);
    KGB_CHECK(open.seat->station().time([&](Crew& crew) { return timing.prepare(crew); },
                                        [&](Crew& crew) { return timing.run(crew); }));
    KGB_CHECK(timing.conclude(catalogue));
  }
  return ok_status();
}

}  // namespace kgb
