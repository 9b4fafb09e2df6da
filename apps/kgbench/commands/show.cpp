// SPDX-License-Identifier: Apache-2.0
// kgbench show: one operator.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "catalogue/texts.hpp"
#include "command.hpp"
#include "setup.hpp"

namespace kgb::app {

Registered register_show(CLI::App& root) {
  struct Options {
    std::string op;
    ShowOptions show;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("show", "Show one operator: entries, workloads, bound");
  command->footer(help_text("show"));
  command->add_option("op", options->op, "operator: aten::softmax, or softmax where that is unique")
      ->required();
  command->add_flag("--all", options->show.all_workloads,
                    "every workload, not only the first few of each tier");
  command->add_flag("--json", options->json, "as JSON");
  return {command, [options]() -> Result<int> {
            KGB_TRY(const Catalogue catalogue, load_catalogue({options->op}));
            KGB_TRY(const Operator* const op, catalogue.find(options->op));
            const std::string text = options->json ? show_json(catalogue, *op).dump(2) + "\n"
                                                   : show_text(catalogue, *op, options->show);
            std::fputs(text.c_str(), stdout);
            return kExitPass;
          }};
}

}  // namespace kgb::app
