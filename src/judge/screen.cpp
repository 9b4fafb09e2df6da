// SPDX-License-Identifier: Apache-2.0
// Asks the oracle for each workload's values, compares each wrong answer with them, and counts who rejects
// it.
#include "judge/screen.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/lanes.hpp"
#include "judge/processes.hpp"
#include "judge/screen_answers.hpp"
#include "judge/screen_stability.hpp"

namespace kgb {
namespace {

struct Task {
  const Operator* op;
  Workload workload;
  ErrorBound bound;
  std::string sensitive;
};

// What one workload says about one output.
struct Seen {
  std::string output, dtype;
  bool right_refused = false;
  std::map<std::string, bool> rejected;  // by answer; only those that are wrong
  std::optional<double> moves;           // under moved inputs, in units of the bound
};

// The tensor whose dtype a reader would name first: a float that is read, else a float, else the first
// tensor.
std::optional<DType> main_input(const Call& call) {
  const auto tensors = tensors_of(call);
  const auto real = [](const TensorSpec& spec) { return is_float(spec.dtype) || is_complex(spec.dtype); };
  for (const auto& [path, spec] : tensors)
    if (real(spec) && !spec.mutated) return spec.dtype;
  for (const auto& [path, spec] : tensors)
    if (real(spec)) return spec.dtype;
  if (tensors.empty()) return std::nullopt;
  return tensors.front().second.dtype;
}

// Items of a list are one output; the members of a tuple are several.
std::string output_name(const std::string& path, const Schema& schema) {
  const std::size_t bracket = path.find('[');
  if (bracket == std::string::npos) return path;
  if (path.starts_with("return") && schema.returns.size() > 1) return path;
  return path.substr(0, bracket) + "[]";
}

const ExpectedOutput* output_at(const Expectation& expectation, const std::string& path) {
  for (const ExpectedOutput& output : expectation.outputs)
    if (output.path == path) return &output;
  return nullptr;
}

Result<bool> rejects(const std::vector<std::byte>& bytes, const ExpectedOutput& expected,
                     const ErrorBound& bound) {
  KGB_TRY(const CompareResult compared, compare(bytes, expected, bound));
  return !compared.ok();
}

Status look_at(const Task& task, const ExpectedOutput& expected, const ValueSet& set,
               const ExpectedOutput* lower, Seen& seen) {
  KGB_TRY(const bool refused, rejects(right_answer(expected), expected, task.bound));
  seen.right_refused = seen.right_refused || refused;
  for (const WrongAnswer& answer :
       wrong_answers({expected, task.workload.call, set, lower, task.bound.accumulate})) {
    KGB_TRY(const bool rejected, rejects(answer.bytes, expected, task.bound));
    bool& any = seen.rejected[std::string(answer.name)];
    any = any || rejected;
  }
  return ok_status();
}

// Of the answers that the row's workloads never find wrong, those that are wrong for ordinary values.
std::vector<std::string> blind_answers(const Task& task, const ScreenRow& row, oracle::Oracle& oracle,
                                       std::uint64_t seed) {
  std::vector<std::string> out;
  const std::optional<Call> call = enlivened(task.workload.call);
  if (!call) return out;
  // A reference may refuse ordinary values in a place that is special; then nothing is known.
  const Result<Expectation> expectation = oracle.expect(*task.op, *call, seed, 0, 0);
  if (!expectation.ok()) return out;
  for (const ExpectedOutput& expected : expectation->outputs) {
    if (expected.value.empty() ||
        output_name(expected.path, task.op->find_entry(call->entry)->schema) != row.output)
      continue;
    for (const WrongAnswer& answer :
         wrong_answers({expected, *call, {seed, 0, 0}, nullptr, task.bound.accumulate})) {
      const auto same = [&](const AnswerTally& tally) { return tally.answer == answer.name; };
      const bool known = std::any_of(row.answers.begin(), row.answers.end(), same);
      if (!known && std::find(out.begin(), out.end(), answer.name) == out.end())
        out.emplace_back(answer.name);
    }
  }
  return out;
}

Result<std::vector<Seen>> screen_workload(const Task& task, oracle::Oracle& oracle, std::uint64_t seed) {
  const Call& call = task.workload.call;
  const ValueSet set{seed, 0, 0};
  KGB_TRY(const Expectation expectation, oracle.expect(*task.op, call, seed, set.trial, set.number));
  std::vector<Seen> out;
  if (expectation.raises) return out;
  Expectation lower;
  // Not every operator takes the lower dtype; then the oracle refuses, and there is no such answer.
  if (const std::optional<Call> below = lowered(call))
    if (Result<Expectation> asked = oracle.expect(*task.op, *below, seed, set.trial, set.number); asked.ok())
      lower = std::move(asked).value();
  // A reference may refuse moved inputs (a matrix that must be a permutation); then nothing is known.
  Result<Expectation> moved =
      oracle.moved(*task.op, call, seed, set.trial, set.number, task.bound.accumulate);
  const Schema& schema = task.op->find_entry(call.entry)->schema;
  for (const ExpectedOutput& expected : expectation.outputs) {
    if (expected.value.empty() || expected.rule == "skip" || expected.rule == "metadata") continue;
    const std::string name = output_name(expected.path, schema);
    auto at = std::find_if(out.begin(), out.end(), [&](const Seen& seen) { return seen.output == name; });
    if (at == out.end()) {
      at = out.insert(out.end(), Seen{name, dtypes_text(call, expected.dtype), false, {}, {}});
    }
    KGB_CHECK(look_at(task, expected, set, output_at(lower, expected.path), *at));
    const ExpectedOutput* const after = moved.ok() ? output_at(*moved, expected.path) : nullptr;
    if (after == nullptr) continue;
    KGB_TRY(const std::optional<double> share, movement(expected, *after, task.bound));
    if (share) at->moves = std::max(*share, at->moves.value_or(0));
  }
  return out;
}

// The counted workloads of one operator; none when no values of it are compared.
Result<std::vector<Task>> tasks_of(const Catalogue& catalogue, const Operator& op, std::uint64_t seed) {
  std::vector<Workload> all = catalogue.workloads(op, Tier::smoke);
  KGB_TRY(std::vector<Workload> hidden, catalogue.hidden(op, seed));
  std::move(hidden.begin(), hidden.end(), std::back_inserter(all));
  std::vector<Task> tasks;
  for (Workload& workload : all) {
    if (workload.edge) continue;
    KGB_TRY(const ErrorBound bound, catalogue.error_for(op, workload.call));
    const ErrorModel& model = error_model_of(op, *op.find_entry(workload.call.entry));
    if (compares_values(bound)) tasks.push_back({&op, std::move(workload), bound, model.sensitive});
  }
  return tasks;
}

using Answer = std::optional<Result<std::vector<Seen>>>;

// Every kind of answer that an output can hold is wrong somewhere.
bool sees_all(const ScreenRow& row) {
  const auto wrong = [&](const char* name) {
    return std::any_of(row.answers.begin(), row.answers.end(),
                       [&](const AnswerTally& t) { return t.answer == name; });
  };
  return wrong("zeros") && wrong("ones") && wrong("constant") && wrong("mean") && wrong("shuffled") &&
         wrong("last_block_missing");
}

void find_blind(std::vector<ScreenRow>& rows, const std::vector<const Task*>& firsts, oracle::Oracle& oracle,
                const ScreenOptions& options) {
  on_lanes(options.lanes, rows.size(), [&](std::size_t i) {
    if (!sees_all(rows[i])) rows[i].blind = blind_answers(*firsts[i], rows[i], oracle, options.seed);
    return true;
  });
}

void add_to(ScreenRow& row, const std::string& workload, const Seen& seen) {
  row.workloads.push_back(workload);
  if (seen.right_refused) row.right_refused.push_back(workload);
  if (seen.moves && *seen.moves > 1) row.unstable.push_back(workload);
  if (seen.moves && *seen.moves >= row.moves.value_or(0)) {
    row.moves = seen.moves;
    row.moves_most = workload;
  }
  for (const auto& [answer, rejected] : seen.rejected) {
    auto at = std::find_if(row.answers.begin(), row.answers.end(),
                           [&](const AnswerTally& t) { return t.answer == answer; });
    if (at == row.answers.end()) at = row.answers.insert(row.answers.end(), AnswerTally{answer, {}, {}});
    at->differs.push_back(workload);
    if (rejected) at->rejected.push_back(workload);
  }
}

}  // namespace

std::string dtypes_text(const Call& call, DType out) {
  const std::optional<DType> in = main_input(call);
  if (!in || *in == out) return std::string(name_of(out));
  return std::string(name_of(*in)) + " -> " + std::string(name_of(out));
}

bool compares_values(const ErrorBound& bound) {
  return bound.error_class != ErrorClass::random && bound.error_class != ErrorClass::metadata;
}

std::size_t ScreenRow::holes() const {
  return static_cast<std::size_t>(
             std::count_if(answers.begin(), answers.end(), [](const AnswerTally& t) { return t.hole(); })) +
         blind.size() + (right_refused.empty() ? 0 : 1) + (unstable.empty() || !sensitive.empty() ? 0 : 1);
}

std::size_t ScreenReport::holes() const {
  std::size_t n = 0;
  for (const ScreenRow& row : rows) n += row.holes();
  return n;
}

Result<ScreenReport> screen(const Catalogue& catalogue, const std::vector<const Operator*>& operators,
                            const Installation& installation, const ScreenOptions& options) {
  ScreenReport report;
  report.seed = options.seed;
  std::vector<Task> tasks;
  for (const Operator* op : operators) {
    KGB_TRY(std::vector<Task> some, tasks_of(catalogue, *op, options.seed));
    if (some.empty())
      report.skipped.push_back({op->name, op->tagged("random")
                                              ? "random: judged by statistics, no values are compared"
                                              : "no values are compared: only dtype, shape and strides"});
    std::move(some.begin(), some.end(), std::back_inserter(tasks));
  }
  oracle::Oracle oracle(Processes::python_worker(installation, "kgbench.oracle.worker"),
                        static_cast<std::size_t>(options.lanes));
  std::vector<Answer> answers(tasks.size());
  on_lanes(options.lanes, tasks.size(), [&](std::size_t i) {
    answers[i] = screen_workload(tasks[i], oracle, options.seed);
    return answers[i]->ok();
  });
  for (const Answer& answer : answers)
    if (answer && !answer->ok()) return answer->error();
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::pair<ScreenRow, const Task*>>
      rows;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const Call& call = tasks[i].workload.call;
    for (const Seen& seen : answers[i]->value()) {
      auto& [row, first] = rows[{call.op, call.entry, seen.output, seen.dtype}];
      if (first == nullptr) first = &tasks[i];
      row.op = call.op;
      row.entry = call.entry;
      row.output = seen.output;
      row.dtype = seen.dtype;
      row.sensitive = tasks[i].sensitive;
      add_to(row, call.workload, seen);
    }
  }
  std::vector<const Task*> firsts;
  for (auto& [key, row] : rows) {
    report.rows.push_back(std::move(row.first));
    firsts.push_back(row.second);
  }
  find_blind(report.rows, firsts, oracle, options);
  return report;
}

}  // namespace kgb
