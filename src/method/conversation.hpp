// SPDX-License-Identifier: Apache-2.0
// The methods that are conversations with one model: one-shot, best-of-k, union-of-k, repair, by their
// recipe.
#pragma once

#include <filesystem>
#include <memory>

#include "method/method.hpp"
#include "method/recipe.hpp"

namespace kgb::method {

// `prompts`: the folder of the templates. Templates are read here, so that their mistakes show before a run
// begins.
[[nodiscard]] Result<std::unique_ptr<Method>> make_conversation(const Recipe& recipe,
                                                                const std::filesystem::path& prompts);

}  // namespace kgb::method
