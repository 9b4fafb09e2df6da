// SPDX-License-Identifier: Apache-2.0
// kgbench screen: do the workloads of a card reject the answers that need no thought?
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "command.hpp"
#include "judge/screen.hpp"
#include "model/generate.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

struct ScreenArguments {
  OperatorChoice operators;
  std::string seed_text;
  int lanes = 0;
  bool json = false;
};

Result<int> run_screen(const ScreenArguments& options) {
  KGB_TRY(const Installation installation, find_installation());
  KGB_TRY(const Catalogue catalogue, load_catalogue(options.operators.names));
  KGB_TRY(const std::vector<const Operator*> operators, chosen(options.operators, catalogue));
  ScreenOptions how;
  how.lanes = options.lanes > 0 ? options.lanes : processors();
  if (!options.seed_text.empty()) {
    const std::optional<std::uint64_t> seed = seed_from_text(options.seed_text);
    if (!seed) return user_error("--seed '" + options.seed_text + "' is not 1 to 16 hexadecimal digits");
    how.seed = *seed;
  }
  KGB_TRY(const ScreenReport report, screen(catalogue, operators, installation, how));
  const std::string text = options.json ? screen_json(report).dump(2) + "\n"
                                        : screen_text(report, !options.operators.names.empty());
  std::fputs(text.c_str(), stdout);
  return report.holes() == 0 ? kExitPass : kExitFailed;
}

}  // namespace

Registered register_screen(CLI::App& root) {
  auto options = std::make_shared<ScreenArguments>();
  CLI::App* command = root.add_subcommand("screen", "Check that workloads reject trivial answers");
  command->footer(help_text("screen"));
  add_operator_choice(*command, options->operators);
  command->add_option("--seed", options->seed_text,
                      "hexadecimal; values and hidden workloads follow from it (default: a fixed one)");
  command->add_option("-j,--lanes", options->lanes, "oracle processes (default: processors)")
      ->check(CLI::Range(1, 1024));
  command->add_flag("--json", options->json, "as JSON");
  return {command, [options]() { return run_screen(*options); }};
}

}  // namespace kgb::app
