// SPDX-License-Identifier: Apache-2.0
// What the wire formats have in common.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "llm/server_json.hpp"
#include "llm/wire_format.hpp"

namespace kgb::llm {

void WireFormat::event(std::string_view data) {
  if (trim(data) == "[DONE]") return read_done();
  const std::optional<nlohmann::json> json = parse_json(data);
  if (!json) return fail("an event of the stream is no JSON: " + in_quotes(data));
  read_event(*json);
}

void WireFormat::document(std::string_view text) {
  const std::optional<nlohmann::json> json = parse_json(text);
  if (!json) return fail("the reply is no JSON, or was cut: " + in_quotes(text));
  read_document(*json, text);
}

std::string system_text(const ChatRequest& request) {
  std::string text;
  for (const ChatMessage& message : request.messages)
    if (message.role == "system") text += (text.empty() ? "" : "\n\n") + message.content;
  return text;
}

}  // namespace kgb::llm
