// SPDX-License-Identifier: Apache-2.0
// Judges both, has the new one timed against the old one, or counts both where nothing is a clock.
#include "compare_candidates.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "command.hpp"
#include "counted.hpp"
#include "judge_told.hpp"
#include "model/generate.hpp"
#include "report/versus.hpp"

namespace kgb::app {
namespace {

bool on_the_host(const CandidatePair& pair) {
  return language_of(pair.after) == "cpp";
}

// What can be wrong with the command before anything starts.
Status check(const CandidatePair& pair, const ResolvedOptions& resolved, const Operator& op) {
  if (language_of(pair.before) != language_of(pair.after))
    return user_error(pair.before + " and " + pair.after +
                      " are of two languages, which are not timed alike. Compare two of one");
  if (op.tagged("no_kernel")) return user_error(op.name + " has no kernel that could be compared");
  if (pair.fail_if_slower && resolved.chip == "cpu" && !on_the_host(pair))
    return user_error(
        "--fail-on-regression needs times, and the virtual machine of chip cpu is no clock. Use it on a GPU, "
        "or with .cpp candidates");
  return ok_status();
}

VersusSide side_of(const Evaluation& evaluation) {
  VersusSide side{evaluation.candidate, evaluation.source_hash, evaluation.verdict, std::nullopt};
  if (const Finding* why = deciding_finding(evaluation.findings)) side.reason = *why;
  return side;
}

class Pair {
 public:
  Pair(const CandidatePair& pair, Judge& judge, JudgeRequest request, std::vector<Workload> timed)
      : pair_(pair), judge_(judge), request_(std::move(request)), timed_(std::move(timed)) {
    versus_.op = request_.op;
    versus_.chip = request_.chip;
    versus_.seed = seed_text(request_.seed);
    versus_.timed = on_the_host(pair) || request_.chip != "cpu";
  }

  Result<Versus> run() {
    KGB_TRY(const std::string before, read_file(pair_.before, kCandidateFileBytes));
    KGB_TRY(const std::string after, read_file(pair_.after, kCandidateFileBytes));
    KGB_TRY(const Evaluation old, judged(request_for(pair_.before, before)));
    JudgeRequest request = request_for(pair_.after, after);
    if (versus_.timed && old.verdict == Verdict::pass) {
      request.time = true;
      request.baseline_source = before;
      request.baseline_file = pair_.before;
    }
    KGB_TRY(const Evaluation evaluation, judged(request));
    versus_.before = side_of(old);
    versus_.after = side_of(evaluation);
    if (!both_pass(versus_)) return std::move(versus_);
    if (versus_.timed)
      take_times(evaluation);
    else
      KGB_CHECK(count_both(before, after));
    return std::move(versus_);
  }

 private:
  JudgeRequest request_for(const std::string& file, const std::string& source) const {
    JudgeRequest request = request_;
    request.file = file;
    request.source = source;
    request.time = false;
    if (versus_.timed) request.timed = timed_;
    return request;
  }

  // Where nothing is timed, the workloads of --time-spec are judged like all others.
  Result<Evaluation> judged(JudgeRequest request) {
    KGB_TRY(Evaluation evaluation, judge_told(judge_, request));
    if (versus_.timed || timed_.empty() || evaluation.verdict != Verdict::pass) return evaluation;
    request.own = timed_;
    request.only_workload.reset();
    return judge_told(judge_, request);
  }

  void take_times(const Evaluation& evaluation) {
    for (const Timing& timing : evaluation.timings) {
      VersusRow& row = versus_.rows.emplace_back();
      row.workload = timing.workload;
      row.timing = timing;
      for (const WorkloadResult& workload : evaluation.workloads)
        if (workload.id == timing.workload) row.description = workload.description;
    }
  }

