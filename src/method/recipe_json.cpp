// SPDX-License-Identifier: Apache-2.0
// Reads recipe files, and writes what a run was told.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/problems.hpp"
#include "method/recipe.hpp"

namespace kgb::method {
namespace {

namespace fs = std::filesystem;
constexpr const char* kSchema = "method/1";
constexpr std::int64_t kMostTokens = 1'000'000;

template <typename Enum>
Enum one_of(TableReader& reader, const char* key,
            std::initializer_list<std::pair<const char*, Enum>> choices) {
  const TomlValue* value = reader.find(key);
  const std::string text = reader.text(key);
  std::vector<std::string> names;
  for (const auto& [name, choice] : choices) {
    if (text == name) return choice;
    names.emplace_back(name);
  }
  if (value != nullptr) reader.problem(value, key, "must be one of " + join(names, ", "));
  return choices.begin()->second;
}

void read_policy(TableReader& reader, Recipe& recipe) {
  recipe.samples = static_cast<int>(reader.number("samples", recipe.samples));
  recipe.rounds = static_cast<int>(reader.number("rounds", recipe.rounds));
  recipe.temperature = reader.number("temperature", recipe.temperature);
  recipe.max_tokens =
      static_cast<std::int64_t>(reader.number("max_tokens", static_cast<double>(recipe.max_tokens)));
}

void read_recipe(const TomlTable& table, Recipe& recipe, Problems& problems) {
  TableReader reader(table, 1, "", problems);
  const TomlValue* schema = reader.find("schema");
  if (reader.text("schema", true) != kSchema && schema != nullptr)
    reader.problem(schema, "schema", fmt::format("must be \"{}\"", kSchema));
  recipe.title = reader.text("title", true);
  recipe.repeats = reader.text("repeats", true);
  recipe.system = reader.text("system", true);
  recipe.prompt = reader.text("prompt", true);
  recipe.feedback = reader.text("feedback");
  recipe.no_code = reader.text("no_code");
  recipe.shows = one_of<Shows>(reader, "shows", {{"nothing", Shows::nothing}, {"evidence", Shows::evidence}});
  recipe.memory = one_of<Memory>(reader, "memory",
                                 {{"none", Memory::none}, {"last", Memory::last}, {"all", Memory::all}});
  read_policy(reader, recipe);
  if (recipe.shows == Shows::evidence && (recipe.feedback.empty() || recipe.no_code.empty()))
    reader.problem(reader.find("shows"), "shows", "evidence needs the templates feedback and no_code");
  reader.finish();
}

Status outside(const char* what, const std::string& value, const std::string& range) {
  return user_error(fmt::format("{} {} makes no sense: it must lie in {}", what, value, range));
}

Status check(const Recipe& recipe) {
  if (recipe.samples < 1 || recipe.samples > kMostSamples)
    return outside("--samples", std::to_string(recipe.samples), fmt::format("1 to {}", kMostSamples));
  if (recipe.rounds < 1 || recipe.rounds > kMostRounds)
    return outside("--rounds", std::to_string(recipe.rounds), fmt::format("1 to {}", kMostRounds));
  if (!(recipe.temperature >= 0 && recipe.temperature <= 2))
    return outside("--temperature", fmt::format("{}", recipe.temperature), "0 to 2");
  if (recipe.max_tokens < 1 || recipe.max_tokens > kMostTokens)
    return outside("--max-tokens", std::to_string(recipe.max_tokens), fmt::format("1 to {}", kMostTokens));
  return ok_status();
}

}  // namespace

Result<Recipe> load_recipe(const fs::path& folder, std::string_view name) {
  const std::vector<std::string> names = toml_names(folder);
  if (std::find(names.begin(), names.end(), name) == names.end())
    return user_error("no method " + in_quotes(name) + did_you_mean(name, names) +
                      ". There are: " + join(names, ", "));
  const fs::path file = folder / (std::string(name) + ".toml");
  KGB_TRY(const std::string text, read_text_file(file, kMaxTomlBytes));
  const Result<TomlTable> table = parse_toml(text);
  if (!table) return user_error(file.string() + ":" + table.error().message);
  Recipe recipe;
  recipe.name = name;
  Problems problems(file.string());
  read_recipe(*table, recipe, problems);
  if (!problems.empty()) return user_error(join(problems.lines(), "\n"));
  const Status sound = check(recipe);
  if (!sound.ok()) return user_error(file.string() + ": " + sound.error().message);
  return recipe;
}

Status change(Recipe& recipe, const RecipeChanges& changes) {
  if (changes.samples) recipe.samples = *changes.samples;
  if (changes.rounds) recipe.rounds = *changes.rounds;
  if (changes.temperature) recipe.temperature = *changes.temperature;
  if (changes.max_tokens) recipe.max_tokens = *changes.max_tokens;
  return check(recipe);
}

nlohmann::json to_json(const Recipe& recipe) {
  return {{"name", recipe.name},
          {"shows", recipe.shows == Shows::evidence ? "evidence" : "nothing"},
          {"memory", recipe.memory == Memory::all    ? "all"
                     : recipe.memory == Memory::last ? "last"
                                                     : "none"},
          {"samples", recipe.samples},
          {"rounds", recipe.rounds},
          {"temperature", recipe.temperature},
          {"max_tokens", recipe.max_tokens}};
}

}  // namespace kgb::method
