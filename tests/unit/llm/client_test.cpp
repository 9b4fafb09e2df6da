// SPDX-License-Identifier: Apache-2.0
// Specification of a model's client, against a server that misbehaves in every way we know.
#include "llm/client.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "fault_server.hpp"
#include "llm/http.hpp"
#include "streams.hpp"

namespace kgb::llm {
namespace {

using Json = nlohmann::json;

const std::string kBusy = R"({"error":{"message":"slow down","type":"rate_limit_error"}})";

void good(const Talk& talk) {
  talk.stream(kChatStream);
}
FaultServer::Step status(int code, std::string body = kBusy, std::string headers = "") {
  return [=](const Talk& talk) { talk.reply(code, body, headers); };
}
// The stream up to and with the first appearance of `last`.
std::string stream_until(const std::string& last) {
  return kChatStream.substr(0, kChatStream.find(last) + last.size());
}

ChatRequest a_request(const std::string& text = "Hi") {
  ChatRequest request;
  request.messages = {{"user", text}};
  return request;
}

class ClientTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto http = open_http(); !http.ok()) GTEST_SKIP() << http.error().message;
  }
  Endpoint endpoint_at(const std::string& url) {
    Endpoint endpoint;
    endpoint.base_url = url;
    endpoint.model = "m-1";
    endpoint.key = "sk-very-secret";
    endpoint.key_source = "OPENAI_API_KEY";
    endpoint.first_wait_s = 0.01;
    return endpoint;
  }
  static std::unique_ptr<Client> open(Endpoint endpoint) {
    auto client = Client::open(std::move(endpoint));
    EXPECT_TRUE(client.ok()) << client.error().message;
    return client.ok() ? std::move(*client) : nullptr;
  }
  Completion ask(const FaultServer& server, const std::function<void(Endpoint&)>& change = {}) {
    Endpoint endpoint = endpoint_at(server.url());
    if (change) change(endpoint);
    return open(endpoint)->complete(a_request(), 0, stop_);
  }

  std::atomic<bool> stop_{false};
};

TEST_F(ClientTest, AReplyComesWithItsCountsAndTimes) {
  FaultServer server({good});
  const Completion done = ask(server);
  EXPECT_EQ(done.end, CallEnd::ok) << done.message;
  EXPECT_EQ(done.reply.text, "Hello");
  EXPECT_EQ(done.reply.usage.prompt, 11);
  EXPECT_EQ(done.reply.usage.reasoning, 3);
  EXPECT_EQ(done.status, 200);
  EXPECT_EQ(done.tries, 1);
  EXPECT_GT(done.first_token_s, 0);
  EXPECT_GE(done.seconds, done.first_token_s);
  EXPECT_FALSE(done.replayed);
  const Seen seen = server.seen().at(0);
  EXPECT_TRUE(seen.head.starts_with("POST /v1/chat/completions HTTP/1.1\r\n")) << seen.head;
  EXPECT_NE(seen.head.find("Authorization: Bearer sk-very-secret\r\n"), std::string::npos);
  EXPECT_EQ(Json::parse(seen.body).at("stream_options").at("include_usage"), true);
}

TEST_F(ClientTest, EachWireSpeaksToItsPath) {
  struct Case {
    Wire wire;
    std::string stream, path, key;
  };
  for (const Case& one :
       {Case{Wire::openai_responses, kResponsesStream, "/v1/responses", "Authorization: Bearer "},
        Case{Wire::anthropic, kAnthropicStream, "/v1/messages", "x-api-key: "}}) {
    FaultServer server({[&](const Talk& talk) { talk.stream(one.stream); }});
    const Completion done = ask(server, [&](Endpoint& endpoint) {
      endpoint.wire = one.wire;
      endpoint.headers = {{"X-Own", "mine"}};
    });
    EXPECT_EQ(done.end, CallEnd::ok) << done.message;
    EXPECT_EQ(done.reply.text, "Hello");
    EXPECT_EQ(done.reply.usage.completion, 7);
    const std::string head = server.seen().at(0).head;
    EXPECT_TRUE(head.starts_with("POST " + one.path + " ")) << head;
    EXPECT_NE(head.find(one.key + "sk-very-secret\r\n"), std::string::npos) << head;
    EXPECT_NE(head.find("X-Own: mine\r\n"), std::string::npos) << head;
  }
}

TEST_F(ClientTest, AReplyThatIsNotStreamedIsReadAsWell) {
  FaultServer server({status(200, kChatDocument)});
  EXPECT_EQ(ask(server).reply.text, "Hello");
}

