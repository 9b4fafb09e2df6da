// SPDX-License-Identifier: Apache-2.0
// Reads and writes JSON-RPC messages.
#include "serve/rpc.hpp"

#include "base/text.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

constexpr int kDeepest = 64;         // levels; what is used has five
constexpr std::size_t kMaxId = 256;  // bytes

// Deeper texts would cost memory far beyond their size.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
      continue;
    }
    in_string = c == '"';
    if (c == '[' || c == '{') ++depth;
    if (c == ']' || c == '}') --depth;
    if (depth > kDeepest) return true;
  }
  return false;
}

bool is_id(const json& id) {
  return id.is_number_integer() || (id.is_string() && id.get_ref<const std::string&>().size() <= kMaxId);
}

Refused refused(Code code, std::string message, json id = nullptr) {
  return {std::move(id), {code, std::move(message), nullptr}};
}

}  // namespace

std::variant<Incoming, Refused> read_message(std::string_view bytes) {
  if (bytes.size() > kMaxMessage) return too_long();
  if (!is_utf8(bytes)) return refused(Code::parse_error, "the message is not UTF-8 text");
  if (too_deep(bytes)) return refused(Code::parse_error, "the message is nested too deeply");
  json object = json::parse(bytes, nullptr, false);
  if (object.is_discarded()) return refused(Code::parse_error, "the message is no JSON");
  if (object.is_array())
    return refused(Code::invalid_request, "batches are not supported: send one message at a time");
  if (!object.is_object()) return refused(Code::invalid_request, "the message is no JSON object");
  Incoming message;
  const bool has_id = object.contains("id");
  if (has_id) message.id = object["id"];
  const json known = has_id && is_id(message.id) ? message.id : json();
  if (object.value("jsonrpc", json()) != "2.0")
    return refused(Code::invalid_request, "`jsonrpc` must be \"2.0\"", known);
  if (has_id && !is_id(message.id))
    return refused(Code::invalid_request, "`id` must be an integer or a text of at most 256 bytes");
  if (!object.contains("method") && has_id && (object.contains("result") || object.contains("error"))) {
    message.kind = Incoming::Kind::response;
    return message;
  }
  if (!object.value("method", json()).is_string())
    return refused(Code::invalid_request, "`method` must be a text", known);
  message.method = object["method"].get<std::string>();
  message.kind = has_id ? Incoming::Kind::request : Incoming::Kind::notification;
  if (object.contains("params")) message.params = std::move(object["params"]);
  if (!message.params.is_object()) return refused(Code::invalid_params, "`params` must be an object", known);
  return message;
}

Refused too_long() {
  return refused(Code::parse_error, "the message is longer than " + human_bytes(kMaxMessage));
}

json answer_of(const json& id, json result) {
  return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
}

json answer_of(const json& id, const RpcError& error) {
  json object{{"code", static_cast<int>(error.code)}, {"message", error.message}};
  if (!error.data.is_null()) object["data"] = error.data;
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(object)}};
}

json notification_of(const std::string& method, json params) {
  return {{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}};
}

std::string line_of(const json& message) {
  return message.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace kgb::serve
