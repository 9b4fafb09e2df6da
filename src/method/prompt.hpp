// SPDX-License-Identifier: Apache-2.0
// Prompts from template files: catalogue/prompts/<name>.md, in Mustache's form, filled with facts of the
// task.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"

namespace kgb::method {

using PromptValues = std::map<std::string, std::string>;

// What every prompt may use: operator, entry names, card, stub, chip with its facts. No answers, no hidden
// workloads.
[[nodiscard]] Result<PromptValues> task_values(const Catalogue& catalogue, const Operator& op,
                                               const std::string& chip);

// Fills {{name}}; nothing is escaped. A name without a value is an Error that names template and name.
[[nodiscard]] Result<std::string> render(std::string_view text, const PromptValues& values,
                                         const std::string& name);

}  // namespace kgb::method