TEST_F(ClientTest, ABusyServerIsAskedAgainAfterTheTimeItNames) {
  FaultServer server(
      {status(429, kBusy, "Retry-After-Ms: 40\r\n"), status(503, "", "Retry-After: 0\r\n"), good});
  const Completion done = ask(server);
  EXPECT_EQ(done.end, CallEnd::ok) << done.message;
  EXPECT_EQ(done.tries, 3);
  EXPECT_GE(done.waited_s, 0.04);
  EXPECT_LT(done.waited_s, 0.05);
  EXPECT_EQ(server.seen().size(), 3u);
}

TEST_F(ClientTest, AServerThatStaysBusyFailsTheCallAfterTheLastTry) {
  FaultServer server({status(500)});
  const Completion done = ask(server, [](Endpoint& endpoint) { endpoint.tries = 3; });
  EXPECT_EQ(done.end, CallEnd::failed);
  EXPECT_FALSE(done.fatal);
  EXPECT_EQ(done.status, 500);
  EXPECT_EQ(server.seen().size(), 3u);
  EXPECT_EQ(done.message, server.url() + " did not answer in 3 tries (the last: 500: slow down)");
}

TEST_F(ClientTest, ALongWaitIsCapped) {
  FaultServer server({status(429, kBusy, "Retry-After: 3600\r\n"), good});
  const Completion done = ask(server, [](Endpoint& endpoint) { endpoint.most_wait_s = 0.05; });
  EXPECT_EQ(done.end, CallEnd::ok);
  EXPECT_DOUBLE_EQ(done.waited_s, 0.05);
}

TEST_F(ClientTest, AStreamCutAfterTextIsPartialAndNotAskedForAgain) {
  FaultServer server({[](const Talk& talk) {
    talk.begin_stream();
    talk.chunk(stream_until("\"Hel\"},\"finish_reason\":null}]}\n\n"));
    talk.cut();
  }});
  const Completion done = ask(server);
  EXPECT_EQ(done.end, CallEnd::partial);
  EXPECT_EQ(done.reply.text, "Hel");
  EXPECT_FALSE(done.reply.usage.known) << "unknown, not zero";
  EXPECT_EQ(done.tries, 1);
  EXPECT_TRUE(done.message.starts_with(server.url() + " broke off its reply: ")) << done.message;
}

TEST_F(ClientTest, AStreamCutBehindItsUsageHasCounts) {
  FaultServer server({[](const Talk& talk) {
    talk.begin_stream();
    talk.chunk(stream_until("\"reasoning_tokens\":3}}}\n\n"));
    talk.cut();
  }});
  const Completion done = ask(server);
  EXPECT_EQ(done.end, CallEnd::ok) << done.message;  // its last word had been said
  EXPECT_EQ(done.reply.usage.completion, 7);
}

TEST_F(ClientTest, AConnectionLostBeforeTheFirstWordIsTriedAgain) {
  FaultServer server({[](const Talk& talk) { talk.cut(); },
                      [](const Talk& talk) {
                        talk.begin_stream();
                        talk.cut();
                      },
                      good});
  const Completion done = ask(server);
  EXPECT_EQ(done.end, CallEnd::ok) << done.message;
  EXPECT_EQ(done.tries, 3);
}

TEST_F(ClientTest, AStallBeforeTheFirstWordIsTriedAgainAndOneBehindItIsPartial) {
  FaultServer server({[](const Talk& talk) { talk.wait_for_the_client_to_go(); },
                      [](const Talk& talk) {
                        talk.begin_stream();
                        talk.chunk(stream_until("\"Hel\"},\"finish_reason\":null}]}\n\n"));
                        talk.wait_for_the_client_to_go();
                      }});
  const Completion done = ask(server, [](Endpoint& endpoint) { endpoint.stall_s = 1; });
  EXPECT_EQ(done.end, CallEnd::partial);
  EXPECT_EQ(done.tries, 2);
  EXPECT_EQ(done.message, server.url() + " broke off its reply: no byte for 1 s");
}

TEST_F(ClientTest, ASlowDripIsNoStall) {
  FaultServer server({[](const Talk& talk) {
    talk.begin_stream();
    for (std::size_t at = 0; at < kChatStream.size(); at += 40) {
      talk.chunk(kChatStream.substr(at, 40));
      if (!talk.wait(60)) return;
    }
    talk.end_stream();
  }});
  const Completion done = ask(server, [](Endpoint& endpoint) { endpoint.stall_s = 1; });
  EXPECT_EQ(done.end, CallEnd::ok) << done.message;
  EXPECT_GT(done.seconds, 1) << "longer in all than the limit between bytes";
}

