// SPDX-License-Identifier: Apache-2.0
// OpenAI's chat completions, and what the many servers make of them that speak it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "llm/server_json.hpp"
#include "llm/wire_format.hpp"

namespace kgb::llm {
namespace {

using Json = nlohmann::json;

Usage chat_usage(const Json& json) {
  Usage usage;
  const auto prompt = count_of(json, "prompt_tokens"), completion = count_of(json, "completion_tokens");
  if (!prompt || !completion) return usage;
  usage.known = true;
  usage.prompt = *prompt;
  usage.completion = *completion;
  if (const Json* details = member(json, "prompt_tokens_details"))
    usage.cached = count_of(*details, "cached_tokens").value_or(0);
  else
    usage.cached = count_of(json, "prompt_cache_hit_tokens").value_or(0);  // DeepSeek's own
  if (const Json* details = member(json, "completion_tokens_details"))
    usage.reasoning = count_of(*details, "reasoning_tokens").value_or(0);
  // Some servers leave the reasoning out of the completion; their total gives it away.
  if (usage.reasoning > 0 && count_of(json, "total_tokens") == *prompt + *completion + usage.reasoning)
    usage.completion += usage.reasoning;
  usage.cached = std::min(usage.cached, usage.prompt);
  usage.reasoning = std::min(usage.reasoning, usage.completion);
  return usage;
}

class OpenAiChat final : public WireFormat {
 protected:
  void read_event(const Json& json) override { read(json, "delta"); }
  void read_done() override { reply.complete = true; }

  void read_document(const Json& json, std::string_view text) override {
    const Json* choices = member(json, "choices");
    if (choices == nullptr && !error_in(json)) return fail("the reply has no choices: " + in_quotes(text));
    read(json, "message");
    reply.complete = reply.error.empty();
  }

 private:
  void read(const Json& json, const char* part) {
    if (const auto error = error_in(json)) fail(error->message, error->kind);
    if (const std::string model = text_in(json, "model"); !model.empty()) reply.model = model;
    if (const Json* usage = member(json, "usage"))
      if (const Usage found = chat_usage(*usage); found.known) reply.usage = found;
    const Json* choices = member(json, "choices");
    if (choices == nullptr || !choices->is_array()) return;
    for (const Json& choice : *choices) {
      // We ask for one; where an agent asks for more, the usage covers them all and the text is the first's.
      if (count_of(choice, "index").value_or(0) != 0) continue;
      if (const Json* said = member(choice, part)) read_message(*said);
      if (const std::string finish = text_in(choice, "finish_reason"); !finish.empty()) reply.finish = finish;
    }
  }

  void read_message(const Json& said) {
    for (const char* key : {"reasoning_content", "reasoning"})
      if (const std::string text = text_in(said, key); !text.empty()) {
        add_reasoning(text);
        break;
      }
    const Json* content = member(said, "content");
    if (content == nullptr) return;
    if (content->is_string()) add_text(content->get_ref<const std::string&>());
    if (content->is_array())
      for (const Json& piece : *content) add_text(text_in(piece, "text"));
  }
};

}  // namespace

std::unique_ptr<WireFormat> openai_chat_format() {
  return std::make_unique<OpenAiChat>();
}

std::string openai_chat_body(const std::string& model, const ChatRequest& request,
                             const BodyOptions& options) {
  Json messages = Json::array();
  for (const ChatMessage& message : request.messages)
    messages.push_back({{"role", message.role}, {"content", message.content}});
  Json body{{"model", model},
            {"messages", std::move(messages)},
            {"stream", true},
            {"stream_options", {{"include_usage", true}}}};
  body[options.max_completion_tokens ? "max_completion_tokens" : "max_tokens"] = request.max_tokens;
  if (request.temperature) body["temperature"] = *request.temperature;
  if (request.seed) body["seed"] = *request.seed;
  return body_text(std::move(body), options.extra);
}

}  // namespace kgb::llm
