// SPDX-License-Identifier: Apache-2.0
// A candidate's plan and its baseline, both as graphs in processes of their own, take turns on one device.
// The baseline is the card's expression run by torch, the vendor's function that the card names, or another
// candidate's plan.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.hpp"
#include "judge/conditions.hpp"
#include "judge/device_time.hpp"
#include "judge/rival.hpp"
#include "judge/roof.hpp"
#include "judge/timing.hpp"
#include "judge/trials.hpp"
#include "model/generate.hpp"
#include "stats/order.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr int kSamplesPerTurn = 10;
constexpr std::size_t kFewestTurns = 11, kMostTurns = 201, kWarmUps = 1;
constexpr double kBudgetSeconds = 4;  // per workload
constexpr double kNarrow = 0.01;      // relative width of the interval at which measuring stops
constexpr double kQuickBudgetSeconds = 0.5, kQuickNarrow = 0.05;  // of the profile quick
constexpr double kMargin = 0.02;                                  // differences below it are of no interest
// Writes need not reach memory within the window, and a data sheet's figure is no law: what is this many
// times faster than the memory is no measurement.
constexpr double kTimesBandwidth = 3;
constexpr Millis kBeginLimit{300'000}, kSampleLimit{120'000};
constexpr std::int64_t kPlanId = 1;

// What samples are asked of; the names of its requests differ by process.
class Timed {
 public:
  Timed(sandbox::Worker& worker, std::string who) : worker_(worker), who_(std::move(who)) {}

  Result<std::vector<double>> samples(int n) {
    KGB_TRY(const sandbox::Answer answer, worker_.ask(samples_request_text(n, 1), {}, kSampleLimit));
    if (answer.loss) return host_error(who_ + " " + answer.loss->finished.describe());
    KGB_TRY(std::vector<double> ns, samples_from_json(answer.frame.json));
    for (double& t : ns) t *= 1e-9;
    return ns;
  }
  // Back to back for so long; of executors alone.
  Result<Sustained> sustain(int ms) {
    KGB_TRY(const sandbox::Answer answer, worker_.ask(sustain_request_text(ms, 1), {}, kSampleLimit));
    if (answer.loss) return host_error(who_ + " " + answer.loss->finished.describe());
    return sustained_from_json(answer.frame.json);
  }

 private:
  sandbox::Worker& worker_;
  std::string who_;
};

// Error: why the baseline cannot be timed.
Status begin_baseline(const Case& open, const Job& job, sandbox::Worker& worker, const std::string& backend) {
  const std::string& expression = open.entry_of(job).baseline;
  if (expression.empty()) return user_error("the operator has no baseline on this chip");
  const json request{{"id", 1},
                     {"run", "begin"},
                     {"backend", backend},
                     {"call", to_json(job.workload.call)},
                     {"baseline", expression},
                     {"seed", seed_text(open.request.seed)},
                     {"trial", timed_trial(job)},
                     {"number", 2}};
  KGB_TRY(const sandbox::Answer answer, worker.ask(request.dump(), {}, kBeginLimit));
  if (answer.loss) return host_error("the baseline " + answer.loss->finished.describe());
  const json reply = json::parse(answer.frame.json, nullptr, false);
  if (reply.is_object() && reply.value("ok", false)) return ok_status();
  return host_error("the baseline: " +
                    (reply.is_object() ? reply.value(json::json_pointer("/error/message"), "no reason given")
                                       : std::string("its answer is no JSON")));
}

// One turn: a burst of samples of each, in random order.
Status take_turn(const Case& open, std::size_t turn, Series& series, Timed& candidate, Timed* baseline) {
  const bool candidate_first = (turn_coin(open, turn) & 1) != 0;
  std::vector<double> mine, other;
  for (const bool candidate_now : {candidate_first, !candidate_first}) {
    if (candidate_now) {
      KGB_TRY(mine, candidate.samples(kSamplesPerTurn));
    } else if (baseline != nullptr) {
      KGB_TRY(other, baseline->samples(kSamplesPerTurn));
    }
  }
  if (turn < kWarmUps) return ok_status();
  series.candidate.push_back(median(mine));
  if (baseline == nullptr) return ok_status();
  series.baseline.push_back(median(other));
  series.ratio.push_back(series.baseline.back() / std::max(series.candidate.back(), 1e-9));
  return ok_status();
}

