// SPDX-License-Identifier: Apache-2.0
// Specification of the three wire formats: requests, replies cut anywhere, usage, errors, hostile bytes.
#include "llm/wire.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "streams.hpp"

namespace kgb::llm {
namespace {

using Json = nlohmann::json;

struct Sample {
  Wire wire;
  std::string stream, document, finish;
  std::int64_t cache_write, reasoning;
};
const std::vector<Sample>& samples() {
  static const std::vector<Sample> kSamples{
      {Wire::openai_chat, kChatStream, kChatDocument, "stop", 0, 3},
      {Wire::openai_responses, kResponsesStream, kResponsesDocument, "completed", 0, 3},
      {Wire::anthropic, kAnthropicStream, kAnthropicDocument, "end_turn", 2, 0}};
  return kSamples;
}

Reply read(Wire wire, const std::vector<std::string>& pieces) {
  ReplyReader reader(wire);
  for (const std::string& piece : pieces) reader.feed(piece);
  return reader.finish();
}

void expect_whole(const Sample& sample, const Reply& reply) {
  EXPECT_EQ(reply.error, "");
  EXPECT_EQ(reply.text, "Hello");
  EXPECT_EQ(reply.reasoning, "Hm.");
  EXPECT_EQ(reply.finish, sample.finish);
  EXPECT_EQ(reply.model, "m-1");
  EXPECT_TRUE(reply.complete);
  ASSERT_TRUE(reply.usage.known);
  EXPECT_EQ(reply.usage.prompt, 11);
  EXPECT_EQ(reply.usage.cached, 4);
  EXPECT_EQ(reply.usage.cache_write, sample.cache_write);
  EXPECT_EQ(reply.usage.completion, 7);
  EXPECT_EQ(reply.usage.reasoning, sample.reasoning);
}

TEST(Wire, HasANameAndAPath) {
  for (const Wire wire : {Wire::openai_chat, Wire::openai_responses, Wire::anthropic}) {
    EXPECT_EQ(wire_named(name_of(wire)), wire);
    EXPECT_EQ(wire_of_path(path_of(wire)), wire);
    EXPECT_EQ(wire_of_path("/run/7" + std::string(path_of(wire)) + "?beta=true"), wire);
  }
  EXPECT_EQ(wire_named("openai_chat"), std::nullopt);
  for (const char* other : {"/v1/models", "/v1/messages/count_tokens", "/v1/responses/r1", "/", ""})
    EXPECT_EQ(wire_of_path(other), std::nullopt) << other;
}

TEST(Wire, KeysGoWhereTheWireWantsThem) {
  EXPECT_EQ(headers_of(Wire::openai_chat, "k"), (Headers{{"Authorization", "Bearer k"}}));
  EXPECT_EQ(headers_of(Wire::anthropic, "k"),
            (Headers{{"anthropic-version", "2023-06-01"}, {"x-api-key", "k"}}));
  EXPECT_EQ(headers_of(Wire::openai_responses, ""), Headers{});
}

TEST(Reply, ReadsAStreamThatIsCutAnywhere) {
  for (const Sample& sample : samples())
    for (std::size_t cut = 0; cut <= sample.stream.size(); ++cut) {
      SCOPED_TRACE(std::string(name_of(sample.wire)) + " cut at " + std::to_string(cut));
      expect_whole(sample, read(sample.wire, {sample.stream.substr(0, cut), sample.stream.substr(cut)}));
    }
}

TEST(Reply, ReadsAStreamByteByByteAndCountsItsPieces) {
  for (const Sample& sample : samples()) {
    ReplyReader reader(sample.wire);
    for (const char byte : sample.stream) reader.feed(std::string_view(&byte, 1));
    expect_whole(sample, reader.finish());
    EXPECT_EQ(reader.chunks(), 3) << name_of(sample.wire);
  }
}

TEST(Reply, ReadsOneDocumentAsWell) {
  for (const Sample& sample : samples()) {
    SCOPED_TRACE(name_of(sample.wire));
    expect_whole(sample, read(sample.wire, {sample.document}));
    expect_whole(sample, read(sample.wire, {"\n ", sample.document.substr(0, 9), sample.document.substr(9)}));
  }
}

TEST(Reply, AStreamThatEndsEarlyKeepsWhatCameAndInventsNothing) {
  for (const Sample& sample : samples())
    for (std::size_t end = 0; end < sample.stream.size() - 2; ++end) {
      SCOPED_TRACE(std::string(name_of(sample.wire)) + " ends at " + std::to_string(end));
      const Reply reply = read(sample.wire, {sample.stream.substr(0, end)});
      EXPECT_TRUE(std::string_view("Hello").starts_with(reply.text)) << reply.text;
      if (reply.complete) {
        EXPECT_EQ(reply.finish, sample.finish);
      }
      if (reply.usage.known) {
        EXPECT_EQ(reply.usage.prompt, 11);
        EXPECT_EQ(reply.usage.completion, 7);
      }
    }
}

TEST(Reply, ADocumentThatEndsEarlyIsAnError) {
  for (const Sample& sample : samples()) {
    const Reply reply = read(sample.wire, {sample.document.substr(0, sample.document.size() / 2)});
    EXPECT_FALSE(reply.complete);
    EXPECT_TRUE(reply.error.starts_with("the reply is no JSON, or was cut: ")) << reply.error;
  }
}

TEST(Reply, WithoutUsageItIsUnknownAndNotZero) {
  EXPECT_FALSE(
      read(Wire::openai_chat, {R"({"choices":[{"message":{"content":"x"},"finish_reason":"stop"}]})"})
          .usage.known);
  // Counts that are none: negative, fractional, text, too large.
  for (const char* count : {"-1", "1.5", "\"7\"", "1e99", "18446744073709551615", "null"}) {
    const Reply reply = read(
        Wire::openai_chat,
        {R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":)" + std::string(count) + "}}"});
    EXPECT_FALSE(reply.usage.known) << count;
  }
}

TEST(Reply, ReasoningThatTheServerCountsApartIsAdded) {
  const auto usage = [](int total) {
    return read(
               Wire::openai_chat,
               {R"({"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":5,"completion_tokens_details":{"reasoning_tokens":4},"total_tokens":)" +
                std::to_string(total) + "}}"})
        .usage.completion;
  };
  EXPECT_EQ(usage(15), 5);
  EXPECT_EQ(usage(19), 9);
}

TEST(Reply, TheLastUsageOfAStreamHolds) {
  const Reply reply =
      read(Wire::anthropic,
           {R"(data: {"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1}}}

data: {"type":"message_delta","delta":{},"usage":{"output_tokens":3}}

data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":9,"cache_read_input_tokens":1,"output_tokens":8}}

)"});
  EXPECT_EQ(reply.usage.prompt, 10);
  EXPECT_EQ(reply.usage.completion, 8);
}

