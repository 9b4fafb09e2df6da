// SPDX-License-Identifier: Apache-2.0
// Reads JSON that others wrote: what is not there, or of another type, gives nothing and never throws.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace kgb {

// The member; nullptr where `json` is no object or has none, and where it is null.
[[nodiscard]] const nlohmann::json* member(const nlohmann::json& json, const char* key);
[[nodiscard]] std::string text_in(const nlohmann::json& json, const char* key);  // empty: none, or no text

}  // namespace kgb
