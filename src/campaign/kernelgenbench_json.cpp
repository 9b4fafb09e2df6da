// SPDX-License-Identifier: Apache-2.0
// The two layouts of KernelGenBench's runs: of its agents and of its models.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.hpp"
#include "base/text.hpp"
#include "campaign/kernelgenbench.hpp"
#include "model/operator_name.hpp"

namespace kgb {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // results of the model track hold every source
constexpr std::size_t kMostEvidence = 300;
constexpr int kMostRounds = 1000;

constexpr const char* kAgentResults = "results.json";
constexpr const char* kModelResults = "pass_at_k_results.json";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}
bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Its own names of an operator, the likeliest first.
std::vector<std::string> their_names(const std::string& op) {
  const std::string source = source_of(op), name = short_name(op);
  if (source == "vllm") return {"vllm13::" + name, "vllm::" + name};
  if (source == "cublas") return {"cublas::cublas" + name + "_v2", "cublas::cublas" + name};
  return {op};
}

// An empty object where the file is not there.
Result<json> read_object(const fs::path& file) {
  if (!is_file(file)) return json::object();
  KGB_TRY(const std::string text, read_text_file(file, kMostBytes));
  json object = json::parse(text, nullptr, false);
  if (!object.is_object() && !object.is_array())
    return user_error(file.string() + " is no JSON as KernelGenBench writes it");
  return object;
}

std::string text_in(const json& object, const char* key) {
  return object.is_object() && object.contains(key) && object[key].is_string()
             ? object[key].get<std::string>()
             : std::string();
}

const json& at(const json& object, const std::string& key) {
  static const json nothing;
  return object.is_object() && object.contains(key) ? object[key] : nothing;
}

// What a traceback comes down to.
std::string last_line(std::string_view text) {
  std::string last;
  for (const std::string& line : split(text, '\n'))
    if (!trim(line).empty()) last = trim(line);
  return last.substr(0, kMostEvidence);
}

// Lists names as texts or as objects with op_name, by version.
bool lists(const json& names, const std::string& name) {
  if (!names.is_array()) return false;
  for (const json& one : names)
    if ((one.is_string() && one == name) || text_in(one, "op_name") == name) return true;
  return false;
}

void mark_hacked(CandidateFile& file, const json& report, const std::string& name) {
  if (!lists(at(report, "hacked_operators"), name)) return;
  file.recorded = "hacked";
  const json& why = at(at(report, "hack_details"), name);
  file.recorded_evidence = text_in(why, "layer") + ": " + last_line(text_in(why, "reason"));
}

// -- the track of agents: kernels/<source>__<op>.py, results.json by the bare name --------------------------

struct AgentRun {
  fs::path folder;
  json results, hacks;
};

// Bare names say nothing where two sources have the operator.
const json& result_of(const AgentRun& run, const std::string& name) {
  const json& operators = at(run.results, "operators");
  if (const json& whole = at(operators, name); whole.is_object()) return whole;
  const std::string bare = short_name(name);
  int owners = 0;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(run.folder / "kernels", ignored)) {
    const std::string stem = entry.path().stem().string();
    const std::size_t cut = stem.find("__");
    owners += stem == bare || (cut != std::string::npos && stem.substr(cut + 2) == bare) ? 1 : 0;
  }
  static const json nothing;
  return owners == 1 ? at(operators, bare) : nothing;
}

std::optional<CandidateFile> of_agent(const AgentRun& run, const std::string& op) {
  for (const std::string& name : their_names(op)) {
    fs::path path = run.folder / "kernels" / (replace_all(name, "::", "__") + ".py");
    // A run over one source's data set has bare names of aten.
    if (!is_file(path) && source_of(op) == "aten") path = run.folder / "kernels" / (short_name(op) + ".py");
    if (!is_file(path)) continue;
    CandidateFile file{op, path};
    const json& result = result_of(run, name);
    file.recorded = text_in(result, "status");
    if (file.recorded == "hacked") {
      file.recorded_evidence =
          text_in(result, "hack_layer") + ": " + last_line(text_in(result, "hack_reason"));
    } else if (!file.recorded.empty()) {
      file.recorded_evidence = fmt::format("{} of {} tests passed", at(result, "passed_tests").dump(),
                                           at(result, "total_tests").dump());
      if (const std::string error = last_line(text_in(result, "error")); !error.empty())
        file.recorded_evidence += "; " + error;
    }
    if (file.recorded == "passed") mark_hacked(file, run.hacks, name);
    return file;
  }
  return std::nullopt;
}

