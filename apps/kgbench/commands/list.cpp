// SPDX-License-Identifier: Apache-2.0
// kgbench list: the operators of the catalogue, or who may compete on them.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "catalogue/texts.hpp"
#include "command.hpp"
#include "list_contestants.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

// A contestant has no suite, a count is no list: what would be dropped in silence is refused.
void refuse_together(const std::vector<CLI::Option*>& some, const std::vector<CLI::Option*>& others) {
  for (CLI::Option* one : some)
    for (CLI::Option* other : others) one->excludes(other);
}

// Every problem of every card, and how many operators are left.
int check(const Catalogue& catalogue) {
  std::size_t problems = 0;
  for (const BrokenOperator& one : catalogue.broken()) {
    for (const std::string& problem : one.problems) std::printf("%s\n", problem.c_str());
    problems += one.problems.size();
  }
  if (problems == 0) {
    std::printf("%zu operators, all cards are sound.\n", catalogue.operators().size());
    return kExitPass;
  }
  std::printf("%zu problem%s, %zu operator%s left out: mend the lines above. %zu are sound.\n", problems,
              problems == 1 ? "" : "s", catalogue.broken().size(), catalogue.broken().size() == 1 ? "" : "s",
              catalogue.operators().size());
  return kExitUser;
}

}  // namespace

Registered register_list(CLI::App& root) {
  struct Options {
    ListFilter filter;
    ContestantKinds kinds;
    bool json = false, stats = false, thinned = false, check = false, contestants = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("list", "List operators, or contestants");
  command->footer(help_text("list"));
  std::vector<CLI::Option*> of_operators = {
      command->add_option("word", options->filter.word, "part of the name"),
      command->add_option("--suite", options->filter.suite,
                          "demo, aten, vllm, cublas, ms, mc, kernels, or a tag"),
      command->add_option("--family", options->filter.family, "one family"),
      command->add_option("--tag", options->filter.tag, "mc, random, inplace, view, no_kernel")};
  const std::vector<CLI::Option*> of_contestants = {
      command->add_flag("--contestants", options->contestants, "what kgbench run --contestant takes instead"),
      command->add_flag("--methods", options->kinds.methods, "of these the methods that ask a model"),
      command->add_flag("--agents", options->kinds.agents, "of these the agents"),
      command->add_flag("--libraries", options->kinds.libraries, "of these the declared libraries")};
  CLI::Option* const as_json = command->add_flag("--json", options->json, "as JSON");
  CLI::Option* const stats = command->add_flag("--stats", options->stats,
                                               "counts by source, and what was measured of the catalogue");
  command
      ->add_flag("--thinned", options->thinned,
                 "with --stats: what of the published grids is not run, and why")
      ->needs(stats);
  CLI::Option* const checks = command->add_flag(
      "--check", options->check, "every problem of every card; exit code 2 where there is one");
  refuse_together({stats}, {as_json});
  refuse_together({checks}, of_operators);
  refuse_together({checks}, {as_json, stats});
  of_operators.push_back(stats);
  of_operators.push_back(checks);
  refuse_together(of_operators, of_contestants);
  return {command, [options]() -> Result<int> {
            KGB_TRY(const Catalogue catalogue, load_catalogue());
            if (options->check) return check(catalogue);
            if (options->stats) {
              KGB_TRY(const Installation installation, find_installation());
              KGB_TRY(const std::vector<const Operator*> operators, listed(catalogue, options->filter));
              KGB_TRY(const std::string text,
                      stats_text(operators, installation.home / "catalogue" / "measured.json"));
              std::fputs(text.c_str(), stdout);
              if (options->thinned) std::printf("\n%s", thinned_text(operators).c_str());
              return kExitPass;
            }
            ContestantKinds kinds = options->kinds;
            if (options->contestants && !kinds.any()) kinds = {true, true, true, true};
            if (kinds.any()) {
              KGB_TRY(const Installation installation, find_installation());
              KGB_TRY(const nlohmann::json list, contestants_json(kinds, installation, catalogue));
              std::fputs((options->json ? list.dump(2) + "\n" : contestants_text(list)).c_str(), stdout);
              return kExitPass;
            }
            if (options->json) {
              KGB_TRY(const nlohmann::json list, list_json(catalogue, options->filter));
              std::printf("%s\n", list.dump(2).c_str());
              return kExitPass;
            }
            KGB_TRY(const std::string text, list_text(catalogue, options->filter));
            std::fputs(text.c_str(), stdout);
            return kExitPass;
          }};
}

}  // namespace kgb::app
