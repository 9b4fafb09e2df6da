// SPDX-License-Identifier: Apache-2.0
// Gate fast for native candidates: candidate and baseline take turns in random order on fresh values and cold
// caches, until the interval of the ratio is narrow, or time is up.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "judge/native.hpp"
#include "judge/native_host.hpp"
#include "judge/rival.hpp"
#include "judge/timing.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr std::size_t kFewestTurns = 11, kMostTurns = 201, kWarmUps = 2;
constexpr double kBudgetSeconds = 6;  // per workload
constexpr double kNarrow = 0.02;      // relative width of the interval at which measuring stops
constexpr double kQuickBudgetSeconds = 1, kQuickNarrow = 0.1;  // of the profile quick
constexpr double kMargin = 0.02;                               // differences below it are of no interest
// No call that touches its bytes is faster: what one core can take from its caches, generously.
constexpr double kFastestBytesPerSecond = 2e12;

Result<double> time_torch(const Case& open, const Job& job, const ValueSet& set, sandbox::Worker& worker) {
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

// What native candidates are timed against: torch, or another candidate.
struct NativeBaseline {
  sandbox::Worker torch;
  std::unique_ptr<Rival> rival;

  [[nodiscard]] std::string name() const { return rival ? rival->name() : "torch"; }
  // Whether there is a baseline of this entry.
  [[nodiscard]] bool covers(const Case& open, const Job& job) const {
    return rival != nullptr || !open.entry_of(job).baseline.empty();
  }
  Result<double> time(const Case& open, const Job& job, const ValueSet& set, bool verify,
                      Processes& processes) {
    return rival ? rival->time(job.workload.call.workload, set, verify, processes)
                 : time_torch(open, job, set, torch);
  }
};

// One turn: both once, in random order. False: the candidate failed. A user's Error: the baseline did.
Result<bool> take_turn(Case& open, Job& job, std::size_t turn, Series& series, NativeBaseline& baseline,
                       Processes& processes) {
  const std::uint32_t coin = turn_coin(open, turn);
  const ValueSet set{open.request.seed, kTimedTrial, static_cast<int>(turn)};
  const bool verify = turn < kWarmUps || coin % 5 == 0;
  std::optional<double> candidate_s;
  double baseline_s = 0;
  for (const bool candidate_now : {(coin & 0x100) != 0, (coin & 0x100) == 0}) {
    if (candidate_now) {
      KGB_TRY(candidate_s, open.native->time_call(open, job, set, verify, processes));
      if (!candidate_s) return false;
    } else {
      KGB_TRY(baseline_s, baseline.time(open, job, set, verify, processes));
    }
  }
  if (turn < kWarmUps) return true;
  series.candidate.push_back(*candidate_s);
  series.baseline.push_back(baseline_s);
  series.ratio.push_back(baseline_s / *candidate_s);
  return true;
}

Status time_job(Case& open, Job& job, NativeBaseline& baseline, Processes& processes,
                const Catalogue& catalogue) {
  if (!baseline.covers(open, job)) {
    open.timings.push_back(untimed(job, "the operator has no baseline on this chip"));
    return ok_status();
  }
  Series series;
  const auto start = Steady::now();
  const double budget = open.quick() ? kQuickBudgetSeconds : kBudgetSeconds;
  const double width = open.quick() ? kQuickNarrow : kNarrow;
  for (std::size_t turn = 0; turn < kMostTurns + kWarmUps && !open.stopped(); ++turn) {
    const Result<bool> whole = take_turn(open, job, turn, series, baseline, processes);
    if (!whole.ok() && whole.error().fault == Fault::user) {
      open.timings.push_back(untimed(job, whole.error().message));
      return ok_status();
    }
    if (!whole.ok()) return whole.error();
    if (!*whole) return ok_status();
    const bool enough = series.ratio.size() >= kFewestTurns;
    if (enough && (series.narrow(width) || 1e-3 * millis_since(start) > budget)) break;
    if (1e-3 * millis_since(start) > 5 * budget) break;
  }
  if (open.stopped()) return ok_status();
  if (job.only_timed) job.judged = true;
  const Result<Cost> cost = catalogue.cost_for(open.op, job.workload.call);
  if (cost.ok() && note_too_fast(open.entry_of(job), job, series, cost->bytes, kFastestBytesPerSecond))
    return ok_status();
  open.timings.push_back(timing_of(job, series, baseline.name(), kMargin));
  return ok_status();
}

}  // namespace

Status native_time(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.native == nullptr) return ok_status();
  // One timing at a time: candidate and baseline want the machine for themselves.
  static std::mutex lease;
  const std::lock_guard held(lease);
  NativeBaseline baseline{
      sandbox::Worker(Processes::python_worker(processes.setup().installation, "kgbench.baseline.worker",
                                               processes.setup().threads)),
      nullptr};
  const bool against_torch = open.request.baseline_file.empty();
  const std::vector<Job*> jobs = timed_jobs(open, catalogue, against_torch);
  if (!against_torch) {
    KGB_TRY(baseline.rival, Rival::record(open, jobs, processes, catalogue));
  }
  for (Job* job : jobs) {
    KGB_CHECK(time_job(open, *job, baseline, processes, catalogue));
  }
  return ok_status();
}

}  // namespace kgb