// -- the track of models: round_<i>/<source>::<op>.py, pass_at_k_results.json
// ---------------------------------

struct ModelRun {
  fs::path folder;
  json results, hacks;
};

// Of the last round that has one.
std::optional<std::pair<int, fs::path>> last_kernel(const fs::path& folder, const std::string& name) {
  std::optional<std::pair<int, fs::path>> last;
  for (int round = 0; round < kMostRounds; ++round) {
    const fs::path place = folder / fmt::format("round_{}", round);
    if (!is_folder(place)) break;
    if (is_file(place / (name + ".py"))) last = {round, place / (name + ".py")};
  }
  return last;
}

Result<std::string> why_failed(const ModelRun& run, int round, const std::string& name) {
  KGB_TRY(const json reports,
          read_object(run.folder / "verification" / fmt::format("log_{}", round) / "result.json"));
  std::string why = fmt::format("failed in round {}", round);
  if (!reports.is_array()) return why;
  for (const json& report : reports)
    if (text_in(report, "op_name") == name)
      if (const std::string line = last_line(text_in(report, "traceback")); !line.empty()) why += "; " + line;
  return why;
}

Result<std::optional<CandidateFile>> of_model(const ModelRun& run, const std::string& op) {
  for (const std::string& name : their_names(op)) {
    auto kernel = last_kernel(run.folder, name);
    if (!kernel) continue;
    const json& detail = at(at(run.results, "operator_details"), name);
    const json& passed = at(detail, "passed");
    CandidateFile file{op, kernel->second};
    if (passed.is_boolean() && passed.get<bool>()) {
      file.recorded = "passed";
      const json& first = at(detail, "first_pass_round");
      if (first.is_number_integer()) {
        kernel->first = first.get<int>();
        file.path = run.folder / fmt::format("round_{}", kernel->first) / (name + ".py");
      }
      file.recorded_evidence = fmt::format("passed in round {}", kernel->first);
      mark_hacked(file, run.hacks, name);
    } else if (passed.is_boolean()) {
      file.recorded = "failed";
      KGB_TRY(file.recorded_evidence, why_failed(run, kernel->first, name));
    }
    return std::optional(std::move(file));
  }
  return std::optional<CandidateFile>();
}

}  // namespace

bool is_kernelgenbench_run(const fs::path& folder) {
  const bool agent =
      is_folder(folder / "kernels") && (is_file(folder / kAgentResults) || is_file(folder / "progress.json"));
  const bool model =
      is_folder(folder / "round_0") && (is_file(folder / kModelResults) || is_file(folder / "args.json"));
  return agent || model;
}

Result<CandidateSet> kernelgenbench_candidates(const fs::path& folder,
                                               const std::vector<const Operator*>& operators) {
  CandidateSet set;
  const bool agent = is_folder(folder / "kernels");
  KGB_TRY(json results, read_object(folder / (agent ? kAgentResults : kModelResults)));
  KGB_TRY(json hacks,
          read_object(folder / (agent ? "antihack_report.json" : "pass_at_k_results_antihack.json")));
  const AgentRun by_agent{folder, results, hacks};
  const ModelRun by_model{folder, std::move(results), std::move(hacks)};
  for (const Operator* op : operators) {
    std::optional<CandidateFile> file;
    if (agent) {
      file = of_agent(by_agent, op->name);
    } else {
      KGB_TRY(file, of_model(by_model, op->name));
    }
    if (file)
      set.files.push_back(std::move(*file));
    else
      set.missing.push_back(op->name);
  }
  return set;
}

}  // namespace kgb
