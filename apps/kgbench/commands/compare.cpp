// SPDX-License-Identifier: Apache-2.0
// kgbench compare: which of several runs is better, where, and whether chance would do; of two also operator
// by operator what became worse. Of two candidates: which is faster.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "command.hpp"
#include "compare_candidates.hpp"
#include "report/compare.hpp"
#include "report/contestants.hpp"
#include "stored_run.hpp"

namespace kgb::app {
namespace {

struct CompareArguments {
  std::vector<std::filesystem::path> arguments;
  std::string op, only;
  std::vector<std::string> time_specs;
  bool fail = false, json = false;
  JudgeOptions judge;
};

void print(const nlohmann::json& document) {
  std::printf("%s\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

Result<int> compare_two(const CompareArguments& options, const RunReport& before, const RunReport& after,
                        const Contest& contest) {
  const Comparison comparison = compare_runs(before, after);
  if (options.json) {
    nlohmann::json document = comparison_json(comparison, before, after);
    document["statistics"] = contest_json(contest);
    print(document);
  } else {
    std::printf("%s\n%s", comparison_text(comparison, before, after).c_str(), contest_text(contest).c_str());
  }
  return options.fail && comparison.regressions() > 0 ? kExitFailed : kExitPass;
}

Result<int> compare_stored(const CompareArguments& options) {
  const std::string chip = options.judge.chip == "auto" ? "" : options.judge.chip;
  KGB_TRY(const std::vector<RunReport> reports, read_runs(options.arguments, chip));
  if (reports.size() < 2)
    return user_error("one run has nothing to be compared with. Name another folder (or kgbench report)");
  if (options.fail && reports.size() > 2)
    return user_error(
        "--fail-on-regression takes two runs: the one before and the one after; of runs over several chips,"
        " name one with --chip");
  KGB_CHECK(same_profile(reports));
  const Contest contest = contest_of(pointers_to(reports));
  if (reports.size() == 2) return compare_two(options, reports[0], reports[1], contest);
  if (options.json)
    print({{"schema", 1}, {"statistics", contest_json(contest)}});
  else
    std::fputs(contest_text(contest).c_str(), stdout);
  return kExitPass;
}

// An option of the command that runs have no use for and that was given; empty: none.
std::string only_for_candidates(const CLI::App& command) {
  const std::vector<std::string> shared{"runs", "--chip", "--fail-on-regression", "--json", "--help"};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name =
        option->get_positional() ? std::string("runs") : "--" + option->get_lnames().front();
    if (option->count() > 0 && std::find(shared.begin(), shared.end(), name) == shared.end()) return name;
  }
  return {};
}

Result<int> compare(const CompareArguments& options, const CLI::App& command) {
  const auto candidates = static_cast<std::size_t>(
      std::count_if(options.arguments.begin(), options.arguments.end(), names_candidate));
  if (candidates == 0) {
    if (const std::string name = only_for_candidates(command); !name.empty())
      return user_error(name + " goes with two candidates (old.py new.py); these are runs");
    return compare_stored(options);
  }
  if (candidates != options.arguments.size())
    return user_error(
        "candidates and runs cannot be compared with each other. Name two files, or folders of runs");
  if (candidates != 2)
    return user_error("two candidates are compared, the old one and the new one; " +
                      std::to_string(candidates) + " are named");
  return compare_candidates({options.arguments[0].string(), options.arguments[1].string(), options.op,
                             options.only, options.time_specs, options.fail, options.json, options.judge});
}

}  // namespace

Registered register_compare(CLI::App& root) {
  auto options = std::make_shared<CompareArguments>();
  CLI::App* command =
      root.add_subcommand("compare", "Compare runs, or two candidates: which is better, where, by how much");
  command->footer(help_text("compare"));
  command
      ->add_option(
          "runs", options->arguments,
          "folders of runs, or two candidates (.py, .cu, .cpp): the second is the one that may be better or "
          "worse")
      ->required();
  command->add_flag("--fail-on-regression", options->fail, "exit code 1 when anything is worse than before");
  command->add_flag("--json", options->json, "as JSON");
  command->add_option("--op", options->op, "operator of the two candidates");
  command->add_option("--only", options->only, "of candidates: one workload, by its id: s3, f12");
  add_judge_options(*command, options->judge, {"smoke", "hidden"});
  for (const char* name : {"--target", "--lanes", "--no-time"})
    command->remove_option(command->get_option(name));
  command->get_option("--chip")->description(
      "of candidates: what they run on, as in kgbench judge; of runs that were joined over chips: this one "
      "alone");
  add_own_workload_options(*command, options->judge);
  add_time_spec_option(*command, options->time_specs);
  return {command, [options, command] { return compare(*options, *command); }};
}

}  // namespace kgb::app