Result<Series> measure(const Case& open, Timed& candidate, Timed* baseline) {
  Series series;
  const auto start = Steady::now();
  const double budget = open.quick() ? kQuickBudgetSeconds : kBudgetSeconds;
  const double width = open.quick() ? kQuickNarrow : kNarrow;
  const bool call_is_enough = open.request.quick || open.quick();
  for (std::size_t turn = 0; turn < kMostTurns + kWarmUps && !open.stopped(); ++turn) {
    KGB_CHECK(take_turn(open, turn, series, candidate, baseline));
    const bool enough = series.candidate.size() >= kFewestTurns;
    const bool narrow =
        baseline == nullptr || series.narrow(width) || (call_is_enough && series.decided(kMargin));
    if (enough && (narrow || 1e-3 * static_cast<double>(millis_since(start)) > budget)) break;
  }
  return series;
}

// Holds the outputs that the timed graph left against the oracle.
Status verify(const Case& open, Job& job, const TrialResult& result, Processes& processes) {
  for (const TrialOutput& output : result.outputs) {
    const ValueSet set{open.request.seed, timed_trial(job), output.call};
    KGB_TRY(const std::shared_ptr<const Expectation> expectation,
            processes.expectations().values(open.op, job.calls[static_cast<std::size_t>(output.call)], set));
    for (const ExpectedOutput& expected : expectation->outputs) {
      if (expected.path != output.path) continue;
      KGB_TRY([[maybe_unused]] const bool same,
              judge_output(open, job, output.call, output, result.bytes_of(output), expected, 0));
    }
  }
  return ok_status();
}

// A plan's timed trial in an executor, up to where it can be sampled. A result: it ended before that.
Result<std::optional<TrialResult>> begin_plan(const TrialRequest& request, const Job& job,
                                              sandbox::Worker& executor) {
  const std::vector<std::byte> blob = blob_of(request, job.recording_json);
  KGB_TRY(sandbox::Answer begun, executor.ask(to_json_text(request, kPlanId), blob, kBeginLimit));
  if (begun.loss) return host_error("the executor " + begun.loss->finished.describe() + " in a timed call");
  if (is_ready(begun.frame.json)) return std::optional<TrialResult>();
  KGB_TRY(TrialResult result, trial_result_from_json(begun.frame.json, std::move(begun.frame.blob), kPlanId));
  return std::optional(std::move(result));
}

// Ends the sampling: what the timed calls left.
Result<TrialResult> end_plan(sandbox::Worker& executor) {
  KGB_TRY(sandbox::Answer last, executor.ask(samples_request_text(0, kPlanId), {}, kSampleLimit));
  if (last.loss) return host_error("the executor " + last.loss->finished.describe() + " after a timed call");
  return trial_result_from_json(last.frame.json, std::move(last.frame.blob), kPlanId);
}

// Holds it against the oracle. Findings go to the job.
Status judge_left(const Case& open, Job& job, const TrialResult& left, Processes& processes) {
  for (const Finding& finding : left.findings) job.findings.push_back(finding);
  return open.random() ? ok_status() : verify(open, job, left, processes);
}

// The baseline of one workload: another candidate's plan, the vendor's function, or torch. An Error says why
// it cannot be timed.
class Opponent {
 public:
  // `rival`: the candidate whose plan it is; nullptr: the card says. `request`: of what an executor runs.
  Opponent(const Case& open, const Job& job, Processes& processes, Rival* rival,
           const Result<TrialRequest>& request)
      : open_(open), job_(job), processes_(processes), rival_(rival), request_(request) {
    if (!by_vendor()) return;
    of_vendor_.workload = job.workload;
    of_vendor_.bound = job.bound;
    of_vendor_.calls = job.calls;
  }

