// SPDX-License-Identifier: Apache-2.0
// Contestants that are methods: their options, and what a run needs of them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent_setup.hpp"
#include "base/result.hpp"
#include "campaign/producer.hpp"
#include "catalogue/catalogue.hpp"
#include "method/recipe.hpp"
#include "open_model.hpp"
#include "setup.hpp"

namespace CLI {
class App;
}

namespace kgb::app {

struct MethodOptions {
  llm::EndpointOptions endpoint;
  method::RecipeChanges changes;
  BudgetLimits run_budget, item_budget;
  std::string protocol = "ours";
  std::string seed_kernel;  // of the tuner
  AgentOptions agent;
  bool install = false;  // the local model and the agent first
  bool allow_weak_lock = false;
  bool generate_only = false, judge_only = false, dry_run = false;
};
void add_method_options(CLI::App& command, MethodOptions& options);
// FILE or dir:PATH of --seed-kernel as a path; absolute, since a run may be taken up from another folder.
[[nodiscard]] std::filesystem::path seed_place(const std::string& seed_kernel);
[[nodiscard]] std::filesystem::path recipe_folder(const Installation& installation);

// A contestant that is a method.
struct MethodContestant {
  std::shared_ptr<const method::Method> method;
  std::optional<method::Recipe> recipe;  // of conversations
  OpenModel model;                       // no client: it asks none
  std::string settings;                  // JSON, for the store
  int samples = 1;
};
// nullopt: `contestant` names no method (experts, dir:, library:, replay:).
[[nodiscard]] Result<std::optional<MethodContestant>> method_named(const std::string& contestant,
                                                                   const MethodOptions& options,
                                                                   const Installation& installation);
// Options as a stored run had them, so that it goes on as it began.
[[nodiscard]] Status restore(MethodOptions& options, const RunInfo& run);

// --protocol published: tier, tolerance, seed, limits as KernelGenBench has them, where the command line says
// nothing else. Returns what still differs, a line each.
[[nodiscard]] std::vector<std::string> apply_protocol(CLI::App& command, const std::string& contestant,
                                                      const Installation& installation, JudgeOptions& judge,
                                                      MethodOptions& options);

[[nodiscard]] Result<ProducerSetup> producer_of(const MethodContestant& contestant,
                                                const MethodOptions& options,
                                                const Installation& installation,
                                                const std::filesystem::path& run_folder);
// What --dry-run prints.
[[nodiscard]] Result<std::string> plan_text(const MethodContestant& contestant, const MethodOptions& options,
                                            const Installation& installation, const Catalogue& catalogue,
                                            const std::vector<const Operator*>& operators,
                                            const std::string& chip);

}  // namespace kgb::app
