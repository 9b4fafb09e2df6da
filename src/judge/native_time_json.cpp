// SPDX-License-Identifier: Apache-2.0
// Gate fast for native candidates: candidate and baseline take turns in random order on fresh values and cold
// caches, until the interval of the ratio is narrow, or time is up.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/philox.hpp"
#include "judge/native.hpp"
#include "judge/native_host.hpp"
#include "model/generate.hpp"
#include "stats/order.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr std::size_t kFewestTurns = 11, kMostTurns = 201, kWarmUps = 2;
constexpr double kBudgetSeconds = 6;  // per workload
constexpr double kNarrow = 0.02;      // relative width of the interval at which measuring stops
constexpr double kMargin = 0.02;      // differences below it are of no interest
constexpr std::size_t kTimedWorkloads = 3;
constexpr int kTimedTrial = 1000;  // value sets of the series: apart from those of the correct gate
// No call that touches its bytes is faster: what one core can take from its caches, generously.
constexpr double kFastestBytesPerSecond = 2e12;

// The workloads worth timing: heaviest weight, then most bytes; edge workloads say nothing.
std::vector<Job*> timed_jobs(Case& open, const Catalogue& catalogue) {
  std::vector<std::pair<double, Job*>> ranked;
  for (Job& job : open.jobs) {
    if (job.workload.edge || open.entry_of(job).baseline.empty()) continue;
    const Result<Cost> cost = catalogue.cost_for(open.op, job.workload.call);
    ranked.emplace_back(cost.ok() ? job.workload.weight * cost->bytes : 0, &job);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Job*> jobs;
  for (const auto& [weight, job] : ranked)
    if (jobs.size() < kTimedWorkloads) jobs.push_back(job);
  return jobs;
}

Result<double> time_baseline(const Case& open, const Job& job, const ValueSet& set, sandbox::Worker& worker) {
  const json request{{"id", 1},
                     {"run", "time"},
                     {"call", to_json(job.workload.call)},
                     {"baseline", open.entry_of(job).baseline},
                     {"seed", seed_text(set.seed)},
                     {"trial", set.trial},
                     {"number", set.number}};
  KGB_TRY(const sandbox::Answer answer, worker.ask(request.dump(), {}, Millis(120'000)));
  if (answer.loss) return host_error("the baseline " + answer.loss->finished.describe());
  const json reply = json::parse(answer.frame.json, nullptr, false);
  if (!reply.is_object() || !reply.value("ok", false))
    return internal_error("the baseline of " + open.op.name + " failed: " +
                          (reply.is_object()
                               ? reply.value(json::json_pointer("/error/message"), "no reason given")
                               : "no JSON"));
  return 1e-9 * reply.at("ns").get<double>();
}

struct Series {
  std::vector<double> candidate, baseline, ratio;
  [[nodiscard]] bool narrow() const {
    const auto interval = median_interval(ratio);
    return interval && (interval->high - interval->low) < kNarrow * interval->estimate;
  }
};

// A coin that candidates cannot foresee: the order of a turn, and whether its outputs are verified.
std::uint32_t draw(const Case& open, std::size_t turn) {
  return philox4x32({static_cast<std::uint32_t>(turn), 0, 0, 0},
                    {static_cast<std::uint32_t>(open.request.seed),
                     static_cast<std::uint32_t>(open.request.seed >> 32)})[0];
}

Timing timing_of(const Job& job, const Series& series, const std::string& baseline) {
  Timing timing;
  timing.workload = job.workload.call.workload;
  timing.baseline_name = baseline;
  timing.candidate = median(series.candidate);
  timing.baseline = median(series.baseline);
  const auto interval = median_interval(series.ratio);
  if (!interval) {
    timing.call = name_of(SpeedCall::cannot_tell);
    timing.why = fmt::format("only {} turns fit into the time limit", series.ratio.size());
    return timing;
  }
  timing.ratio = interval->estimate;
  timing.ratio_low = interval->low;
  timing.ratio_high = interval->high;
  const SpeedCall call = call_of(*interval, kMargin);
  timing.call = name_of(call);
  if (call == SpeedCall::cannot_tell)
    timing.why = fmt::format("the interval is wider than the difference after {} turns", series.ratio.size());
  return timing;
}

// One turn: both once, in random order. False: the candidate failed.
Result<bool> take_turn(Case& open, Job& job, std::size_t turn, Series& series, sandbox::Worker& baseline,
                       Processes& processes) {
  const std::uint32_t coin = draw(open, turn);
  const ValueSet set{open.request.seed, kTimedTrial, static_cast<int>(turn)};
  const bool verify = turn < kWarmUps || coin % 5 == 0;
  std::optional<double> candidate_s;
  double baseline_s = 0;
  for (const bool candidate_now : {(coin & 0x100) != 0, (coin & 0x100) == 0}) {
    if (candidate_now) {
      KGB_TRY(candidate_s, open.native->time_call(open, job, set, verify, processes));
      if (!candidate_s) return false;
    } else {
      KGB_TRY(baseline_s, time_baseline(open, job, set, baseline));
    }
  }
  if (turn < kWarmUps) return true;
  series.candidate.push_back(*candidate_s);
  series.baseline.push_back(baseline_s);
  series.ratio.push_back(baseline_s / *candidate_s);
  return true;
}

Status time_job(Case& open, Job& job, sandbox::Worker& baseline, Processes& processes,
                const Catalogue& catalogue) {
  Series series;
  const auto start = Steady::now();
  for (std::size_t turn = 0; turn < kMostTurns + kWarmUps; ++turn) {
    KGB_TRY(const bool whole, take_turn(open, job, turn, series, baseline, processes));
    if (!whole) return ok_status();
    const bool enough = series.ratio.size() >= kFewestTurns;
    if (enough && (series.narrow() || 1e-3 * millis_since(start) > kBudgetSeconds)) break;
    if (1e-3 * millis_since(start) > 5 * kBudgetSeconds) break;
  }
  const Result<Cost> cost = catalogue.cost_for(open.op, job.workload.call);
  if (cost.ok() && !series.candidate.empty() &&
      median(series.candidate) < cost->bytes / kFastestBytesPerSecond) {
    job.findings.push_back(make_finding("too_fast", Gate::fast,
                                        fmt::format("{:.3g} s for {:.3g} bytes is faster than any memory",
                                                    median(series.candidate), cost->bytes),
                                        job.workload.call.workload));
    return ok_status();
  }
  open.timings.push_back(timing_of(job, series, "torch"));
  return ok_status();
}

}  // namespace

Status native_time(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.native == nullptr) return ok_status();
  // One timing at a time: candidate and baseline want the machine for themselves.
  static std::mutex lease;
  const std::lock_guard held(lease);
  sandbox::Worker baseline(Processes::python_worker(processes.setup().installation, "kgbench.baseline.worker",
                                                    processes.setup().threads));
  for (Job* job : timed_jobs(open, catalogue)) {
    KGB_CHECK(time_job(open, *job, baseline, processes, catalogue));
  }
  return ok_status();
}

}  // namespace kgb
