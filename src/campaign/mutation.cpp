// SPDX-License-Identifier: Apache-2.0
// Makes mutants, judges them over several lanes, counts.
#include "campaign/mutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/files.hpp"
#include "base/lanes.hpp"
#include "base/text.hpp"
#include "campaign/probe.hpp"
#include "catalogue/toml.hpp"
#include "model/operator_name.hpp"
#include "sandbox/process.hpp"

namespace kgb {
namespace {

struct MutantPlace {
  std::size_t row, result;
};

std::string first_finding(const Evaluation& evaluation) {
  for (const Finding& finding : evaluation.findings)
    if (verdict_of(finding.kind)) return finding.kind + ": " + finding.message.substr(0, 160);
  return "";
}

// Findings that come of comparing values: whether they are made depends on the tolerance.
bool is_of_values(const std::string& kind) {
  return kind == "value_mismatch" || kind == "nonfinite_mismatch" || kind == "uninitialised_output";
}

struct Judged {
  Evaluation evaluation;
  Verdict published = Verdict::pass;  // pass: nothing that was seen is wrong under the published tolerance
};

// One judgement by the card's bound, with everything compared held against the published tolerance, too.
Result<Judged> judge_both(Judge& judge, const JudgeRequest& request) {
  Judged judged;
  std::optional<Error> failed;
  const Observer observer = [&](const Compared& seen) {
    if (judged.published != Verdict::pass) return;
    ErrorBound bound = seen.bound;
    bound.published = true;
    const Result<CompareResult> compared = compare(seen.bytes, seen.expected, bound);
    if (!compared) failed = compared.error();
    if (compared && !compared->ok()) judged.published = Verdict::wrong_value;
  };
  KGB_TRY(judged.evaluation, judge.judge(request, observer));
  if (failed) return *failed;
  for (const Finding& finding : judged.evaluation.findings)
    if (const auto verdict = verdict_of(finding.kind); verdict && !is_of_values(finding.kind))
      judged.published = judged.evaluation.verdict;
  return judged;
}

// The verdicts under both tolerances: a probe first, then whatever it has left open. A workload ends at its
// first wrong call, so what the published tolerance would have seen after that takes a judgement of its own.
Status judge_mutant(Judge& judge, JudgeRequest request, const std::vector<Workload>& all,
                    MutantResult& result) {
  const auto take = [&](const Judged& judged) {
    result.verdict = judged.evaluation.verdict;
    result.published = judged.published;
    result.finding = first_finding(judged.evaluation);
  };
  request.own = probe_of(all, 3);  // most mutants are found by any of them, at a fraction of the cost
  KGB_TRY(const Judged probed, judge_both(judge, request));
  take(probed);
  request.own = all;
  if (result.verdict == Verdict::pass) {
    KGB_TRY(const Judged whole, judge_both(judge, request));
    take(whole);
  }
  if (result.verdict == Verdict::pass || result.published != Verdict::pass) return ok_status();
  request.tolerance = "published";
  KGB_TRY(const Evaluation published, judge.judge(request));
  result.published = published.verdict;
  return ok_status();
}

Result<std::vector<Workload>> workloads_of(const Catalogue& catalogue, const Operator& op,
                                           const JudgeRequest& request) {
  std::vector<Workload> all;
  for (const Tier tier : request.tiers) {
    std::vector<Workload> some = catalogue.workloads(op, tier);
    if (tier == Tier::hidden) {
      KGB_TRY(some, catalogue.hidden(op, request.seed));
    }
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

Result<MutationRow> row_of(const Operator& op, const Installation& installation,
                           const MutationOptions& options) {
  MutationRow row;
  row.op = op.name;
  KGB_TRY(const auto equivalents, read_equivalents(op.folder));
  KGB_TRY(std::vector<Mutant> mutants,
          make_mutants(installation, op.folder / "expert.py", options.per_operator, options.seed));
  for (Mutant& mutant : mutants) {
    MutantResult result;
    if (const auto known = equivalents.find(mutant.id); known != equivalents.end())
      result.equivalent = known->second;
    result.mutant = std::move(mutant);
    row.results.push_back(std::move(result));
  }
  return row;
}

}  // namespace

bool MutantResult::counts() const {
  return equivalent.empty() && verdict != Verdict::infra && verdict != Verdict::compile_error;
}

std::size_t MutationRow::judged() const {
  return static_cast<std::size_t>(
      std::count_if(results.begin(), results.end(), [](const MutantResult& r) { return r.counts(); }));
}
std::size_t MutationRow::killed() const {
  return judged() - static_cast<std::size_t>(std::count_if(
                        results.begin(), results.end(), [](const MutantResult& r) { return r.survived(); }));
}

std::size_t MutationRow::killed_published() const {
  return static_cast<std::size_t>(std::count_if(results.begin(), results.end(), [](const MutantResult& r) {
    return r.counts() && r.published != Verdict::pass;
  }));
}

Result<std::vector<Mutant>> make_mutants(const Installation& installation, const std::filesystem::path& file,
                                         int count, std::uint64_t seed) {
  sandbox::Command command;
  command.argv = {installation.interpreter,
                  "-s",
                  "-m",
                  "kgbench.mutate",
                  std::filesystem::absolute(file).string(),
                  "--seed",
                  std::to_string(seed)};
  if (count > 0) command.argv.insert(command.argv.end(), {"--count", std::to_string(count)});
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1",
                         "PYTHONPATH=" + installation.python_dir.string()};
  sandbox::Limits limits;
  limits.wall = Millis(120'000);
  limits.keep_stdout = std::size_t{64} << 20;
  KGB_TRY(const sandbox::Output output, sandbox::run(command, limits));
  if (!output.finished.clean())
    return user_error("no mutants of " + in_quotes(file.string()) + ": " +
                      (output.err.empty() ? output.finished.describe() : to_utf8_lossy(trim(output.err))));
  return mutants_from_json_lines(output.out);
}

Result<std::map<std::string, std::string>> read_equivalents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> known;
  const std::filesystem::path path = folder / "equivalent.toml";
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return known;
  KGB_TRY(const std::string text, read_file(path, kMaxTomlBytes));
  const Result<TomlTable> table = parse_toml(text);
  if (!table) return user_error(path.string() + ":" + table.error().message);
  for (const TomlItem& item : table->items) {
    const std::string* why = item.value.text();
    if (why == nullptr || trim(*why).empty())
      return user_error(fmt::format("{}:{}: \"{}\" must say why that mutant computes the same", path.string(),
                                    item.value.line, item.key));
    known[item.key] = *why;
  }
  return known;
}

Result<std::vector<MutationRow>> mutation_score(
    Judge& judge, const Installation& installation, const std::vector<const Operator*>& operators,
    const MutationOptions& options,
    const std::function<void(const std::string& op, const MutantResult&)>& told,
    const std::atomic<bool>& stop) {
  std::mutex mutex;
  std::optional<Error> failed;
  const auto fail = [&](const Error& error) {
    const std::lock_guard hold(mutex);
    failed = error;
    return false;
  };
  std::vector<MutationRow> rows(operators.size());
  std::vector<std::vector<Workload>> workloads(operators.size());
  on_lanes(options.lanes, operators.size(), [&](std::size_t i) {
    Result<MutationRow> row = row_of(*operators[i], installation, options);
    if (!row) return fail(row.error());
    Result<std::vector<Workload>> some = workloads_of(judge.catalogue(), *operators[i], options.request);
    if (!some) return fail(some.error());
    rows[i] = std::move(row).value();
    workloads[i] = std::move(some).value();
    return true;
  });
  if (failed) return *failed;
  std::vector<MutantPlace> places;
  for (std::size_t row = 0; row < rows.size(); ++row)
    for (std::size_t i = 0; i < rows[row].results.size(); ++i) places.push_back({row, i});
  on_lanes(options.lanes, places.size(), [&](std::size_t at) {
    if (stop) return false;
    MutationRow& row = rows[places[at].row];
    MutantResult& result = row.results[places[at].result];
    JudgeRequest request = options.request;
    request.op = row.op;
    request.source = result.mutant.source;
    request.file = "expert.py";
    request.contestant = "mutant";
    const Status done = judge_mutant(judge, std::move(request), workloads[places[at].row], result);
    if (!done.ok()) return fail(done.error());
    const std::lock_guard hold(mutex);
    told(row.op, result);
    return true;
  });
  if (failed) return *failed;
  return rows;
}

namespace {

struct Tally {
  std::size_t operators = 0, judged = 0, killed = 0, published = 0, equivalent = 0, stillborn = 0, infra = 0;

