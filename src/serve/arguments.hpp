// SPDX-License-Identifier: Apache-2.0
// Holds a tool's arguments against its input schema.
#pragma once

#include <string>

#include "nlohmann/json.hpp"

namespace kgb::serve {

// The first thing that is wrong, for whoever calls the tool; empty: nothing is. Knows of JSON Schema what the
// tools use: type, enum, minimum, maximum, minLength, maxLength, required, properties, additionalProperties.
[[nodiscard]] std::string complaint_of(const nlohmann::json& arguments, const nlohmann::json& schema);

}  // namespace kgb::serve
