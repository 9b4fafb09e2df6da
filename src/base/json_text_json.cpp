// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.hpp"

#include <nlohmann/json.hpp>

namespace kgb {

const nlohmann::json* member(const nlohmann::json& json, const char* key) {
  if (!json.is_object()) return nullptr;
  const auto it = json.find(key);
  return it == json.end() || it->is_null() ? nullptr : &*it;
}

std::string text_in(const nlohmann::json& json, const char* key) {
  const nlohmann::json* found = member(json, key);
  return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace kgb
