// SPDX-License-Identifier: Apache-2.0
// Reads JSON that servers and agents sent: wrong types and missing members give nothing, depth is bounded.
#include "llm/server_json.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace kgb::llm {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 64;
constexpr std::int64_t kMaxCount = std::int64_t{1} << 53;

std::string detail_text(const Json& detail) {
  if (detail.is_string()) return detail.get<std::string>();
  // FastAPI's list of what is wrong with the request.
  if (detail.is_array() && !detail.empty()) return text_in(detail.front(), "msg");
  return text_in(detail, "message");
}

std::string kind_of(const Json& error) {
  // OpenAI's code says more than its type; some servers put the HTTP status there.
  const std::string code = text_in(error, "code");
  return code.empty() ? text_in(error, "type") : code;
}

}  // namespace

std::optional<Json> parse_json(std::string_view text) {
  bool too_deep = false;
  Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json&) {
        too_deep = too_deep || depth > kMaxDepth;
        return depth <= kMaxDepth;
      },
      /*allow_exceptions=*/false);
  if (json.is_discarded() || too_deep) return std::nullopt;
  return json;
}

bool is_json_object(std::string_view text) {
  const std::optional<Json> json = parse_json(text);
  return json && json->is_object();
}

std::optional<std::int64_t> count_of(const Json& json, const char* key) {
  const Json* found = member(json, key);
  if (found == nullptr || !found->is_number_unsigned()) return std::nullopt;
  const auto value = found->get<std::uint64_t>();
  if (value > static_cast<std::uint64_t>(kMaxCount)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<ServerError> error_in(const Json& json) {
  if (json.is_array()) return json.empty() ? std::nullopt : error_in(json.front());
  if (const Json* error = member(json, "error")) {
    if (error->is_string()) return ServerError{error->get<std::string>(), text_in(json, "type")};
    if (error->is_object()) return ServerError{text_in(*error, "message"), kind_of(*error)};
    return std::nullopt;
  }
  if (const Json* detail = member(json, "detail")) return ServerError{detail_text(*detail), ""};
  const std::string type = text_in(json, "type");
  if (text_in(json, "object") == "error" || type == "error")
    return ServerError{text_in(json, "message"), text_in(json, "code")};
  return std::nullopt;
}

std::string body_text(Json body, const std::string& extra) {
  if (!extra.empty()) body.merge_patch(Json::parse(extra, nullptr, false));
  return body.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace kgb::llm
