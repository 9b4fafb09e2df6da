// SPDX-License-Identifier: Apache-2.0
// Reads JSON that servers and agents sent: wrong types and missing members give nothing, depth is bounded.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_text.hpp"

namespace kgb::llm {

// nullopt: no JSON, or nested deeper than any reply (writing such a value would recurse as deep).
[[nodiscard]] std::optional<nlohmann::json> parse_json(std::string_view text);
[[nodiscard]] bool is_json_object(std::string_view text);
// A count of tokens: a whole number that is not negative and that a double holds.
[[nodiscard]] std::optional<std::int64_t> count_of(const nlohmann::json& json, const char* key);

// The message of an error document: OpenAI's and Anthropic's {"error": {...}}, {"error": "..."}, FastAPI's
// {"detail": ...}, vLLM's {"object": "error", "message": ...}, and a list of one of them.
struct ServerError {
  std::string message, kind;
};
[[nodiscard]] std::optional<ServerError> error_in(const nlohmann::json& json);

// The text of a request body, with BodyOptions::extra laid over it. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string body_text(nlohmann::json body, const std::string& extra);

}  // namespace kgb::llm
