// SPDX-License-Identifier: Apache-2.0
// Makes methods from contestants' names and options.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "catalogue/toml.hpp"
#include "method/conversation.hpp"
#include "method/estimate.hpp"
#include "method/tuner.hpp"
#include "method_setup.hpp"
#include "model/generate.hpp"

namespace kgb::app {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

fs::path prompts(const Installation& installation) {
  return installation.home / "catalogue" / "prompts";
}

bool is_recipe(const std::string& name, const Installation& installation) {
  const std::vector<std::string> names = toml_names(recipe_folder(installation));
  return std::find(names.begin(), names.end(), name) != names.end();
}

template <typename T>
void put(json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

json limits_json(const BudgetLimits& limits) {
  json object = json::object();
  put(object, "tokens", limits.tokens);
  put(object, "dollars", limits.dollars);
  put(object, "hours", limits.hours);
  return object;
}

template <typename T>
void get(const json& object, const char* key, std::optional<T>& out) {
  if (!out && object.contains(key) && object[key].is_number()) out = object[key].get<T>();
}

void limits_from(const json& object, BudgetLimits& out) {
  if (!object.is_object()) return;
  get(object, "tokens", out.tokens);
  get(object, "dollars", out.dollars);
  get(object, "hours", out.hours);
}

// `wire`: of the model; empty: none is asked.
std::string settings_of(json settings, const MethodOptions& options, std::string_view wire) {
  settings["wire"] = wire;
  settings["protocol"] = options.protocol;
  settings["run_budget"] = limits_json(options.run_budget);
  settings["item_budget"] = limits_json(options.item_budget);
  return settings.dump();
}

Result<MethodContestant> conversation_named(const std::string& name, const MethodOptions& options,
                                            const Installation& installation) {
  KGB_TRY(method::Recipe recipe, method::load_recipe(recipe_folder(installation), name));
  KGB_CHECK(method::change(recipe, options.changes));
  if (options.endpoint.model.empty())
    return user_error(name +
                      " asks a model: name it with --model NAME (docs/models.md), or --model local for the"
                      " small model that runs here");
  MethodContestant made;
  made.samples = recipe.samples;
  KGB_TRY(std::unique_ptr<method::Method> talk, method::make_conversation(recipe, prompts(installation)));
  made.method = std::move(talk);
  made.recipe = std::move(recipe);
  if (options.dry_run) return made;
  KGB_TRY(made.model, open_model(options.endpoint, options.install, installation));
  made.settings =
      settings_of(method::to_json(*made.recipe), options, llm::name_of(made.model.client->endpoint().wire));
  return made;
}

Result<MethodContestant> agent_named(const std::string& name, const MethodOptions& options,
                                     const Installation& installation) {
  if (options.endpoint.model.empty())
    return user_error(name + " needs a model: name it with --model NAME, or --model local");
  MethodContestant made;
  made.samples = options.changes.samples.value_or(1);
  if (options.dry_run) return made;
  KGB_TRY(made.model, open_model(options.endpoint, options.install, installation));
  const llm::Endpoint& endpoint = made.model.client->endpoint();
  if (endpoint.cassette_mode != llm::CassetteMode::off)
    return user_error("an agent's calls are not recorded: leave out --cassette");
  json settings = to_json(options.agent);
  settings["samples"] = made.samples;
  put(settings, "max_tokens", options.changes.max_tokens);
  made.settings = settings_of(std::move(settings), options, llm::name_of(endpoint.wire));
  AgentRequest request{name,
                       options.agent,
                       endpoint,
                       options.changes.max_tokens.value_or(0),
                       options.install,
                       options.allow_weak_lock};
  KGB_TRY(std::unique_ptr<method::Method> agent, open_agent(request, installation));
  made.method = std::move(agent);
  return made;
}

constexpr const char* kTuner = "tuner";

Result<MethodContestant> tuner_contestant(const MethodOptions& options, const Installation& installation) {
  if (!options.endpoint.model.empty()) return user_error("tuner asks no model: leave --model out");
  method::TunerSettings settings;
  settings.rewriter = {installation.interpreter, installation.python_dir};
  if (options.changes.rounds) settings.rounds = *options.changes.rounds;
  settings.seed_kernel = seed_place(options.seed_kernel);
  MethodContestant made;
  if (options.changes.samples.value_or(1) != 1)
    return user_error("tuner has one answer: leave --samples out");
  json facts = {{"name", kTuner}, {"rounds", settings.rounds}};
  if (!settings.seed_kernel.empty()) facts["seed_kernel"] = settings.seed_kernel.string();
  made.settings = settings_of(std::move(facts), options, "");
  KGB_TRY(std::unique_ptr<method::Method> tuner, method::make_tuner(settings));
  made.method = std::move(tuner);
  return made;
}

// What KernelGenBench's runs have, as a command line says it; the first value where it says nothing.
struct Published {
  const char* option;
  std::vector<std::string> values;
  [[nodiscard]] bool is_seed() const { return std::string_view(option) == "--seed"; }
};
const std::vector<Published>& published() {
  static const std::vector<Published> settings = {{"--tier", {"full"}},        {"--tolerance", {"published"}},
                                                  {"--seed", {"2a"}},          {"--samples", {"1", "5"}},
                                                  {"--max-tokens", {"16384"}}, {"--item-hours", {"0.5"}},
                                                  {"--item-dollars", {"50"}},  {"--minutes", {"30"}}};
  return settings;
}
// Its temperatures go with its numbers of samples.
constexpr struct {
  int samples;
  double temperature;
} kTemperatures[] = {{1, 0}, {5, 0.8}};

const std::string& published(std::string_view option) {
  const auto found = std::find_if(published().begin(), published().end(),
                                  [&](const Published& setting) { return setting.option == option; });
  return found->values.front();
}

// 2A is 2a, and 0.50 is 0.5.
bool same(const Published& setting, const std::string& given, const std::string& value) {
  if (setting.is_seed()) return seed_from_text(given) == seed_from_text(value);
  const std::optional<double> number = parse_double(given);
  return number ? number == parse_double(value) : given == value;
}

// What the command line takes back of the published protocol, a line each.
std::vector<std::string> taken_back(const CLI::App& command) {
  const auto given = [&](const char* name) {
    const CLI::Option* option = command.get_option_no_throw(name);
    return option == nullptr ? std::vector<std::string>() : option->results();
  };
  std::vector<std::string> lines;
  for (const Published& setting : published()) {
    const std::vector<std::string> values = given(setting.option);
    const bool differs = std::any_of(values.begin(), values.end(), [&](const std::string& one) {
      return std::none_of(setting.values.begin(), setting.values.end(),
                          [&](const std::string& value) { return same(setting, one, value); });
    });
    if (differs)
      lines.push_back(fmt::format("{} {} as asked for, not {}", setting.option, join(values, ","),
                                  join(setting.values, " or ")));
  }
  return lines;
}

// The temperature that was asked for, or that the recipe keeps with a number of samples that was.
std::string temperature_taken_back(const std::string& contestant, const MethodOptions& options,
                                   const Installation& installation) {
  if (!is_recipe(contestant, installation)) return "";
  const Result<method::Recipe> plain = method::load_recipe(recipe_folder(installation), contestant);
  if (!plain.ok()) return "";  // said where it is run
  // Rounds that are shown nothing are samples of another name.
  const auto tries = [&](int samples, int rounds) {
    return plain->shows == method::Shows::nothing ? samples * rounds : samples;
  };
  const int samples =
      tries(options.changes.samples.value_or(plain->samples), options.changes.rounds.value_or(plain->rounds));
  const double temperature = options.changes.temperature.value_or(plain->temperature);
  if (samples == tries(plain->samples, plain->rounds) && temperature == plain->temperature) return "";
  const auto theirs = std::find_if(std::begin(kTemperatures), std::end(kTemperatures),
                                   [&](const auto& one) { return one.samples == samples; });
  const bool known = theirs != std::end(kTemperatures);
  if (known ? theirs->temperature == temperature : !options.changes.temperature) return "";
  return fmt::format("temperature {} of {} samples as asked for, not {} of {} or {} of {}", temperature,
                     samples, kTemperatures[0].temperature, kTemperatures[0].samples,
                     kTemperatures[1].temperature, kTemperatures[1].samples);
}

void add_budget(CLI::App& command, const std::string& prefix, const std::string& whose,
                BudgetLimits& limits) {
  command
      .add_option("--" + prefix + "tokens", limits.tokens,
                  "prompt and completion tokens " + whose + " may use")
      ->check(CLI::PositiveNumber);
  command
      .add_option("--" + prefix + "dollars", limits.dollars,
                  "money " + whose + " may cost, where the price is known")
      ->check(CLI::PositiveNumber);
  command.add_option("--" + prefix + "hours", limits.hours, "hours " + whose + " may take")
      ->check(CLI::PositiveNumber);
}

}  // namespace

fs::path recipe_folder(const Installation& installation) {
  return installation.home / "catalogue" / "methods";
}

fs::path seed_place(const std::string& seed_kernel) {
  constexpr std::string_view kFolder = "dir:";
  const std::string place =
      seed_kernel.starts_with(kFolder) ? seed_kernel.substr(kFolder.size()) : seed_kernel;
  return place.empty() ? fs::path() : fs::absolute(place);
}

void add_method_options(CLI::App& command, MethodOptions& options) {
  add_model_options(command, options.endpoint);
  command.add_option("--samples", options.changes.samples, "independent answers for each operator");
  command.add_option("--rounds", options.changes.rounds, "tries within an answer, until one passes");
  command.add_option("--temperature", options.changes.temperature, "of sampling");
  command.add_option("--max-tokens", options.changes.max_tokens, "of one reply");
  command.add_option(
      "--seed-kernel", options.seed_kernel,
      "what tuner begins with: a FILE, or dir:PATH with <source>/<op>.py (default: the experts)");
  add_budget(command, "budget-", "the run", options.run_budget);
  add_budget(command, "item-", "one operator and sample", options.item_budget);
  command
      .add_option("--protocol", options.protocol,
                  "published: as KernelGenBench's runs; what still differs is listed")
      ->check(CLI::IsMember({"ours", "published"}))
      ->capture_default_str();
  command.add_flag("--generate-only", options.generate_only,
                   "write candidates and ledger; judge them later (--resume RUN --judge-only)");
  command.add_flag("--judge-only", options.judge_only,
                   "with --resume: judge what was generated and ask no model");
  command.add_flag("--dry-run", options.dry_run,
                   "print the plan and an estimate of its cost, and do nothing");
  add_agent_options(command, options.agent);
}

Result<std::optional<MethodContestant>> method_named(const std::string& contestant,
                                                     const MethodOptions& options,
                                                     const Installation& installation) {
  if (contestant == kTuner) {
    KGB_TRY(MethodContestant tuner, tuner_contestant(options, installation));
    return std::optional<MethodContestant>(std::move(tuner));
  }
  if (!options.seed_kernel.empty())
    return user_error("--seed-kernel is what tuner begins with; " + contestant + " begins with none");
  if (!is_agent(contestant) && !is_recipe(contestant, installation)) return std::optional<MethodContestant>();
  KGB_TRY(MethodContestant made, is_agent(contestant)
                                     ? agent_named(contestant, options, installation)
                                     : conversation_named(contestant, options, installation));
  return std::optional<MethodContestant>(std::move(made));
}

Status restore(MethodOptions& options, const RunInfo& run) {
  const json settings = json::parse(run.method.empty() ? "{}" : run.method, nullptr, false);
  if (!settings.is_object()) return user_error("the run's settings cannot be read: " + in_quotes(run.method));
  if (options.endpoint.model.empty()) options.endpoint.model = run.model;
  if (options.endpoint.model != run.model)
    return user_error("the run was begun with --model " + run.model + "; another one would be another run");
  if (options.endpoint.wire.empty()) options.endpoint.wire = settings.value("wire", "");
  options.changes = {};
  get(settings, "samples", options.changes.samples);
  get(settings, "rounds", options.changes.rounds);
  get(settings, "temperature", options.changes.temperature);
  get(settings, "max_tokens", options.changes.max_tokens);
  options.protocol = settings.value("protocol", "ours");
  const std::string seed_kernel = settings.value("seed_kernel", "");
  if (!options.seed_kernel.empty() && seed_place(options.seed_kernel) != fs::path(seed_kernel))
    return user_error("the run was begun with " +
                      (seed_kernel.empty() ? "no --seed-kernel" : "--seed-kernel " + seed_kernel) +
                      "; another one would be another run");
  options.seed_kernel = seed_kernel;
  read_agent_options(settings, options.agent);
  // A larger budget on the command line lets a run go on that the first one ended.
  limits_from(settings.value("run_budget", json::object()), options.run_budget);
  limits_from(settings.value("item_budget", json::object()), options.item_budget);
  return ok_status();
}

std::vector<std::string> apply_protocol(CLI::App& command, const std::string& contestant,
                                        const Installation& installation, JudgeOptions& judge,
                                        MethodOptions& options) {
  if (options.protocol != "published") return {};
  if (command.count("--tier") == 0) judge.tiers = {published("--tier")};
  if (command.count("--tolerance") == 0) judge.tolerance = published("--tolerance");
  if (command.count("--seed") == 0) judge.seed_text = published("--seed");
  if (!options.item_budget.hours) options.item_budget.hours = parse_double(published("--item-hours"));
  if (!options.item_budget.dollars) options.item_budget.dollars = parse_double(published("--item-dollars"));
  std::vector<std::string> differences = taken_back(command);
  if (std::string line = temperature_taken_back(contestant, options, installation); !line.empty())
    differences.push_back(std::move(line));
  const char* const always[] = {
      "prompts are ours, in English; the original's were not copied",
      "inputs come from another generator with the same seed number; where the original's call is undefined "
      "or tests"
      " another operator, the documented meaning is tested (kgbench show OP)",
      "the full tier is the published grid, thinned where its cost is named on the card",
      "candidates author a launch plan in a locked box; values are checked on three calls, poison and red "
      "zones"
      " included, and computing through torch is refused by the plan and not by a text scan",
      "a candidate is compared with fp64 values within the published rtol and atol; the original compares "
      "with torch"
      " in the same precision",
      "times are cold-cache device times in turns with the baseline, not do_bench",
      "an agent that runs out of time is not started again; the original starts it up to 3 times",
  };
  differences.insert(differences.end(), std::begin(always), std::end(always));
  return differences;
}

Result<ProducerSetup> producer_of(const MethodContestant& contestant, const MethodOptions& options,
                                  const Installation& installation, const fs::path& run_folder) {
  ProducerSetup setup;
  setup.method = contestant.method;
  setup.model = contestant.model.client;
  KGB_TRY(setup.prices, llm::load_prices(installation.home / "catalogue" / "prices.json"));
  setup.run_budget = options.run_budget;
  setup.item_budget = options.item_budget;
  setup.workspaces = run_folder / "workspaces";
  // Enough to keep both the provider's limit and the judge's lanes busy.
  setup.makers = contestant.model.client ? contestant.model.client->endpoint().concurrency : 1;
  if (!contestant.recipe)
    setup.makers = std::min(setup.makers, processors());  // agents are programs of this host
  setup.generate_only = options.generate_only;
  return setup;
}

Result<std::string> plan_text(const MethodContestant& contestant, const MethodOptions& options,
                              const Installation& installation, const Catalogue& catalogue,
                              const std::vector<const Operator*>& operators, const std::string& chip) {
  std::string out =
      fmt::format("{} operators x {} samples = {} items on chip {}\n", operators.size(), contestant.samples,
                  operators.size() * static_cast<std::size_t>(contestant.samples), chip);
  if (!contestant.recipe)
    return out + (options.endpoint.model.empty()
                      ? "no model is asked: only the judge's time is spent\n"
                      : "an agent asks the model as often as it wants, within its budgets\n");
  method::Estimate all;
  for (const Operator* op : operators) {
    KGB_TRY(const method::Estimate one,
            method::estimate(*contestant.recipe, prompts(installation), catalogue, *op, chip));
    all += one;
  }
  out += fmt::format("calls of the model: {} to {}\n", all.calls_low, all.calls_high);
  out += fmt::format("prompt tokens: {} to {}, at four bytes a token\ncompletion tokens: at most {}\n",
                     all.prompt_low, all.prompt_high, all.completion_high);
  KGB_TRY(const std::vector<llm::Price> prices,
          llm::load_prices(installation.home / "catalogue" / "prices.json"));
  // Prices stand under the provider's own name: "anthropic/NAME" is NAME.
  std::string model = options.endpoint.model;
  if (llm::price_of(prices, model) == nullptr) model = model.substr(model.find('/') + 1);
  const auto low = llm::dollars(prices, model, {true, all.prompt_low, 0, 0, 0, 0});
  const auto high = llm::dollars(prices, model, {true, all.prompt_high, 0, 0, all.completion_high, 0});
  if (low && high)
    out += fmt::format("cost: {:.2f} to {:.2f} dollars\n", *low, *high);
  else
    out += "cost: unknown, catalogue/prices.json has no price of " + in_quotes(model) + "\n";
  return out;
}

}  // namespace kgb::app
