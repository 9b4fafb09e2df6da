// SPDX-License-Identifier: Apache-2.0
// Writes what a run found.
#include <map>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "campaign/export.hpp"
#include "model/operator_name.hpp"

namespace kgb {
namespace {

using nlohmann::json;

std::string line_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

template <typename T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

bool passed(const StoredSample& sample) {
  return sample.evaluation && sample.evaluation->verdict == Verdict::pass;
}

// Tokens and money of an item; a call whose counts are unknown makes the sums unknown.
struct Spent {
  std::int64_t calls = 0;
  std::optional<std::int64_t> prompt = 0, completion = 0;
  std::optional<double> dollars = 0;
  template <typename T>
  static void add(std::optional<T>& sum, const std::optional<T>& more) {
    if (sum && more)
      *sum += *more;
    else
      sum.reset();
  }
  void add(const ModelCall& call) {
    ++calls;
    add(prompt, call.prompt);
    add(completion, call.completion);
    add(dollars, call.dollars);
  }
};

}  // namespace

std::vector<const StoredSample*> best_samples(const std::vector<StoredSample>& samples) {
  std::map<std::string, const StoredSample*> best;
  for (const StoredSample& sample : samples) {
    if (!passed(sample)) continue;
    const StoredSample*& held = best[sample.item.op];
    if (held == nullptr ||
        mean_speedup(*sample.evaluation).value_or(0) > mean_speedup(*held->evaluation).value_or(0))
      held = &sample;
  }
  std::vector<const StoredSample*> found;
  for (const auto& [op, sample] : best) found.push_back(sample);
  return found;
}

Result<std::int64_t> export_best(const StoredRun& run, const std::filesystem::path& folder) {
  KGB_TRY(const std::vector<StoredSample> samples, stored_samples(run));
  json index{{"schema", 1},
             {"run", run.run.id},
             {"contestant", run.run.contestant},
             {"model", run.run.model},
             {"chip", run.run.chip},
             {"version", run.run.version},
             {"kernels", json::array()}};
  std::int64_t count = 0;
  for (const StoredSample* sample : best_samples(samples)) {
    const std::string& op = sample->item.op;
    const std::string place = candidate_name(op, suffix_of(sample->evaluation->language));
    KGB_CHECK(make_folders((folder / place).parent_path()));
    KGB_CHECK(write_file_atomic(folder / place, sample->source));
    index["kernels"].push_back({{"op", op},
                                {"file", place},
                                {"sample", sample->item.sample},
                                {"source_hash", sample->evaluation->source_hash},
                                {"speedup", or_null(mean_speedup(*sample->evaluation))}});
    ++count;
  }
  KGB_CHECK(make_folders(folder));
  KGB_CHECK(write_file_atomic(folder / "index.json", index.dump(2) + "\n"));
  return count;
}

Status export_samples(const StoredRun& run, const std::function<void(std::string_view line)>& write) {
  KGB_TRY(const std::vector<StoredSample> samples, stored_samples(run));
  KGB_TRY(const std::vector<ModelCall> calls, run.store.calls(run.run.id));
  KGB_TRY(const std::vector<Attempt> attempts, run.store.attempts(run.run.id));
  std::map<std::int64_t, Spent> spent;
  for (const ModelCall& call : calls) spent[call.item].add(call);
  std::map<std::int64_t, json> tries;
  for (const Attempt& attempt : attempts)
    tries[attempt.item].push_back({{"round", attempt.round},
                                   {"note", attempt.note},
                                   {"verdict", attempt.verdict},
                                   {"source", attempt.source}});
  for (const StoredSample& sample : samples) {
    const Spent& used = spent[sample.item.id];
    json object{{"schema", 1},
                {"run", run.run.id},
                {"contestant", run.run.contestant},
                {"model", run.run.model},
                {"chip", run.run.chip},
                {"op", sample.item.op},
                {"sample", sample.item.sample},
                {"calls", used.calls},
                {"prompt_tokens", or_null(used.prompt)},
                {"completion_tokens", or_null(used.completion)},
                {"dollars", or_null(used.dollars)},
                {"source", sample.source}};
    object["attempts"] = tries.contains(sample.item.id) ? tries[sample.item.id] : json::array();
    object["verdict"] = sample.evaluation ? json(name_of(sample.evaluation->verdict)) : json(nullptr);
    object["speedup"] = sample.evaluation ? or_null(mean_speedup(*sample.evaluation)) : json(nullptr);
    object["evaluation"] = sample.evaluation ? to_json(*sample.evaluation) : json(nullptr);
    write(line_of(object));
  }
  return ok_status();
}

}  // namespace kgb