  Status begin(Crew& crew) {
    if (by_torch()) return begin_baseline(open_, job_, crew.baseline, open_.seat->station().device().backend);
    if (!request_.ok()) return request_.error();
    KGB_TRY(const std::optional<TrialResult> ended, begin_plan(*request_, mine(), crew.rival));
    if (!ended) return ok_status();
    const std::string why = ended->findings.empty() ? "no reason given" : ended->findings.front().message;
    return user_error("the baseline " + name() + " cannot be timed: " + why);
  }
  Status end(Crew& crew) {
    if (by_torch()) return ok_status();
    KGB_TRY(left_, end_plan(crew.rival));
    return ok_status();
  }
  // What was timed must be right, too.
  Status judge() {
    if (by_torch()) return ok_status();
    KGB_CHECK(judge_left(rival_ == nullptr ? open_ : rival_->opened(), mine(), *left_, processes_));
    const std::optional<std::string> fault = fault_in(mine().findings);
    return fault ? user_error("the baseline " + name() + " is wrong: " + *fault) : ok_status();
  }
  [[nodiscard]] Timed timed(Crew& crew) const {
    return by_torch() ? Timed(crew.baseline, "the baseline")
                      : Timed(crew.rival, "the executor of the baseline");
  }
  [[nodiscard]] std::string name() const {
    if (rival_ != nullptr) return rival_->name();
    if (by_torch()) return "torch";
    return left_ ? left_->library : request_->vendor;
  }

 private:
  [[nodiscard]] bool by_vendor() const {
    return rival_ == nullptr && request_.ok() && !request_->vendor.empty();
  }
  [[nodiscard]] bool by_torch() const { return rival_ == nullptr && !by_vendor(); }
  Job& mine() { return rival_ == nullptr ? of_vendor_ : *rival_->job_of(job_.workload.call.workload); }

  const Case& open_;
  const Job& job_;
  Processes& processes_;
  Rival* rival_;
  const Result<TrialRequest>& request_;
  Job of_vendor_;
  std::optional<TrialResult> left_;
};

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
      KGB_TRY(series_, measure(open_, candidate, has_baseline_.ok() ? &baseline : nullptr));
      conditions_ = watch.end();
      if (!open_.request.quick && !series_.candidate.empty()) {
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
    const auto bandwidth = open_.chip.peak.find("bandwidth");
    const Result<Cost> cost = catalogue.cost_for(open_.op, job_.workload.call);
    if (cost.ok() && bandwidth != open_.chip.peak.end())
      note_too_fast(job_, series_, cost->bytes, kTimesBandwidth * bandwidth->second);
    if (job_.findings.size() > found || open_.stopped()) return ok_status();
    if (has_baseline_.ok()) has_baseline_ = opponent_.judge();
    if (!has_baseline_.ok()) series_.baseline.clear();  // and no ratio: the candidate's time stands alone
    Timing timing = timing_of(job_, series_, has_baseline_.ok() ? opponent_.name() : "", kMargin);
    if (!has_baseline_.ok()) timing.why = has_baseline_.error().message;
    note_conditions(timing, std::move(conditions_));
    timing.energy = std::move(energy_);
    if (cost.ok()) timing.roof = roof_share(*cost, job_.workload.call, peaks(), *timing.candidate);
    open_.timings.push_back(std::move(timing));
    return ok_status();
  }

 private:
  Peaks peaks() const {
    Peaks known = open_.seat->station().peaks();
    known.add_nominal(open_.chip);
    return known;
  }
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

Status device_time(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.op.tagged("no_kernel")) return ok_status();  // nothing runs on the device
  Station& station = open.seat->station();
  const std::vector<Job*> jobs = timed_jobs(open, catalogue, false);
  if (!jobs.empty()) static_cast<void>(station.peaks());  // measured now, if ever: the device is not held yet
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
    KGB_CHECK(station.time([&](Crew& crew) { return timing.prepare(crew); },
                           [&](Crew& crew) { return timing.run(crew); }));
    KGB_CHECK(timing.conclude(catalogue));
  }
  return ok_status();
}

}  // namespace kgb
