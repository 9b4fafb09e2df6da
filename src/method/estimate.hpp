// SPDX-License-Identifier: Apache-2.0
// What a recipe will ask of a model, before it asks.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "method/recipe.hpp"

namespace kgb::method {

// Of one operator, all samples. `low`: every first try passes and replies are empty; `high`: none passes and
// every reply is as long as it may be. Prompts are counted at four bytes a token.
struct Estimate {
  std::int64_t calls_low = 0, calls_high = 0;
  std::int64_t prompt_low = 0, prompt_high = 0;
  std::int64_t completion_high = 0;
  Estimate& operator+=(const Estimate& other);
};

[[nodiscard]] Result<Estimate> estimate(const Recipe& recipe, const std::filesystem::path& prompts,
                                        const Catalogue& catalogue, const Operator& op,
                                        const std::string& chip);

}  // namespace kgb::method
