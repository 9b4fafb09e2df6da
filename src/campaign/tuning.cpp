// SPDX-License-Identifier: Apache-2.0
// Races as judgements, and the lanes of many searches.
#include "campaign/tuning.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/lanes.hpp"
#include "campaign/probe.hpp"

namespace kgb {
namespace {

constexpr std::size_t kProbed = 3;     // workloads of each entry that a proposal is judged on
constexpr std::size_t kMostTimed = 2;  // that an operator is tuned for by itself

// When searches end early: stopped, or out of time.
class Ending {
 public:
  Ending(const TuneOptions& options, const std::atomic<bool>& stop) : options_(options), stop_(stop) {}
  [[nodiscard]] bool now() const {
    return stop_ || (options_.deadline && std::chrono::steady_clock::now() >= *options_.deadline);
  }

 private:
  const TuneOptions& options_;
  const std::atomic<bool>& stop_;
};

double bytes_of(const Catalogue& catalogue, const Operator& op, const Workload& workload) {
  const Result<Cost> cost = catalogue.cost_for(op, workload.call);
  return cost.ok() ? cost->bytes : 0;
}

}  // namespace

std::vector<Workload> worth_tuning(const Catalogue& catalogue, const Operator& op) {
  for (const Tier tier : {Tier::full, Tier::smoke}) {
    std::vector<Workload> all = catalogue.workloads(op, tier);
    std::erase_if(all, [](const Workload& workload) { return workload.edge; });
    std::stable_sort(all.begin(), all.end(), [&](const Workload& a, const Workload& b) {
      return bytes_of(catalogue, op, a) > bytes_of(catalogue, op, b);
    });
    std::set<std::string> entries;
    std::erase_if(all, [&](const Workload& workload) { return !entries.insert(workload.call.entry).second; });
    if (all.size() > kMostTimed) all.resize(kMostTimed);
    if (!all.empty()) return all;
  }
  return {};
}

std::function<Result<method::Feedback>(const method::Race& race)> races_of(Judge& judge, const Operator& op,
                                                                           JudgeRequest request,
                                                                           std::vector<Workload> timed) {
  request.op = op.name;
  request.targets.clear();
  request.time = true;
  request.timed = timed.empty() ? worth_tuning(judge.catalogue(), op) : std::move(timed);
  for (std::size_t i = 0; i < request.timed.size(); ++i)
    request.timed[i].call.workload = "t" + std::to_string(i);
  const std::vector<Workload> probe = probe_of(judge.catalogue().workloads(op, Tier::smoke), kProbed);
  return [&judge, request, probe](const method::Race& race) -> Result<method::Feedback> {
    JudgeRequest asked = request;
    asked.source = race.source;
    asked.file = "tuned.py";
    asked.contestant = "tuner";
    asked.baseline_source = race.baseline;
    asked.baseline_file = "seed.py";
    if (race.whole) {
      asked.seed = fresh_seed();
    } else {
      asked.own = probe;
      asked.value_sets = 0;
      asked.quick = true;
    }
    KGB_TRY(Evaluation evaluation, judge.judge(asked));
    return method::Feedback{std::move(evaluation), ""};
  };
}

namespace {

Result<method::Tuned> tune_one(Judge& judge, const TuneTask& task, const TuneOptions& options,
                               const std::vector<Workload>& timed, const Ending& ending) {
  KGB_TRY(const TempDir workspace, TempDir::make("kgbench-tune"));
  std::atomic<bool> ended{false};
  const auto race = races_of(judge, *task.op, options.request, timed);
  method::Task solved{.catalogue = judge.catalogue(),
                      .op = *task.op,
                      .chip = options.request.chip,
                      .seed = options.seed,
                      .workspace = workspace.path(),
                      .stop = ended,
                      .evaluate = nullptr,  // the tuner only races
                      .ask = nullptr};
  solved.race = [&](const method::Race& asked) {
    Result<method::Feedback> feedback = race(asked);
    if (ending.now()) ended = true;
    return feedback;
  };
  if (options.request.chip == "cpu") solved.race = nullptr;
  method::TunerSettings settings = options.tuner;
  settings.seed_kernel = task.seed_kernel;
  return method::tune(solved, settings);
}

}  // namespace

Result<std::vector<TuneRow>> tune_all(Judge& judge, const std::vector<TuneTask>& tasks,
                                      const TuneOptions& options,
                                      const std::function<void(const TuneRow&)>& told,
                                      const std::atomic<bool>& stop) {
  std::vector<TuneRow> rows(tasks.size());
  std::optional<Error> failed;
  std::mutex mutex;
  const Ending ending(options, stop);
  on_lanes(options.lanes, tasks.size(), [&](std::size_t i) {
    if (ending.now()) return false;
    const TuneTask& task = tasks[i];
    const auto start = Steady::now();
    std::vector<Workload> timed = task.timed.empty() ? worth_tuning(judge.catalogue(), *task.op) : task.timed;
    TuneRow& row = rows[i];
    row.op = task.op->name;
    for (const Workload& workload : timed) row.workloads.push_back(describe(workload.call));
    Result<method::Tuned> tuned = tune_one(judge, task, options, timed, ending);
    row.seconds = 1e-3 * static_cast<double>(millis_since(start));
    const std::lock_guard hold(mutex);
    if (tuned.ok()) {
      row.tuned = std::move(tuned).value();
    } else {
      row.error = tuned.error().message;
      if (tuned.error().fault == Fault::internal) failed = tuned.error();
    }
    told(row);
    return !failed;
  });
  if (failed) return *failed;
  std::erase_if(rows, [](const TuneRow& row) { return row.op.empty(); });
  return rows;
}

}  // namespace kgb