TEST_F(ClientTest, UsageThatIsNotToldIsUnknown) {
  FaultServer server({[](const Talk& talk) {
    talk.stream(stream_until("\"finish_reason\":\"stop\"}]}\n\n") + "data: [DONE]\n\n");
  }});
  const Completion done = ask(server);
  EXPECT_EQ(done.end, CallEnd::ok);
  EXPECT_FALSE(done.reply.usage.known);
}

TEST_F(ClientTest, WhatIsNoReplyFailsTheCallAndIsQuoted) {
  const auto said = [&](const FaultServer::Step& step) {
    FaultServer server({step});
    const Completion done = ask(server);
    EXPECT_EQ(done.end, CallEnd::failed);
    EXPECT_FALSE(done.fatal);
    EXPECT_EQ(done.tries, 1);
    return done.message.substr(server.url().size());
  };
  EXPECT_EQ(said(status(200, "{\"choices\": [")), ": the reply is no JSON, or was cut: '{\"choices\": ['");
  EXPECT_EQ(said([](const Talk& talk) { talk.reply(200, "<html>Login</html>", "", "text/html"); }),
            ": the server sent neither JSON nor events, but '<html>Login</html>'");
  EXPECT_EQ(said(status(200, "")), ": the server sent an empty reply");
}

TEST_F(ClientTest, AServerMaySayThatItIsBusyInsideAGoodReply) {
  FaultServer server(
      {[](const Talk& talk) { talk.stream("data: " + kBusy + "\n\n"); }, status(200, kBusy), good});
  const Completion done = ask(server);
  EXPECT_EQ(done.end, CallEnd::ok) << done.message;
  EXPECT_EQ(done.tries, 3);
}

TEST_F(ClientTest, AHugeReplyIsCutOff) {
  FaultServer server({[](const Talk& talk) {
    talk.begin_stream();
    const std::string comment = ": " + std::string(1 << 20, 'x') + "\n\n";
    while (talk.wait(1)) talk.chunk(comment);
  }});
  const Completion done = ask(server);
  EXPECT_EQ(done.end, CallEnd::failed);
  EXPECT_EQ(done.message, server.url() + ": the reply is longer than 64 MiB");
}

TEST_F(ClientTest, AWrongRequestIsOfThisCallAlone) {
  FaultServer server({status(400, R"({"error":{"message":"too long","type":"invalid_request_error"}})")});
  const Completion done = ask(server);
  EXPECT_EQ(done.end, CallEnd::failed);
  EXPECT_FALSE(done.fatal);
  EXPECT_EQ(done.tries, 1);
  EXPECT_EQ(done.message, server.url() + " refuses the request (400: too long)");
}

TEST_F(ClientTest, AWrongKeyModelOrPlaceIsFatalAndSaysWhatToCheck) {
  const auto said = [&](const FaultServer::Step& step) {
    FaultServer server({step});
    const Completion done = ask(server);
    EXPECT_EQ(done.end, CallEnd::failed);
    EXPECT_TRUE(done.fatal);
    EXPECT_EQ(done.tries, 1);
    return done.message.substr(server.url().size());
  };
  EXPECT_EQ(said(status(401, R"({"error":{"message":"Incorrect key sk-very-secret"}})")),
            " refuses the key (401: Incorrect key [redacted]). Check OPENAI_API_KEY");
  EXPECT_EQ(
      said(status(404, R"({"detail":"Not Found"})")),
      " knows no such model or path (404: Not Found). Check --model m-1, the wire openai and the base URL");
  EXPECT_EQ(said(status(429, R"({"error":{"message":"no credit","code":"insufficient_quota"}})")),
            " refuses all requests (429: no credit)");
  EXPECT_EQ(said(status(307, "", "Location: http://127.0.0.1:9/v1?key=x\r\n")),
            " redirects to 'http://127.0.0.1:9' (307), and the key is not sent on. Name that server as the "
            "base URL");
}

TEST_F(ClientTest, WhereNobodyListensTheCallIsFatalAfterItsTries) {
  std::string url;
  {
    FaultServer gone({good});
    url = gone.url();
  }
  Endpoint endpoint = endpoint_at(url);
  endpoint.tries = 2;
  const Completion done = open(endpoint)->complete(a_request(), 0, stop_);
  EXPECT_EQ(done.end, CallEnd::failed);
  EXPECT_TRUE(done.fatal);
  EXPECT_EQ(done.tries, 2);
  EXPECT_TRUE(done.message.starts_with(url + " cannot be reached: ")) << done.message;
  EXPECT_TRUE(done.message.ends_with(". Is the server running, and is the base URL right?")) << done.message;
}

