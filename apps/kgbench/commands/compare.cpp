// SPDX-License-Identifier: Apache-2.0
// kgbench compare: which of several runs is better, where, and whether chance would do; of two also operator
// by operator what became worse.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "command.hpp"
#include "report/compare.hpp"
#include "report/contestants.hpp"
#include "stored_run.hpp"

namespace kgb::app {
namespace {

struct Options {
  std::vector<std::filesystem::path> runs;
  std::string chip;
  bool fail = false, json = false;
};

void print(const nlohmann::json& document) {
  std::printf("%s\n", document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

Result<int> compare_two(const Options& options, const RunReport& before, const RunReport& after,
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

Result<int> compare(const Options& options) {
  KGB_TRY(const std::vector<RunReport> reports, read_runs(options.runs, options.chip));
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

}  // namespace

Registered register_compare(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("compare", "Compare runs: which is better, where, by how much");
  command->footer(help_text("compare"));
  command
      ->add_option("runs", options->runs,
                   "folders of runs; of two, the second is the one that may be better or worse")
      ->required();
  command->add_option("--chip", options->chip, "of runs that were joined over chips: this one alone");
  command->add_flag("--fail-on-regression", options->fail, "exit code 1 when anything is worse than before");
  command->add_flag("--json", options->json, "as JSON");
  return {command, [options] { return compare(*options); }};
}

}  // namespace kgb::app
