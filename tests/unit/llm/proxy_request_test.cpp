// SPDX-License-Identifier: Apache-2.0
// What the proxy changes of a request, and what it does not let through.
#include "llm/proxy_request.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kgb::llm {
namespace {

using Ordered = nlohmann::ordered_json;

PreparedRequest prepare(Wire wire, const std::string& body, const RequestLimits& limits = {}) {
  return prepare_request(wire, body, limits);
}
Ordered sent(Wire wire, const std::string& body, const RequestLimits& limits) {
  const PreparedRequest request = prepare(wire, body, limits);
  EXPECT_FALSE(request.refusal) << request.refusal->message;
  return Ordered::parse(request.body);
}
int status(Wire wire, const std::string& body) {
  const PreparedRequest request = prepare(wire, body);
  return request.refusal ? request.refusal->status : 0;
}
RequestLimits cap(std::int64_t most) {
  RequestLimits limits;
  limits.most_tokens = most;
  return limits;
}

TEST(PreparedRequest, IsTheAgentsOwnBytesWhereNothingHasToChange) {
  const std::string body = "{ \"model\" : \"m\",\n \"messages\": [], \"max_tokens\": 5, \"x\": 1.0 }";
  const PreparedRequest request = prepare(Wire::openai_chat, body, cap(5));
  EXPECT_EQ(request.body, body);
  EXPECT_EQ(request.model, "m");
  EXPECT_FALSE(request.streamed);
}

TEST(PreparedRequest, AsksAStreamOfChatForItsUsageAndKeepsTheOtherOptions) {
  const Ordered body =
      sent(Wire::openai_chat, R"({"z":1,"stream":true,"stream_options":{"other":2},"a":3})", {});
  EXPECT_EQ(body.dump(), R"({"z":1,"stream":true,"stream_options":{"other":2,"include_usage":true},"a":3})");
  EXPECT_FALSE(sent(Wire::anthropic, R"({"stream":true})", {}).contains("stream_options"));
}

TEST(PreparedRequest, CapsTheReplyUnderEachWiresName) {
  EXPECT_EQ(sent(Wire::openai_chat, R"({"max_tokens":9})", cap(5))["max_tokens"], 5);
  EXPECT_EQ(sent(Wire::openai_chat, R"({"max_completion_tokens":9})", cap(5)).dump(),
            R"({"max_completion_tokens":5})");
  EXPECT_EQ(sent(Wire::openai_chat, "{}", cap(5)).dump(), R"({"max_tokens":5})");
  EXPECT_EQ(sent(Wire::openai_responses, R"({"max_output_tokens":9})", cap(5))["max_output_tokens"], 5);
  EXPECT_EQ(sent(Wire::anthropic, R"({"max_tokens":3})", cap(5))["max_tokens"], 3);
}

TEST(PreparedRequest, ACapIsNotEvadedByANumberOfAnotherKind) {
  for (const char* value : {"-1", "null", "\"100000\"", "1e9", "true", "[9]"})
    EXPECT_EQ(sent(Wire::openai_chat, std::string(R"({"max_tokens":)") + value + "}", cap(5))["max_tokens"],
              5)
        << value;
}

TEST(PreparedRequest, AsksTheContestantsModelWhateverTheAgentWrote) {
  RequestLimits limits;
  limits.model = "measured";
  EXPECT_EQ(prepare(Wire::anthropic, R"({"model":"dearer"})", limits).model, "measured");
  EXPECT_EQ(sent(Wire::anthropic, R"({"model":"dearer"})", limits)["model"], "measured");
}

TEST(PreparedRequest, ToolsThatTheAgentRunsPass) {
  EXPECT_EQ(status(Wire::openai_chat, R"({"tools":[{"type":"function","function":{}}]})"), 0);
  EXPECT_EQ(status(Wire::openai_responses, R"({"tools":[{"type":"custom"},{"type":"local_shell"}]})"), 0);
  EXPECT_EQ(status(Wire::anthropic, R"({"tools":[{"name":"bash"},{"type":"bash_20250124"}]})"), 0);
}

TEST(PreparedRequest, ToolsThatTheProviderRunsDoNot) {
  EXPECT_EQ(status(Wire::openai_responses, R"({"tools":[{"type":"web_search"}]})"), 403);
  EXPECT_EQ(status(Wire::openai_responses, R"({"tools":[{"type":"mcp"}]})"), 403);
  EXPECT_EQ(status(Wire::openai_chat, R"({"web_search_options":{}})"), 403);
  EXPECT_EQ(status(Wire::anthropic, R"({"tools":[{"type":"web_fetch_20250910"}]})"), 403);
  EXPECT_EQ(status(Wire::anthropic, R"({"mcp_servers":[{"url":"x"}]})"), 403);
  EXPECT_EQ(status(Wire::anthropic, R"({"mcp_servers":[]})"), 0);
}

TEST(PreparedRequest, WhatCannotBeCountedIsRefused) {
  EXPECT_EQ(status(Wire::openai_chat, R"({"n":2})"), 400);
  EXPECT_EQ(status(Wire::openai_chat, R"({"n":1})"), 0);
  EXPECT_EQ(status(Wire::openai_responses, R"({"background":true})"), 400);
}

TEST(PreparedRequest, WhatTwoReadersMayReadDifferentlyIsRefused) {
  EXPECT_EQ(status(Wire::openai_chat, R"({"max_tokens":1,"max_tokens":100000})"), 400);
  EXPECT_EQ(status(Wire::openai_responses, R"({"tools":[{"type":"function","type":"web_search"}]})"), 400);
  EXPECT_EQ(status(Wire::openai_chat, R"({"a":{"x":1},"b":{"x":1}})"), 0);
}

TEST(PreparedRequest, HostileBytesAreRefused) {
  EXPECT_EQ(status(Wire::openai_chat, ""), 400);
  EXPECT_EQ(status(Wire::openai_chat, "[]"), 400);
  EXPECT_EQ(status(Wire::openai_chat, "{\"a\":"), 400);
  EXPECT_EQ(status(Wire::openai_chat, std::string(100'000, '[')), 400);
  EXPECT_EQ(status(Wire::openai_chat, "{\"a\":" + std::string(300, '[') + std::string(300, ']') + "}"), 400);
}

TEST(RefusalBody, HasTheFormOfEachVendor) {
  EXPECT_EQ(refusal_body(Wire::anthropic, {402, "spent"}),
            R"({"type":"error","error":{"type":"billing_error","message":"kgbench: spent"}})");
  EXPECT_EQ(refusal_body(Wire::openai_chat, {429, "later"}),
            R"({"error":{"message":"kgbench: later","type":"rate_limit_error","param":null,)"
            R"("code":"rate_limit_error"}})");
  EXPECT_EQ(Ordered::parse(refusal_body(std::nullopt, {502, "x"}))["error"]["type"], "server_error");
}

}  // namespace
}  // namespace kgb::llm
