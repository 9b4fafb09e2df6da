// SPDX-License-Identifier: Apache-2.0
// A candidate's plan and its baseline, both as graphs in processes of their own, take turns on one device.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "judge/device_time.hpp"
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
constexpr double kMargin = 0.02;      // differences below it are of no interest
// Writes need not reach memory within the window, and a data sheet's figure is no law: what is this many
// times faster than the memory is no measurement.
constexpr double kTimesBandwidth = 3;
constexpr Millis kBeginLimit{300'000}, kSampleLimit{120'000};

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

 private:
  sandbox::Worker& worker_;
  std::string who_;
};

// The value set of the timed calls: what host code read holds for one set alone.
int timed_trial(const Job& job) {
  return reads_values(job) ? 0 : kTimedTrial;
}

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
  for (std::size_t turn = 0; turn < kMostTurns + kWarmUps && !open.stopped(); ++turn) {
    KGB_CHECK(take_turn(open, turn, series, candidate, baseline));
    const bool enough = series.candidate.size() >= kFewestTurns;
    const bool narrow = baseline == nullptr || series.narrow(kNarrow);
    if (enough && (narrow || 1e-3 * static_cast<double>(millis_since(start)) > kBudgetSeconds)) break;
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

Timing untimed(const Job& job, const std::string& why) {
  Timing timing;
  timing.workload = job.workload.call.workload;
  timing.call = name_of(SpeedCall::cannot_tell);
  timing.why = why;
  return timing;
}

Status time_job(Case& open, Job& job, const TrialRequest& request, sandbox::Worker& executor,
                sandbox::Worker& baseline_worker, Processes& processes, const Catalogue& catalogue) {
  constexpr std::int64_t kId = 1;
  const std::vector<std::byte> blob = blob_of(request, job.recording_json);
  KGB_TRY(sandbox::Answer begun, executor.ask(to_json_text(request, kId), blob, kBeginLimit));
  if (begun.loss) return host_error("the executor " + begun.loss->finished.describe() + " in a timed call");
  if (!is_ready(begun.frame.json)) {
    KGB_TRY(const TrialResult result,
            trial_result_from_json(begun.frame.json, std::move(begun.frame.blob), kId));
    for (const Finding& finding : result.findings) {
      if (finding.kind == "untimed") open.timings.push_back(untimed(job, finding.message));
      job.findings.push_back(finding);
    }
    return ok_status();
  }
  const Status has_baseline = begin_baseline(open, job, baseline_worker, processes.device()->backend);
  Timed candidate(executor, "the executor"), baseline(baseline_worker, "the baseline");
  KGB_TRY(const Series series, measure(open, candidate, has_baseline.ok() ? &baseline : nullptr));
  KGB_TRY(sandbox::Answer last, executor.ask(samples_request_text(0, kId), {}, kSampleLimit));
  if (last.loss) return host_error("the executor " + last.loss->finished.describe() + " after a timed call");
  KGB_TRY(const TrialResult result, trial_result_from_json(last.frame.json, std::move(last.frame.blob), kId));
  const std::size_t found = job.findings.size();
  for (const Finding& finding : result.findings) job.findings.push_back(finding);
  if (!open.random()) KGB_CHECK(verify(open, job, result, processes));
  const auto bandwidth = open.chip.peak.find("bandwidth");
  if (const Result<Cost> cost = catalogue.cost_for(open.op, job.workload.call);
      cost.ok() && bandwidth != open.chip.peak.end())
    note_too_fast(job, series, cost->bytes, kTimesBandwidth * bandwidth->second);
  if (job.findings.size() > found || open.stopped()) return ok_status();
  Timing timing = timing_of(job, series, has_baseline.ok() ? "torch" : "", kMargin);
  if (!has_baseline.ok()) timing.why = has_baseline.error().message;
  open.timings.push_back(std::move(timing));
  return ok_status();
}

}  // namespace

Status device_time(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.op.tagged("no_kernel")) return ok_status();  // nothing runs on the device
  for (Job* job : timed_jobs(open, catalogue, false)) {
    if (!job->recording) continue;
    KGB_TRY(const std::optional<TrialRequest> request,
            timed_request(open, *job, timed_trial(*job), processes));
    if (!request) continue;  // a kernel does not compile: a finding
    KGB_CHECK(processes.with_device([&](sandbox::Worker& executor, sandbox::Worker& baseline) {
      return time_job(open, *job, *request, executor, baseline, processes, catalogue);
    }));
  }
  return ok_status();
}

}  // namespace kgb
