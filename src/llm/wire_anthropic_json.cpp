// SPDX-License-Identifier: Apache-2.0
// Anthropic's messages: content comes in blocks, the prompt's tokens in three counts.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "llm/server_json.hpp"
#include "llm/wire_format.hpp"

namespace kgb::llm {
namespace {

using Json = nlohmann::json;

class Anthropic final : public WireFormat {
 protected:
  void read_event(const Json& json) override {
    const std::string type = text_in(json, "type");
    if (type == "message_stop") {
      reply.complete = true;
    } else if (type == "message_start") {
      if (const Json* message = member(json, "message")) read_head(*message);
    } else if (type == "content_block_start") {
      if (const Json* block = member(json, "content_block")) read_block(*block);
    } else if (type == "content_block_delta") {
      if (const Json* delta = member(json, "delta")) read_block(*delta);
    } else if (type == "message_delta") {
      if (const Json* delta = member(json, "delta")) reply.finish = text_in(*delta, "stop_reason");
      if (const Json* usage = member(json, "usage")) read_usage(*usage, /*last=*/true);
    } else if (const auto error = error_in(json)) {
      fail(error->message, error->kind);
    }
  }

  void read_document(const Json& json, std::string_view text) override {
    if (const auto error = error_in(json)) return fail(error->message, error->kind);
    const Json* content = member(json, "content");
    if (content == nullptr || !content->is_array())
      return fail("the reply has no content: " + in_quotes(text));
    read_head(json);
    for (const Json& block : *content) read_block(block);
    reply.finish = text_in(json, "stop_reason");
    if (const Json* usage = member(json, "usage")) read_usage(*usage, /*last=*/true);
    reply.complete = true;
  }

 private:
  void read_head(const Json& message) {
    reply.model = text_in(message, "model");
    if (const Json* usage = member(message, "usage")) read_usage(*usage, /*last=*/false);
  }

  // A block and its deltas name their text alike.
  void read_block(const Json& block) {
    add_text(text_in(block, "text"));
    add_reasoning(text_in(block, "thinking"));
  }

  // Each usage object tells totals so far; the first one's output is only a beginning, so that a stream which
  // is cut before the last has no known usage.
  void read_usage(const Json& usage, bool last) {
    if (const auto count = count_of(usage, "input_tokens")) input_ = count;
    if (const auto count = count_of(usage, "cache_read_input_tokens")) read_ = *count;
    if (const auto count = count_of(usage, "cache_creation_input_tokens")) written_ = *count;
    const auto output = count_of(usage, "output_tokens");
    if (!last || !output || !input_) return;
    reply.usage = {.known = true,
                   .prompt = *input_ + read_ + written_,
                   .cached = read_,
                   .cache_write = written_,
                   .completion = *output,
                   .reasoning = 0};  // the wire does not tell it apart
  }

  std::optional<std::int64_t> input_;
  std::int64_t read_ = 0, written_ = 0;
};

}  // namespace

std::unique_ptr<WireFormat> anthropic_format() {
  return std::make_unique<Anthropic>();
}

std::string anthropic_body(const std::string& model, const ChatRequest& request, const BodyOptions& options) {
  Json messages = Json::array();
  for (const ChatMessage& message : request.messages)
    if (message.role != "system") messages.push_back({{"role", message.role}, {"content", message.content}});
  Json body{{"model", model},
            {"messages", std::move(messages)},
            {"stream", true},
            {"max_tokens", request.max_tokens}};
  if (std::string system = system_text(request); !system.empty()) body["system"] = std::move(system);
  if (request.temperature) body["temperature"] = *request.temperature;
  return body_text(std::move(body), options.extra);
}

}  // namespace kgb::llm
