// SPDX-License-Identifier: Apache-2.0
// The three wire formats of model servers: requests, replies and streams. Pure: no network.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "llm/usage.hpp"

namespace kgb::llm {

enum class Wire { openai_chat, openai_responses, anthropic };
[[nodiscard]] std::string_view name_of(Wire wire);  // "openai", "openai-responses", "anthropic"
[[nodiscard]] std::optional<Wire> wire_named(std::string_view name);
// The path behind the base URL: "/v1/chat/completions", "/v1/responses", "/v1/messages".
[[nodiscard]] std::string_view path_of(Wire wire);
// The wire that a request path belongs to, whatever stands in front of it; none: not a model call.
[[nodiscard]] std::optional<Wire> wire_of_path(std::string_view path);

// Where a request for a path of ours ("/v1/...") goes. A base URL of OpenAI's wires without a path gets /v1;
// one with a path is taken as it is, as OpenAI's own clients do. Anthropic's gets /v1 where it lacks it.
[[nodiscard]] std::string upstream_url(std::string_view base_url, std::optional<Wire> wire,
                                       std::string_view path);

using Headers = std::vector<std::pair<std::string, std::string>>;
// What says who asks, and in which version of the wire. Without a key: the version alone.
[[nodiscard]] Headers headers_of(Wire wire, const std::string& key);

struct ChatMessage {
  std::string role;  // "system", "user", "assistant"
  std::string content;
};
struct ChatRequest {
  std::vector<ChatMessage> messages;
  std::optional<double> temperature;
  std::optional<std::uint64_t> seed;  // sent where the wire has one
  std::int64_t max_tokens = 16384;
};
// Where servers of one wire differ.
struct BodyOptions {
  bool max_completion_tokens =
      false;            // OpenAI's newer name of max_tokens, which its reasoning models insist on
  std::string extra{};  // a JSON object laid over the body, as a merge patch: null takes a member away
};
// JSON text of a streaming request that asks for usage.
[[nodiscard]] std::string request_body(Wire wire, const std::string& model, const ChatRequest& request,
                                       const BodyOptions& options = {});

// What a whole reply says.
struct Reply {
  std::string text;
  std::string reasoning;  // where the server shows it
  std::string finish;     // the server's word: "stop", "length", "end_turn", "max_tokens", ...
  std::string model;      // as the server names it
  bool complete = false;  // the stream's or reply's end was seen, and no error
  Usage usage;
  std::string error;       // the server's message, where it sent an error in place of a reply
  std::string error_kind;  // its code or type: "insufficient_quota", "overloaded_error"; may be empty
};

// A longer reply is an error: no model writes that much, and memory is not the server's to fill.
inline constexpr std::size_t kMaxReplyBytes = std::size_t{64} << 20;

// Reads replies piece by piece, streamed (server-sent events) or whole (one JSON document); which of the two
// it is shows in the bytes. Hostile bytes end in Reply::error, never in a crash; what came before is kept.
class ReplyReader {
 public:
  explicit ReplyReader(Wire wire);
  ~ReplyReader();
  ReplyReader(ReplyReader&&) noexcept;
  ReplyReader& operator=(ReplyReader&&) noexcept;
  void feed(std::string_view bytes);
  // After the last byte. Deltas seen so far are counted in `chunks`.
  [[nodiscard]] const Reply& finish();
  [[nodiscard]] std::int64_t chunks() const;  // pieces of text that came

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kgb::llm