TEST_F(ClientTest, AProxyIsAskedForTheServer) {
  FaultServer proxy({good});
  Endpoint endpoint = endpoint_at("http://model.invalid");
  endpoint.proxy = proxy.url();
  const Completion done = open(endpoint)->complete(a_request(), 0, stop_);
  EXPECT_EQ(done.end, CallEnd::ok) << done.message;
  EXPECT_TRUE(proxy.seen().at(0).head.starts_with("POST http://model.invalid/v1/chat/completions "));
}

TEST_F(ClientTest, TheEnvironmentsProxyIsForOtherMachines) {
  FaultServer server({good}), proxy({good});
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  ::unsetenv("no_proxy");
  ::unsetenv("NO_PROXY");
  EXPECT_EQ(ask(server).end, CallEnd::ok);
  EXPECT_EQ(proxy.seen().size(), 0u);
  EXPECT_EQ(open(endpoint_at("http://model.invalid"))->complete(a_request(), 0, stop_).end, CallEnd::ok);
  EXPECT_EQ(proxy.seen().size(), 1u);
  ::unsetenv("http_proxy");
}

TEST_F(ClientTest, StopEndsACallWhereverItIs) {
  FaultServer silent({[](const Talk& talk) { talk.wait_for_the_client_to_go(); }});
  FaultServer busy({status(429, kBusy, "Retry-After: 100\r\n")});
  for (const FaultServer* server : {&silent, &busy}) {
    stop_ = false;
    Endpoint endpoint = endpoint_at(server->url());
    endpoint.concurrency = 1;
    const auto client = open(endpoint);
    Completion first, second;
    {
      std::jthread a([&] { first = client->complete(a_request(), 0, stop_); });
      while (server->seen().empty()) std::this_thread::sleep_for(Millis(1));
      std::jthread b([&] { second = client->complete(a_request(), 1, stop_); });  // waits for the slot
      stop_ = true;
    }
    EXPECT_EQ(first.end, CallEnd::cancelled);
    EXPECT_EQ(second.end, CallEnd::cancelled);
    EXPECT_EQ(server->seen().size(), 1u);
  }
}

TEST_F(ClientTest, WhatHadComeBeforeAStopIsKept) {
  std::atomic<bool> said{false};
  FaultServer server({[&](const Talk& talk) {
    talk.begin_stream();
    talk.chunk(stream_until("\"Hel\"},\"finish_reason\":null}]}\n\n"));
    said = true;
    talk.wait_for_the_client_to_go();
  }});
  Completion done;
  {
    std::jthread caller([&] { done = ask(server); });
    while (!said) std::this_thread::sleep_for(Millis(1));
    stop_ = true;
  }
  EXPECT_EQ(done.end, CallEnd::cancelled);
  EXPECT_EQ(done.reply.text, "Hel");
  EXPECT_EQ(done.tries, 1);
  EXPECT_FALSE(done.reply.usage.known);
}

TEST_F(ClientTest, NoMoreCallsThanAllowedAreUnderWay) {
  FaultServer* self = nullptr;
  FaultServer server({[&](const Talk& talk) {
    while (self->most_at_a_time() < 3 && talk.wait(5)) {
    }
    talk.wait(20);  // time for a fourth to come, were it let in
    talk.stream(kChatStream);
  }});
  self = &server;
  Endpoint endpoint = endpoint_at(server.url());
  endpoint.concurrency = 3;
  const auto client = open(endpoint);
  std::atomic<int> good_ones{0};
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < 12; ++i)
      callers.emplace_back(
          [&, i] { good_ones += client->complete(a_request(), i, stop_).end == CallEnd::ok ? 1 : 0; });
  }
  EXPECT_EQ(good_ones, 12);
  EXPECT_EQ(server.most_at_a_time(), 3);
}

// -- cassettes ---------------------------------------------------------------------------------------------
class CassetteClientTest : public ClientTest {
 protected:
  std::unique_ptr<Client> open_with(const std::string& url, CassetteMode mode) {
    Endpoint endpoint = endpoint_at(url);
    endpoint.cassette = folder_.path() / "c.jsonl";
    endpoint.cassette_mode = mode;
    return open(endpoint);
  }
  TempDir folder_ = TempDir::make("client").value();
};

