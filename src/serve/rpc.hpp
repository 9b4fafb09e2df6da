// SPDX-License-Identifier: Apache-2.0
// JSON-RPC 2.0: bytes become one message or the error that answers them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "nlohmann/json.hpp"

namespace kgb::serve {

inline constexpr std::size_t kMaxMessage = std::size_t{16} << 20;

// Codes of JSON-RPC, and those of the Model Context Protocol that are used here.
enum class Code {
  parse_error = -32700,
  invalid_request = -32600,
  method_not_found = -32601,
  invalid_params = -32602,
  internal_error = -32603,
  header_mismatch = -32020,
  unsupported_version = -32022,
};

struct RpcError {
  Code code = Code::internal_error;
  std::string message;
  nlohmann::json data;  // null: none
};

struct Incoming {
  enum class Kind { request, notification, response };
  Kind kind = Kind::request;
  nlohmann::json id;  // a text or an integer; null in a notification
  std::string method;
  nlohmann::json params = nlohmann::json::object();
};
struct Refused {
  nlohmann::json id;  // of the message, where it can be told
  RpcError error;
};

// The bytes are hostile input.
[[nodiscard]] std::variant<Incoming, Refused> read_message(std::string_view bytes);
// What answers a message that was not even read, for it is too long.
[[nodiscard]] Refused too_long();

[[nodiscard]] nlohmann::json answer_of(const nlohmann::json& id, nlohmann::json result);
[[nodiscard]] nlohmann::json answer_of(const nlohmann::json& id, const RpcError& error);
[[nodiscard]] nlohmann::json notification_of(const std::string& method, nlohmann::json params);
// One line without its end; bytes that are no text are replaced.
[[nodiscard]] std::string line_of(const nlohmann::json& message);

}  // namespace kgb::serve
