// SPDX-License-Identifier: Apache-2.0
// kgbench compare: two runs, operator by operator, and whether the second is worse.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "report/compare.hpp"

namespace kgb::app {
namespace {

struct Options {
  std::filesystem::path before, after;
  bool fail = false, json = false;
};

Result<RunReport> load(std::filesystem::path run) {
  std::error_code ignored;
  if (std::filesystem::is_directory(run, ignored)) run /= "run.sqlite";
  KGB_TRY(const Store store, Store::open_existing(run));
  return load_report(store);
}

Result<int> compare(const Options& options) {
  KGB_TRY(const RunReport before, load(options.before));
  KGB_TRY(const RunReport after, load(options.after));
  const Comparison comparison = compare_runs(before, after);
  if (options.json)
    std::printf("%s\n", comparison_json(comparison, before, after)
                            .dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                            .c_str());
  else
    std::fputs(comparison_text(comparison, before, after).c_str(), stdout);
  return options.fail && comparison.regressions() > 0 ? kExitFailed : kExitPass;
}

}  // namespace

Registered register_compare(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("compare", "Compare two runs operator by operator");
  command->footer(help_text("compare"));
  command->add_option("before", options->before, "folder of the run to compare with")->required();
  command->add_option("after", options->after, "folder of the run that may be better or worse")->required();
  command->add_flag("--fail-on-regression", options->fail, "exit code 1 when anything is worse than before");
  command->add_flag("--json", options->json, "as JSON");
  return {command, [options] { return compare(*options); }};
}

}  // namespace kgb::app
