// SPDX-License-Identifier: Apache-2.0
// What kgbench list says of contestants: the built-in ones, methods, agents, libraries.
#pragma once

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "nlohmann/json_fwd.hpp"
#include "setup.hpp"

namespace kgb::app {

struct ContestantKinds {
  bool built_in = false, methods = false, agents = false, libraries = false;
  [[nodiscard]] bool any() const { return built_in || methods || agents || libraries; }
};
// An object each: `kind`, `contestant` as kgbench run takes it, `name`, and what its kind has.
[[nodiscard]] Result<nlohmann::json> contestants_json(const ContestantKinds& kinds,
                                                      const Installation& installation,
                                                      const Catalogue& catalogue);
[[nodiscard]] std::string contestants_text(const nlohmann::json& contestants);

}  // namespace kgb::app
