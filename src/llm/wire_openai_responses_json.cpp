// SPDX-License-Identifier: Apache-2.0
// OpenAI's responses: events with a type each; the last one carries the whole reply and its usage.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "llm/server_json.hpp"
#include "llm/wire_format.hpp"

namespace kgb::llm {
namespace {

using Json = nlohmann::json;

Usage responses_usage(const Json& json) {
  Usage usage;
  const auto prompt = count_of(json, "input_tokens"), completion = count_of(json, "output_tokens");
  if (!prompt || !completion) return usage;
  usage.known = true;
  usage.prompt = *prompt;
  usage.completion = *completion;
  if (const Json* details = member(json, "input_tokens_details"))
    usage.cached = std::min(*prompt, count_of(*details, "cached_tokens").value_or(0));
  if (const Json* details = member(json, "output_tokens_details"))
    usage.reasoning = std::min(*completion, count_of(*details, "reasoning_tokens").value_or(0));
  return usage;
}

class OpenAiResponses final : public WireFormat {
 protected:
  void read_event(const Json& json) override {
    const std::string type = text_in(json, "type");
    if (type == "response.output_text.delta") return add_text(text_in(json, "delta"));
    if (type == "response.reasoning_text.delta" || type == "response.reasoning_summary_text.delta")
      return add_reasoning(text_in(json, "delta"));
    if (type == "error" || type.empty()) {
      if (const auto error = error_in(json)) fail(error->message, error->kind);
      return;
    }
    if (const Json* response = member(json, "response")) read(*response);
  }

  void read_document(const Json& json, std::string_view text) override {
    if (member(json, "output") == nullptr && !error_in(json))
      return fail("the reply has no output: " + in_quotes(text));
    read(json);
  }

 private:
  // The response object, as it stands in the first event, in the last, and alone.
  void read(const Json& response) {
    if (const auto error = error_in(response)) fail(error->message, error->kind);
    if (const std::string model = text_in(response, "model"); !model.empty()) reply.model = model;
    if (const Json* usage = member(response, "usage"))
      if (const Usage found = responses_usage(*usage); found.known) reply.usage = found;
    const std::string status = text_in(response, "status");
    if (status == "failed" || status == "cancelled") fail("the server ended the response as " + status);
    if (status != "completed" && status != "incomplete") return;
    reply.complete = true;
    reply.finish = status;
    if (const Json* details = member(response, "incomplete_details"))
      if (const std::string reason = text_in(*details, "reason"); !reason.empty()) reply.finish = reason;
    if (reply.text.empty()) read_output(response);
  }

  // Where no deltas came: the pieces of the items.
  void read_output(const Json& response) {
    const Json* output = member(response, "output");
    if (output == nullptr || !output->is_array()) return;
    for (const Json& item : *output) {
      const bool reasoning = text_in(item, "type") == "reasoning";
      for (const char* key : {"summary", "content"}) {
        const Json* pieces = member(item, key);
        if (pieces == nullptr || !pieces->is_array()) continue;
        for (const Json& piece : *pieces) {
          if (reasoning)
            add_reasoning(text_in(piece, "text"));
          else
            add_text(text_in(piece, "text"));
        }
      }
    }
  }
};

}  // namespace

std::unique_ptr<WireFormat> openai_responses_format() {
  return std::make_unique<OpenAiResponses>();
}

std::string openai_responses_body(const std::string& model, const ChatRequest& request,
                                  const BodyOptions& options) {
  Json input = Json::array();
  for (const ChatMessage& message : request.messages) {
    if (message.role == "system") continue;
    if (message.role == "assistant")
      // The short form is for what users say: some servers take what was answered only as it came.
      input.push_back({{"type", "message"},
                       {"role", message.role},
                       {"content", Json::array({{{"type", "output_text"}, {"text", message.content}}})}});
    else
      input.push_back({{"role", message.role}, {"content", message.content}});
  }
  // Nothing of ours stays at the provider: conversations are told whole each time.
  Json body{{"model", model},
            {"input", std::move(input)},
            {"stream", true},
            {"store", false},
            {"max_output_tokens", request.max_tokens}};
  if (std::string system = system_text(request); !system.empty()) body["instructions"] = std::move(system);
  if (request.temperature) body["temperature"] = *request.temperature;
  return body_text(std::move(body), options.extra);
}

}  // namespace kgb::llm
