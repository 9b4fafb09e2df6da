// SPDX-License-Identifier: Apache-2.0
// The two layouts of KernelGenBench's runs: of its agents and of its models.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/files.hpp"
#include "base/json_text.hpp"
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

// Null where the file is not there.
Result<json> read_json(const fs::path& file, json::value_t kind) {
  if (!is_file(file)) return json();
  KGB_TRY(const std::string text, read_text_file(file, kMostBytes));
  json value = json::parse(text, nullptr, false);
  if (value.type() != kind) return user_error(file.string() + " is no JSON as KernelGenBench writes it");
  return value;
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
  return std::string(cut_utf8(to_utf8_lossy(last), kMostEvidence));
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

struct Run {
  fs::path folder;
  json results, hacks;
  std::map<int, json> reports;  // of the rounds that were asked for: one file tells of every operator
};

// -- the track of agents: kernels/<source>__<op>.py, results.json by the bare name --------------------------

// Bare names say nothing where two sources have the operator.
const json& result_of(const Run& run, const std::string& name) {
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

std::optional<CandidateFile> of_agent(const Run& run, const std::string& op) {
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

// -- the track of models: round_<i>/<source>::<op>.py, pass_at_k_results.json -------------------------------

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

Result<std::string> why_failed(Run& run, int round, const std::string& name) {
  if (!run.reports.contains(round)) {
    KGB_TRY(run.reports[round],
            read_json(run.folder / "verification" / fmt::format("log_{}", round) / "result.json",
                      json::value_t::array));
  }
  std::string why = fmt::format("failed in round {}", round);
  for (const json& report : run.reports[round])
    if (text_in(report, "op_name") == name)
      if (const std::string line = last_line(text_in(report, "traceback")); !line.empty()) why += "; " + line;
  return why;
}

// Its kernel is the one that passed first, where that is there. Returns the evidence.
std::string take_first_pass(const Run& run, const json& first, const std::string& name,
                            const std::pair<int, fs::path>& last, CandidateFile& file) {
  if (!first.is_number_integer()) return fmt::format("passed in round {}", last.first);
  const std::string round = fmt::format("round_{}", first.get<std::int64_t>());
  const fs::path path = run.folder / round / (name + ".py");
  std::string evidence = fmt::format("passed in round {}", first.get<std::int64_t>());
  if (is_file(path))
    file.path = path;
  else
    evidence += fmt::format(", whose kernel is not there: judged is that of round {}", last.first);
  return evidence;
}

Result<std::optional<CandidateFile>> of_model(Run& run, const std::string& op) {
  for (const std::string& name : their_names(op)) {
    auto kernel = last_kernel(run.folder, name);
    if (!kernel) continue;
    const json& detail = at(at(run.results, "operator_details"), name);
    const json& passed = at(detail, "passed");
    CandidateFile file{op, kernel->second};
    if (passed.is_boolean() && passed.get<bool>()) {
      file.recorded = "passed";
      file.recorded_evidence = take_first_pass(run, at(detail, "first_pass_round"), name, *kernel, file);
      mark_hacked(file, run.hacks, name);
    } else if (passed.is_boolean()) {
      file.recorded = "failed";
      KGB_TRY(file.recorded_evidence, why_failed(run, kernel->first, name));
    }
    return std::optional(std::move(file));
  }
  return std::optional<CandidateFile>();
}

// -- which of them ------------------------------------------------------------------------------------------

enum class Layout { none, agent, model };

// A folder of anybody's may hold kernels/ and a results.json: theirs says of operators.
bool tells_of(const fs::path& file, const char* key) {
  const Result<std::string> text = read_text_file(file, kMostBytes);
  return text.ok() && at(json::parse(*text, nullptr, false), key).is_object();
}

// A run that was cut off has no results yet, only what it was begun with.
bool is_layout(const fs::path& folder, const char* kernels, const char* results, const char* key,
               const char* begun) {
  if (!is_folder(folder / kernels)) return false;
  return is_file(folder / results) ? tells_of(folder / results, key) : is_file(folder / begun);
}

Layout layout_of(const fs::path& folder) {
  if (is_layout(folder, "kernels", kAgentResults, "operators", "progress.json")) return Layout::agent;
  if (is_layout(folder, "round_0", kModelResults, "operator_details", "args.json")) return Layout::model;
  return Layout::none;
}

}  // namespace

bool is_kernelgenbench_run(const fs::path& folder) {
  return layout_of(folder) != Layout::none;
}

Result<CandidateSet> kernelgenbench_candidates(const fs::path& folder,
                                               const std::vector<const Operator*>& operators) {
  const Layout layout = layout_of(folder);
  if (layout == Layout::none) return user_error(folder.string() + " is no run of KernelGenBench");
  const bool agent = layout == Layout::agent;
  Run run{folder, {}, {}, {}};
  KGB_TRY(run.results, read_json(folder / (agent ? kAgentResults : kModelResults), json::value_t::object));
  KGB_TRY(run.hacks, read_json(folder / (agent ? "antihack_report.json" : "pass_at_k_results_antihack.json"),
                               json::value_t::object));
  CandidateSet set;
  for (const Operator* op : operators) {
    std::optional<CandidateFile> file;
    if (agent) {
      file = of_agent(run, op->name);
    } else {
      KGB_TRY(file, of_model(run, op->name));
    }
    if (file)
      set.files.push_back(std::move(*file));
    else
      set.missing.push_back(op->name);
  }
  return set;
}

}  // namespace kgb
