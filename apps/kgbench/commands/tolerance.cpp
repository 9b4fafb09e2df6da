// SPDX-License-Identifier: Apache-2.0
// kgbench tolerance: how tight the bounds of the cards are, measured on the experts.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "campaign/tolerance.hpp"
#include "command.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

struct ToleranceArguments {
  OperatorChoice operators;
  bool json = false;
  JudgeOptions judge;
};

Result<int> run_tolerance(const ToleranceArguments& options) {
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  KGB_TRY(const Catalogue catalogue, load_catalogue(options.operators.names));
  KGB_TRY(const std::unique_ptr<Judge> judge, open_judge(options.judge, resolved.lanes, catalogue));
  KGB_TRY(const std::vector<const Operator*> operators, chosen(options.operators, catalogue));
  JudgeRequest request = request_of(options.judge, resolved);
  request.targets.clear();
  request.time = false;
  request.tolerance = "model";
  KGB_TRY(const ToleranceReport report, tolerance(*judge, operators, request, resolved.lanes));
  const std::string text = options.json ? tolerance_json(report).dump(2) + "\n" : tolerance_text(report);
  std::fputs(text.c_str(), stdout);
  return kExitPass;
}

}  // namespace

Registered register_tolerance(CLI::App& root) {
  auto options = std::make_shared<ToleranceArguments>();
  CLI::App* command = root.add_subcommand("tolerance", "Measure how small an error the bounds find");
  command->footer(help_text("tolerance"));
  add_operator_choice(*command, options->operators);
  command->add_flag("--json", options->json, "as JSON");
  add_judge_options(*command, options->judge, {"smoke", "hidden"});
  options->judge.seed_text = "5eed";
  return {command, [options]() { return run_tolerance(*options); }};
}

}  // namespace kgb::app
