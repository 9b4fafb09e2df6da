// SPDX-License-Identifier: Apache-2.0
// kgbench mutate: the mutation score of the catalogue, or the mutants of a file.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "campaign/mutation.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "model/generate.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

struct MutateArguments {
  OperatorChoice operators;
  int per_operator = 20;
  std::uint64_t draw = 0;
  bool json = false;
  JudgeOptions judge;
};

Result<int> run_mutate(const MutateArguments& options) {
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  KGB_TRY(const Installation installation, find_installation());
  KGB_TRY(const Catalogue catalogue, load_catalogue(options.operators.names));
  KGB_TRY(const std::unique_ptr<Judge> judge, open_judge(options.judge, resolved.lanes, catalogue));
  KGB_TRY(const std::vector<const Operator*> operators, chosen(options.operators, catalogue));
  MutationOptions how;
  how.request = request_of(options.judge, resolved);
  how.request.targets.clear();
  how.request.time = false;
  how.lanes = resolved.lanes;
  how.per_operator = options.per_operator;
  how.seed = options.draw;
  const std::atomic<bool>& stop_asked = stop_on_interrupt();
  const auto told = [](const std::string& op, const MutantResult& r) {
    std::fprintf(stderr, "  %-32s %-28s %s\n", op.c_str(), r.mutant.id.c_str(),
                 r.survived() ? "SURVIVES" : std::string(name_of(r.verdict)).c_str());
  };
  KGB_TRY(const std::vector<MutationRow> rows,
          mutation_score(*judge, installation, operators, how, told, stop_asked));
  const std::string text = options.json ? mutation_json(rows).dump(2) + "\n" : mutation_text(rows);
  std::fputs(text.c_str(), stdout);
  if (stop_asked) return kExitFault;
  for (const MutationRow& row : rows)
    if (row.killed() < row.judged()) return kExitFailed;
  return kExitPass;
}

}  // namespace

Registered register_mutate(CLI::App& root) {
  auto options = std::make_shared<MutateArguments>();
  CLI::App* command = root.add_subcommand("mutate", "Plant faults in the experts and count those found");
  command->footer(help_text("mutate"));
  add_operator_choice(*command, options->operators);
  command
      ->add_option("--per-op", options->per_operator,
                   "mutants drawn of each expert, evenly over the kinds; 0: all")
      ->check(CLI::Range(0, 100000))
      ->capture_default_str();
  command->add_option("--draw", options->draw, "another number draws other mutants")->capture_default_str();
  command->add_flag("--json", options->json, "as JSON");
  add_judge_options(*command, options->judge, {"smoke", "hidden"});
  options->judge.author_s = 20;
  options->judge.trial_s = 20;
  return {command, [options]() { return run_mutate(*options); }};
}

}  // namespace kgb::app