TEST(Reply, ErrorsAreFoundInEveryShape) {
  struct Case {
    std::string document, message, kind;
  };
  const std::vector<Case> cases{
      {R"({"error":{"message":"no","type":"invalid_request_error","code":"insufficient_quota"}})", "no",
       "insufficient_quota"},
      {R"({"type":"error","error":{"type":"overloaded_error","message":"busy"}})", "busy",
       "overloaded_error"},
      {R"({"error":"plain"})", "plain", ""},
      {R"({"detail":"Not Found"})", "Not Found", ""},
      {R"({"detail":[{"loc":["body","model"],"msg":"field required"}]})", "field required", ""},
      {R"({"object":"error","message":"vllm says","code":404})", "vllm says", ""},
      {R"([{"error":{"code":400,"message":"listed","status":"INVALID"}}])", "listed", ""},
      {R"({"error":{}})", "the server sent an error without a message", ""}};
  for (const Sample& sample : samples())
    for (const Case& one : cases)
      for (const std::string& bytes : {one.document, "data: " + one.document + "\n\n"}) {
        const Reply reply = read(sample.wire, {bytes});
        EXPECT_EQ(reply.error, one.message) << bytes;
        EXPECT_EQ(reply.error_kind, one.kind) << bytes;
        EXPECT_FALSE(reply.complete);
      }
}

TEST(Reply, AnErrorInTheMiddleOfAStreamKeepsTheTextBeforeIt) {
  const std::string begin = kChatStream.substr(
      0,
      kChatStream.find("data: {\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"}"));
  const Reply reply = read(Wire::openai_chat, {begin, "data: {\"error\":{\"message\":\"gone\"}}\n\n"});
  EXPECT_EQ(reply.text, "Hel");
  EXPECT_EQ(reply.error, "gone");
  EXPECT_FALSE(reply.complete);
}

TEST(Reply, AnEventThatCannotBeReadLeavesTheReplyIncompleteThoughCounted) {
  std::string stream = kChatStream;
  stream.replace(stream.find("{\"content\":\"Hel\"}"), 1, "{{");
  const Reply reply = read(Wire::openai_chat, {stream});
  EXPECT_EQ(reply.text, "lo");
  EXPECT_TRUE(reply.error.starts_with("an event of the stream is no JSON: ")) << reply.error;
  EXPECT_FALSE(reply.complete);
  EXPECT_EQ(reply.usage.completion, 7);
}

TEST(Reply, AFailedResponseIsAnError) {
  const Reply reply = read(
      Wire::openai_responses,
      {R"(data: {"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"broke"}}}

)"});
  EXPECT_EQ(reply.error, "broke");
  EXPECT_EQ(reply.error_kind, "server_error");
  const Reply cut = read(
      Wire::openai_responses,
      {R"(data: {"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}

)"});
  EXPECT_TRUE(cut.complete);
  EXPECT_EQ(cut.finish, "max_output_tokens");
}

TEST(Reply, WhatIsNoReplyIsQuoted) {
  EXPECT_EQ(read(Wire::openai_chat, {"<html><body>Bad Gateway"}).error,
            "the server sent neither JSON nor events, but '<html><body>Bad Gateway'");
  EXPECT_EQ(read(Wire::openai_chat, {"error"}).error, "the server sent neither JSON nor events, but 'error'");
  EXPECT_EQ(read(Wire::openai_chat, {}).error, "the server sent an empty reply");
  EXPECT_EQ(read(Wire::openai_chat, {"data: {oops\n\n"}).error, "an event of the stream is no JSON: '{oops'");
}

