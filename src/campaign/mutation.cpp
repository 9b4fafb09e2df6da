// SPDX-License-Identifier: Apache-2.0
// Makes mutants, judges them over several lanes, counts.
#include "campaign/mutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <thread>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/toml.hpp"
#include "sandbox/process.hpp"

namespace kgb {
namespace {

struct Place {
  std::size_t row, result;
};

std::string first_finding(const Evaluation& evaluation) {
  for (const Finding& finding : evaluation.findings)
    if (verdict_of(finding.kind)) return finding.kind + ": " + finding.message.substr(0, 160);
  return "";
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

std::size_t MutationRow::judged() const {
  return static_cast<std::size_t>(std::count_if(results.begin(), results.end(), [](const MutantResult& r) {
    return r.equivalent.empty() && r.verdict != Verdict::infra;
  }));
}
std::size_t MutationRow::killed() const {
  return judged() - static_cast<std::size_t>(std::count_if(
                        results.begin(), results.end(), [](const MutantResult& r) { return r.survived(); }));
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
  std::vector<MutationRow> rows;
  std::vector<Place> places;
  for (const Operator* op : operators) {
    KGB_TRY(MutationRow row, row_of(*op, installation, options));
    for (std::size_t i = 0; i < row.results.size(); ++i) places.push_back({rows.size(), i});
    rows.push_back(std::move(row));
  }
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::optional<Error> failed;
  const auto lane = [&] {
    for (std::size_t at = next++; at < places.size() && !stop; at = next++) {
      MutationRow& row = rows[places[at].row];
      MutantResult& result = row.results[places[at].result];
      JudgeRequest request = options.request;
      request.op = row.op;
      request.source = result.mutant.source;
      request.file = "expert.py";
      request.contestant = "mutant";
      const Result<Evaluation> evaluation = judge.judge(request);
      const std::lock_guard hold(mutex);
      if (!evaluation) {
        failed = evaluation.error();
        return;
      }
      result.verdict = evaluation->verdict;
      result.finding = first_finding(*evaluation);
      told(row.op, result);
    }
  };
  std::vector<std::thread> lanes;
  for (int i = 0; i < options.lanes; ++i) lanes.emplace_back(lane);
  for (std::thread& thread : lanes) thread.join();
  if (failed) return *failed;
  return rows;
}

std::string mutation_text(const std::vector<MutationRow>& rows) {
  std::string text;
  std::size_t judged = 0, killed = 0, equivalent = 0, infra = 0;
  for (const MutationRow& row : rows) {
    judged += row.judged();
    killed += row.killed();
    text += fmt::format("  {:<36} {:>4} of {:<4} found\n", row.op, row.killed(), row.judged());
    for (const MutantResult& r : row.results) {
      equivalent += r.equivalent.empty() ? 0 : 1;
      infra += r.verdict == Verdict::infra ? 1 : 0;
      if (r.survived())
        text += fmt::format("    SURVIVES  {}  line {}\n              {}\n           -> {}\n", r.mutant.id,
                            r.mutant.line, r.mutant.before,
                            r.mutant.after.empty() ? "(left out)" : r.mutant.after);
      else if (!r.equivalent.empty() && r.verdict != Verdict::pass && r.verdict != Verdict::infra)
        text += fmt::format("    NOT EQUIVALENT  {}  line {}: {}\n", r.mutant.id, r.mutant.line, r.finding);
    }
  }
  text += fmt::format("{} of {} mutants found ({:.1f} %), {} equivalent, over {} operators\n", killed, judged,
                      judged == 0 ? 0.0 : 100.0 * static_cast<double>(killed) / static_cast<double>(judged),
                      equivalent, rows.size());
  if (infra > 0) text += fmt::format("{} could not be judged: the host's fault, not counted\n", infra);
  return text;
}

}  // namespace kgb