TEST_F(CassetteClientTest, ARecordedCallIsReplayedWithoutAServer) {
  Completion recorded;
  {
    FaultServer server({status(503), good});
    recorded = open_with(server.url(), CassetteMode::record)->complete(a_request(), 0, stop_);
  }
  Endpoint elsewhere = endpoint_at("https://api.openai.com");
  elsewhere.body.max_completion_tokens = true;
  elsewhere.cassette = folder_.path() / "c.jsonl";
  elsewhere.cassette_mode = CassetteMode::replay;
  const Completion done = open(elsewhere)->complete(a_request(), 0, stop_);
  EXPECT_EQ(done.end, CallEnd::ok) << done.message;
  EXPECT_TRUE(done.replayed);
  EXPECT_EQ(done.tries, 0);
  EXPECT_EQ(done.reply.text, recorded.reply.text);
  EXPECT_EQ(done.reply.usage.completion, recorded.reply.usage.completion);
  EXPECT_DOUBLE_EQ(done.first_token_s, recorded.first_token_s);
  EXPECT_EQ(read_file(folder_.path() / "c.jsonl")->find("sk-very-secret"), std::string::npos);
}

TEST_F(CassetteClientTest, SamplesOfOneRequestAreToldApart) {
  FaultServer server(
      {[](const Talk& talk) {
         talk.reply(200, R"({"choices":[{"message":{"content":"one"},"finish_reason":"stop"}]})");
       },
       [](const Talk& talk) {
         talk.reply(200, R"({"choices":[{"message":{"content":"two"},"finish_reason":"stop"}]})");
       }});
  const auto client = open_with(server.url(), CassetteMode::automatic);
  EXPECT_EQ(client->complete(a_request(), 0, stop_).reply.text, "one");
  EXPECT_EQ(client->complete(a_request(), 1, stop_).reply.text, "two");
  EXPECT_EQ(client->complete(a_request(), 0, stop_).reply.text, "one");
  EXPECT_EQ(server.seen().size(), 2u);
}

TEST_F(CassetteClientTest, AReplayThatMissesNamesTheRequest) {
  {
    FaultServer server({good});
    (void)open_with(server.url(), CassetteMode::record)->complete(a_request(), 0, stop_);
  }
  const Completion done = open_with("", CassetteMode::replay)->complete(a_request("other"), 2, stop_);
  EXPECT_EQ(done.end, CallEnd::failed);
  EXPECT_FALSE(done.fatal);
  EXPECT_NE(done.message.find("has no reply to POST /v1/chat/completions, request "), std::string::npos)
      << done.message;
  EXPECT_NE(done.message.find(", sample 2 (it has 1 replies to other requests)"), std::string::npos)
      << done.message;
}

TEST_F(CassetteClientTest, WhatAnotherTryMayMendIsNotRecorded) {
  {
    FaultServer server({status(401),
                        [](const Talk& talk) {
                          talk.begin_stream();
                          talk.chunk(stream_until("\"Hel\"},\"finish_reason\":null}]}\n\n"));
                          talk.cut();
                        },
                        status(400)});
    const auto client = open_with(server.url(), CassetteMode::record);
    for (int sample = 0; sample < 3; ++sample)
      EXPECT_NE(client->complete(a_request(), sample, stop_).end, CallEnd::ok);
  }
  const auto client = open_with("", CassetteMode::replay);
  EXPECT_NE(client->complete(a_request(), 0, stop_).message.find("has no reply"), std::string::npos);
  EXPECT_NE(client->complete(a_request(), 1, stop_).message.find("has no reply"), std::string::npos);
  EXPECT_NE(client->complete(a_request(), 2, stop_).message.find("has no reply"), std::string::npos);
}

// -- opening -----------------------------------------------------------------------------------------------
TEST_F(ClientTest, AnEndpointThatCannotBeRightIsRefused) {
  const auto said = [&](const std::function<void(Endpoint&)>& change) {
    Endpoint endpoint = endpoint_at("http://127.0.0.1:1");
    change(endpoint);
    const auto client = Client::open(endpoint);
    return client.ok() ? "" : client.error().message;
  };
  EXPECT_EQ(said([](Endpoint& e) { e.base_url = "127.0.0.1:8000"; }),
            "the base URL '127.0.0.1:8000' does not begin with http:// or https://");
  EXPECT_EQ(said([](Endpoint& e) { e.body.extra = "[1]"; }),
            "what is laid over the request is no JSON object: '[1]'");
  EXPECT_EQ(said([](Endpoint& e) { e.concurrency = 0; }),
            "calls at a time and tries of a call must be at least 1");
  EXPECT_EQ(said([](Endpoint& e) { e.model = ""; }), "no model was named. Add --model NAME");
  EXPECT_EQ(said([](Endpoint& e) { e.cassette_mode = CassetteMode::replay; }),
            "the cassette's mode is replay, but no cassette was named");
}

}  // namespace
}  // namespace kgb::llm