  Status count_both(const std::string& before, const std::string& after) {
    JudgeRequest request = request_for(pair_.after, after);
    if (!timed_.empty()) {
      request.own = timed_;
      request.only_workload.reset();
    }
    KGB_TRY(const std::vector<std::string> ids, judge_.timed_workloads(request));
    for (const std::string& id : ids) {
      request.only_workload = id;
      VersusRow& row = versus_.rows.emplace_back();
      row.workload = id;
      VersusRow::Work work;
      for (const bool old : {true, false}) {
        request.file = old ? pair_.before : pair_.after;
        request.source = old ? before : after;
        KGB_TRY(const std::optional<CounterTotals> counted, count(request, row));
        if (!counted) break;
        (old ? work.before : work.after) = *counted;
      }
      if (row.why.empty()) row.work = work;
    }
    return ok_status();
  }

  // Of the last call, which is the one that would be timed. nullopt: the row says why.
  Result<std::optional<CounterTotals>> count(const JudgeRequest& request, VersusRow& row) {
    KGB_TRY(const std::vector<Judge::Planned> planned, judge_.plan(request));
    if (planned.size() != 1) return internal_error("workload " + row.workload + " is not one");
    row.description = describe(planned.front().call);
    KGB_TRY(const Counted counted,
            count_calls(planned.front(), request.file, request.seed, pair_.judge.trial_s, workshop_));
    if (counted.findings.empty() && !counted.calls.empty())
      return std::optional<CounterTotals>(totals(counted.calls.back()));
    row.why = request.file + ": " +
              (counted.findings.empty() ? "it has no launch plan" : counted.findings.front().message);
    return std::optional<CounterTotals>();
  }

  const CandidatePair& pair_;
  Judge& judge_;
  JudgeRequest request_;
  std::vector<Workload> timed_;
  executor::Workshop workshop_;
  Versus versus_;
};

int exit_code_of(const Versus& versus, bool fail_if_slower) {
  for (const VersusSide* side : {&versus.before, &versus.after})
    if (side->verdict == Verdict::infra) return kExitFault;
  if (!both_pass(versus)) return kExitFailed;
  const bool slower = std::any_of(versus.rows.begin(), versus.rows.end(), [](const VersusRow& row) {
    return row.timing && row.timing->call == name_of(SpeedCall::slower);
  });
  return fail_if_slower && slower ? kExitFailed : kExitPass;
}

}  // namespace

bool names_candidate(const std::filesystem::path& argument) {
  std::error_code ignored;
  if (std::filesystem::is_directory(argument, ignored)) return false;
  const std::string extension = argument.extension().string();
  return extension == ".py" || language_of(argument.string()) != "triton";
}

Result<int> compare_candidates(const CandidatePair& pair) {
  if (pair.op.empty())
    return user_error("of which operator are " + pair.before + " and " + pair.after +
                      "? Name it with --op (kgbench list)");
  KGB_TRY(const ResolvedOptions resolved, resolve(pair.judge));
  KGB_TRY(const Catalogue catalogue, load_catalogue({pair.op}));
  KGB_TRY(const Operator* const op, catalogue.find(pair.op));
  KGB_CHECK(check(pair, resolved, *op));
  JudgeRequest request = request_of(pair.judge, resolved);
  request.op = op->name;
  request.contestant = "file";
  request.targets.clear();
  KGB_TRY(request.own, own_workloads_of(pair.judge, *op));
  if (!pair.only.empty()) request.only_workload = pair.only;
  KGB_TRY(std::vector<Workload> timed, timed_workloads_of(pair.time_specs, *op));
  for (const std::string& file : {pair.before, pair.after}) {
    KGB_TRY([[maybe_unused]] const std::string readable, read_file(file, kCandidateFileBytes));
  }
  KGB_TRY(std::unique_ptr<Judge> judge, open_judge(pair.judge, 1, catalogue));
  KGB_TRY(const Versus versus, Pair(pair, *judge, std::move(request), std::move(timed)).run());
  if (pair.json)
    std::printf("%s\n",
                to_json(versus).dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  else
    std::fputs(versus_text(versus).c_str(), stdout);
  return exit_code_of(versus, pair.fail_if_slower);
}

}  // namespace kgb::app