  void add(const MutationRow& row) {
    ++operators;
    judged += row.judged();
    killed += row.killed();
    published += row.killed_published();
    for (const MutantResult& r : row.results) {
      equivalent += r.equivalent.empty() ? 0 : 1;
      stillborn += r.verdict == Verdict::compile_error ? 1 : 0;
      infra += r.verdict == Verdict::infra ? 1 : 0;
    }
  }
  [[nodiscard]] std::string text() const {
    const auto percent = [&](std::size_t n) {
      return judged == 0 ? 0.0 : 100.0 * static_cast<double>(n) / static_cast<double>(judged);
    };
    return fmt::format(
        "{} of {} mutants found ({:.1f} %), {} ({:.1f} %) by the published tolerance; besides {} equivalent "
        "and {} that do not compile; {} operators\n",
        killed, judged, percent(killed), published, percent(published), equivalent, stillborn, operators);
  }
};

std::string row_text(const MutationRow& row) {
  std::string text = fmt::format("  {:<36} {:>4} of {:<4} found, {:>4} by the published tolerance\n", row.op,
                                 row.killed(), row.judged(), row.killed_published());
  for (const MutantResult& r : row.results) {
    if (r.survived())
      text +=
          fmt::format("    SURVIVES  {}  line {}\n              {}\n           -> {}\n", r.mutant.id,
                      r.mutant.line, r.mutant.before, r.mutant.after.empty() ? "(left out)" : r.mutant.after);
    else if (!r.equivalent.empty() && r.verdict != Verdict::pass && r.verdict != Verdict::infra)
      text += fmt::format("    NOT EQUIVALENT  {}  line {}: {}\n", r.mutant.id, r.mutant.line, r.finding);
  }
  return text;
}

}  // namespace

std::string mutation_text(const std::vector<MutationRow>& rows) {
  std::string text;
  std::map<std::string, Tally> sources;
  Tally all;
  for (const MutationRow& row : rows) {
    text += row_text(row);
    sources[source_of(row.op)].add(row);
    all.add(row);
  }
  if (sources.size() > 1)
    for (const auto& [source, tally] : sources) text += source + ": " + tally.text();
  text += all.text();
  if (all.infra > 0)
    text += fmt::format("{} could not be judged: the host's fault, not counted\n", all.infra);
  return text;
}

}  // namespace kgb
