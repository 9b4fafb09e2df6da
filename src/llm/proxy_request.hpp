// SPDX-License-Identifier: Apache-2.0
// What the metering proxy does to an agent's request before it goes on, and how it refuses one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "llm/wire.hpp"

namespace kgb::llm {

// An answer of the proxy's own, in place of the model server's.
struct Refusal {
  int status = 0;  // HTTP
  std::string message;
};
// The body of a refusal as the wire's clients expect an error; without a wire, OpenAI's form.
[[nodiscard]] std::string refusal_body(std::optional<Wire> wire, const Refusal& refusal);

struct RequestLimits {
  std::string model;             // that every call asks, whatever the agent wrote; empty: as it wrote
  std::int64_t most_tokens = 0;  // of a reply; 0: no cap
  BodyOptions body;              // the cap's name where the agent set none; what is laid over all
};
struct PreparedRequest {
  std::optional<Refusal> refusal;
  std::string body;  // the agent's own bytes where nothing had to change
  std::string model;
  bool streamed = false;
};
// Caps the reply, asks a stream for its usage, and refuses what would not be counted or reaches past the
// model: several choices, replies in the background, tools that the provider runs (search, code, MCP).
[[nodiscard]] PreparedRequest prepare_request(Wire wire, std::string_view body, const RequestLimits& limits);

}  // namespace kgb::llm
