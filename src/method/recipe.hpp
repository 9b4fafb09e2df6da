// SPDX-License-Identifier: Apache-2.0
// Recipes: methods over one model as data, catalogue/methods/<name>.toml (docs/methods.md).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb::method {

inline constexpr int kMostSamples = 1000, kMostRounds = 100;  // of a recipe

// What the model is shown of its last try.
enum class Shows { nothing, evidence };
// What stays in the conversation from round to round.
enum class Memory { none, last, all };

struct Recipe {
  std::string name, title;
  std::string repeats;  // of the published protocol, for people
  std::string system, prompt, feedback,
      no_code;  // names of templates; `feedback`: the judge's word, `no_code`: none came
  Shows shows = Shows::nothing;
  Memory memory = Memory::none;
  int samples = 1;  // independent answers an operator
  int rounds = 1;   // tries within one of them, until one passes
  double temperature = 0;
  std::int64_t max_tokens = 16384;
};

// What a command line changes of a recipe.
struct RecipeChanges {
  std::optional<int> samples, rounds;
  std::optional<double> temperature;
  std::optional<std::int64_t> max_tokens;
};

// An unknown name is answered with what may be meant; a file's mistakes with file, line and key.
[[nodiscard]] Result<Recipe> load_recipe(const std::filesystem::path& folder, std::string_view name);
// Values outside what makes sense are the user's errors.
[[nodiscard]] Status change(Recipe& recipe, const RecipeChanges& changes);
[[nodiscard]] nlohmann::json to_json(const Recipe& recipe);

}  // namespace kgb::method