TEST(Reply, HostileBytesAreSurvived) {
  const std::string deep = std::string(200'000, '[');
  for (const Sample& sample : samples()) {
    EXPECT_NE(read(sample.wire, {deep}).error, "");
    EXPECT_NE(read(sample.wire, {"data: " + deep + std::string(200'000, ']') + "\n\n"}).error, "");
    EXPECT_NE(read(sample.wire, {"data: \"\xff\"\n\n"}).error, "");
    // Every member of a wrong type: nothing is read, nothing breaks.
    for (const char* wrong : {"7", "[]", "\"x\"", "{}", "[7]", "[[]]", "[{}]", "true"}) {
      for (const char* key :
           {"choices", "usage", "response", "message", "delta", "content", "output", "type"}) {
        const std::string json = "{\"" + std::string(key) + "\":" + wrong + "}";
        EXPECT_EQ(read(sample.wire, {"data: " + json + "\n\n", json}).text, "");
        EXPECT_EQ(read(sample.wire, {json}).text, "");
      }
    }
  }
}

TEST(Reply, ALongerReplyThanAnyModelWritesIsCutOff) {
  ReplyReader reader(Wire::openai_chat);
  reader.feed("data: {\"choices\":[{\"delta\":{\"content\":\"begin\"}}]}\n\n");
  const std::string comment = ": " + std::string(1 << 20, 'x') + "\n";
  for (int i = 0; i < 70; ++i) reader.feed(comment);
  EXPECT_EQ(reader.finish().error, "the reply is longer than 64 MiB");
  EXPECT_EQ(reader.finish().text, "begin");
}

ChatRequest a_request() {
  ChatRequest request;
  request.messages = {{"system", "Be brief."}, {"user", "Hi"}, {"assistant", "Yes?"}, {"user", "Go\xff"}};
  request.temperature = 0.5;
  request.seed = 7;
  request.max_tokens = 100;
  return request;
}

TEST(Request, ChatAsksForAStreamWithUsage) {
  const Json body = Json::parse(request_body(Wire::openai_chat, "m", a_request()));
  EXPECT_EQ(body, Json::parse(R"({"model":"m","stream":true,"stream_options":{"include_usage":true},
    "max_tokens":100,"temperature":0.5,"seed":7,"messages":[{"role":"system","content":"Be brief."},
    {"role":"user","content":"Hi"},{"role":"assistant","content":"Yes?"},{"role":"user","content":"Go\ufffd"}]})"));
  const Json newer =
      Json::parse(request_body(Wire::openai_chat, "m", a_request(), {.max_completion_tokens = true}));
  EXPECT_EQ(newer.at("max_completion_tokens"), 100);
  EXPECT_FALSE(newer.contains("max_tokens"));
}

TEST(Request, ResponsesAndAnthropicKeepTheSystemTextApart) {
  const Json responses = Json::parse(request_body(Wire::openai_responses, "m", a_request()));
  EXPECT_EQ(responses.at("instructions"), "Be brief.");
  EXPECT_EQ(responses.at("input"), Json::parse(R"([{"role":"user","content":"Hi"},
    {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Yes?"}]},
    {"role":"user","content":"Go\ufffd"}])"));
  EXPECT_EQ(responses.at("max_output_tokens"), 100);
  EXPECT_EQ(responses.at("store"), false);
  EXPECT_FALSE(responses.contains("seed"));
  const Json anthropic = Json::parse(request_body(Wire::anthropic, "m", a_request()));
  EXPECT_EQ(anthropic.at("system"), "Be brief.");
  EXPECT_EQ(anthropic.at("messages").size(), 3u);
  EXPECT_EQ(anthropic.at("max_tokens"), 100);
  EXPECT_FALSE(anthropic.contains("seed"));
  for (const Json& body : {responses, anthropic}) EXPECT_EQ(body.at("stream"), true);
}

TEST(Request, WhatIsNotSetIsNotSent) {
  ChatRequest request;
  request.messages = {{"user", "Hi"}};
  for (const Wire wire : {Wire::openai_chat, Wire::openai_responses, Wire::anthropic}) {
    const Json body = Json::parse(request_body(wire, "m", request));
    for (const char* key : {"temperature", "seed", "system", "instructions"})
      EXPECT_FALSE(body.contains(key)) << key;
  }
}

TEST(Request, ExtraMembersAreLaidOverIt) {
  const Json body = Json::parse(
      request_body(Wire::openai_chat, "m", a_request(),
                   {.extra = R"({"temperature":null,"cache_prompt":false,"stream_options":{"x":1}})"}));
  EXPECT_FALSE(body.contains("temperature"));
  EXPECT_EQ(body.at("cache_prompt"), false);
  EXPECT_EQ(body.at("stream_options"), Json::parse(R"({"include_usage":true,"x":1})"));
}

}  // namespace
}  // namespace kgb::llm
