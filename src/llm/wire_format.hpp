// SPDX-License-Identifier: Apache-2.0
// What each wire format brings: how its requests are written, and how its events and documents are read.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "llm/wire.hpp"

namespace kgb::llm {

// Fills a Reply from the pieces of one wire format.
class WireFormat {
 public:
  virtual ~WireFormat() = default;
  void event(std::string_view data);     // the data of one server-sent event
  void document(std::string_view text);  // a reply that was not streamed, or an error document

  Reply reply;
  std::int64_t chunks = 0;

 protected:
  virtual void read_event(const nlohmann::json& json) = 0;
  virtual void read_document(const nlohmann::json& json, std::string_view text) = 0;
  virtual void read_done() {}  // "[DONE]", OpenAI's last event
  void add_text(std::string_view text);
  void add_reasoning(std::string_view text);
  void fail(std::string_view message, std::string_view kind = {});  // the first failure is kept
};

[[nodiscard]] std::unique_ptr<WireFormat> openai_chat_format();
[[nodiscard]] std::unique_ptr<WireFormat> openai_responses_format();
[[nodiscard]] std::unique_ptr<WireFormat> anthropic_format();

// What all messages of the role "system" say, for wires that have one place for it.
[[nodiscard]] std::string system_text(const ChatRequest& request);

[[nodiscard]] std::string openai_chat_body(const std::string& model, const ChatRequest& request,
                                           const BodyOptions& options);
[[nodiscard]] std::string openai_responses_body(const std::string& model, const ChatRequest& request,
                                                const BodyOptions& options);
[[nodiscard]] std::string anthropic_body(const std::string& model, const ChatRequest& request,
                                         const BodyOptions& options);

}  // namespace kgb::llm
