// SPDX-License-Identifier: Apache-2.0
// The proxy between scripted servers and clients of bare sockets: bytes, counts, budgets, hostile agents.
#include "llm/proxy.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <nlohmann/json.hpp>

#include "scripted_server.hpp"
#include "streams.hpp"

namespace kgb::llm {
namespace {

constexpr const char* kKey = "sk-real-key-of-the-judge";

// Calls as they are reported, to wait for.
class Ledger {
 public:
  void add(const ProxiedCall& call) {
    const std::lock_guard hold(mutex_);
    calls_.push_back(call);
    added_.notify_all();
  }
  std::vector<ProxiedCall> wait(std::size_t count) {
    std::unique_lock hold(mutex_);
    added_.wait_for(hold, kPatience, [&] { return calls_.size() >= count; });
    return calls_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable added_;
  std::vector<ProxiedCall> calls_;
};

// A proxy before a scripted server, and one account.
struct Bench {
  explicit Bench(ScriptedServer::Script script, AccountSettings settings = {},
                 const std::function<void(ProxySettings&)>& adjust = {})
      : server(std::move(script)) {
    ProxySettings proxy_settings;
    proxy_settings.upstream.base_url = server.url();
    proxy_settings.upstream.key = kKey;
    if (adjust) adjust(proxy_settings);
    auto started = Proxy::start(std::move(proxy_settings));
    if (!started.ok()) throw std::runtime_error(started.error().message);
    proxy = std::move(*started);
    account = open(std::move(settings), ledger);
  }
  std::shared_ptr<Account> open(AccountSettings settings, Ledger& into) const {
    settings.on_call = [&into](const ProxiedCall& call) { into.add(call); };
    return proxy->open_account(std::move(settings)).value();
  }
  // A request of `of`'s, with all that an HTTP client of an agent sends.
  static std::string request(const Account& of, const std::string& path, const std::string& body,
                             const std::string& method = "POST") {
    return method + " " + of.path() + path +
           " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept-Encoding: gzip, "
           "br\r\nAuthorization: Bearer " +
           of.token() + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  [[nodiscard]] std::string ask(const std::string& path, const std::string& body,
                                const std::string& method = "POST") const {
    const Fd fd = connect_to(proxy->port());
    say(fd.get(), request(*account, path, body, method));
    return hear(fd.get());
  }
  ~Bench() { account->close(); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  Ledger ledger;
  ScriptedServer server;
  std::unique_ptr<Proxy> proxy;
  std::shared_ptr<Account> account;
};

ScriptedServer::Script answering(const std::string& bytes) {
  return [bytes](int fd, const std::string&) { say(fd, bytes); };
}
std::string streamed(const std::string& events) {
  return kStream + chunk(events.substr(0, 100)) + chunk(events.substr(100)) + "0\r\n\r\n";
}
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
std::string status_line(const std::string& reply) {
  return reply.substr(0, reply.find("\r\n"));
}

struct WireCase {
  Wire wire;
  std::string path, document, stream;
};
class EachWire : public testing::TestWithParam<WireCase> {};
INSTANTIATE_TEST_SUITE_P(
    Wires, EachWire,
    testing::Values(WireCase{Wire::openai_chat, "/v1/chat/completions", kChatDocument, kChatStream},
                    WireCase{Wire::openai_responses, "/v1/responses", kResponsesDocument, kResponsesStream},
                    WireCase{Wire::anthropic, "/v1/messages", kAnthropicDocument, kAnthropicStream}));

void expect_counted(const ProxiedCall& call, Wire wire) {
  EXPECT_EQ(call.completion.end, CallEnd::ok) << call.completion.message;
  EXPECT_EQ(call.wire, wire);
  EXPECT_EQ(call.completion.status, 200);
  EXPECT_EQ(call.completion.reply.model, "m-1");
  EXPECT_TRUE(call.completion.reply.usage.known);
  EXPECT_EQ(call.completion.reply.usage.prompt, 11);
  EXPECT_EQ(call.completion.reply.usage.cached, 4);
  EXPECT_EQ(call.completion.reply.usage.completion, 7);
}

TEST_P(EachWire, AWholeReplyComesBackByteForByteAndIsCounted) {
  Bench at(answering(reply_of(GetParam().document, "200 OK", "x-request-id: r7\r\n")));
  const std::string reply = at.ask(GetParam().path, R"({"model":"m-1"})");
  EXPECT_EQ(status_line(reply), "HTTP/1.1 200 OK");
  EXPECT_EQ(body_of(reply), GetParam().document);
  EXPECT_TRUE(has(reply, "x-request-id: r7"));
  const auto calls = at.ledger.wait(1);
  ASSERT_EQ(calls.size(), 1u);
  expect_counted(calls[0], GetParam().wire);
}

TEST_P(EachWire, AStreamComesBackByteForByteAndIsCounted) {
  Bench at(answering(streamed(GetParam().stream)));
  const std::string reply = at.ask(GetParam().path, R"({"model":"m-1","stream":true})");
  EXPECT_EQ(unchunked(body_of(reply)), GetParam().stream);
  EXPECT_TRUE(has(reply, "text/event-stream; charset=utf-8"));
  const auto calls = at.ledger.wait(1);
  ASSERT_EQ(calls.size(), 1u);
  expect_counted(calls[0], GetParam().wire);
}

TEST_P(EachWire, TheKeyIsTheProxysAndTheTokenStaysHere) {
  Bench at(answering(reply_of(GetParam().document)));
  const std::string reply = at.ask(GetParam().path, "{}");
  ASSERT_EQ(at.server.requests().size(), 1u);
  const std::string request = at.server.requests()[0];
  EXPECT_TRUE(has(request, "POST " + GetParam().path + " HTTP/1.1"));
  EXPECT_TRUE(has(request, GetParam().wire == Wire::anthropic
                               ? std::string("x-api-key: ") + kKey
                               : std::string("Authorization: Bearer ") + kKey));
  EXPECT_FALSE(has(request, at.account->token()));
  EXPECT_FALSE(has(to_lower(request), "accept-encoding"));
  EXPECT_FALSE(has(reply, kKey));
}

TEST_P(EachWire, AnErrorOfTheServerIsPassedOn) {
  const std::string body = R"({"error":{"message":"slow down","type":"rate_limit"}})";
  Bench at(answering(reply_of(body, "429 Too Many Requests", "Retry-After: 7\r\n")));
  const std::string reply = at.ask(GetParam().path, "{}");
  EXPECT_EQ(status_line(reply), "HTTP/1.1 429 Too Many Requests");
  EXPECT_EQ(body_of(reply), body);
  EXPECT_TRUE(has(reply, "retry-after: 7"));
  const auto calls = at.ledger.wait(1);
  EXPECT_EQ(calls[0].completion.end, CallEnd::failed);
  EXPECT_EQ(calls[0].completion.message, "slow down");
  EXPECT_EQ(calls[0].completion.status, 429);
}

TEST(Proxy, AStreamOfChatIsAskedForItsUsage) {
  Bench at(answering(streamed(kChatStream)));
  static_cast<void>(at.ask("/v1/chat/completions", R"({"stream":true})"));
  EXPECT_EQ(body_of(at.server.requests().at(0)),
            R"({"stream":true,"stream_options":{"include_usage":true}})");
}

TEST(Proxy, AServerThatTellsNoUsageLeavesItUnknown) {
  Bench at(answering(reply_of(R"({"model":"m-1","choices":[{"index":0,"message":{"content":"Hi"}}]})")));
  static_cast<void>(at.ask("/v1/chat/completions", "{}"));
  EXPECT_FALSE(at.ledger.wait(1)[0].completion.reply.usage.known);
  EXPECT_EQ(at.account->spent().unknown, 1);
}

const std::string kDelta = R"(data: {"choices":[{"index":0,"delta":{"content":"x"}}]})"
                           "\n\n";

TEST(Proxy, AStreamThatBreaksOffBreaksOffForTheAgentAndIsPartial) {
  Bench at(answering(kStream + chunk(kDelta) + chunk(kDelta)));
  const std::string reply = at.ask("/v1/chat/completions", R"({"stream":true})");
  EXPECT_TRUE(has(reply, kDelta));
  EXPECT_FALSE(reply.ends_with("0\r\n\r\n")) << "the end mark would say that the reply is whole";
  const ProxiedCall call = at.ledger.wait(1)[0];
  EXPECT_EQ(call.completion.end, CallEnd::partial);
  EXPECT_EQ(call.deltas, 2);
  EXPECT_FALSE(call.completion.reply.usage.known);
}

TEST(Proxy, AWholeReplyThatBreaksOffIsAnErrorForTheAgent) {
  Bench at(
      answering("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{\"a\":"));
  EXPECT_EQ(status_line(at.ask("/v1/chat/completions", "{}")), "HTTP/1.1 502 Bad Gateway");
  EXPECT_NE(at.ledger.wait(1)[0].completion.end, CallEnd::ok);
}

TEST(Proxy, AnAgentThatHangsUpEndsTheCallAndLeavesItPartial) {
  std::atomic<bool> noticed{false};
  Bench at([&](int fd, const std::string&) {
    say(fd, kStream + chunk(kDelta) + chunk(kDelta) + chunk(kDelta));
    noticed = hung_up(fd);
  });
  {
    const Fd agent = connect_to(at.proxy->port());
    say(agent.get(), Bench::request(*at.account, "/v1/chat/completions", R"({"stream":true})"));
    EXPECT_TRUE(has(hear(agent.get(), "data:"), "data:"));
  }
  const auto calls = at.ledger.wait(1);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].completion.end, CallEnd::partial);
  EXPECT_EQ(calls[0].completion.message, "the agent hung up");
  EXPECT_EQ(calls[0].deltas, 3);
  EXPECT_EQ(at.account->spent().partial, 1);
  at.account->close();
  at.proxy.reset();
  while (!noticed) std::this_thread::yield();  // or the test's time limit ends it
}

TEST(Proxy, AServerThatIsNotThereIsABadGateway) {
  Bench at(answering(""), {},
           [](ProxySettings& settings) { settings.upstream.base_url = "http://127.0.0.1:1"; });
  const std::string reply = at.ask("/v1/messages", "{}");
  EXPECT_EQ(status_line(reply), "HTTP/1.1 502 Bad Gateway");
  EXPECT_EQ(nlohmann::json::parse(body_of(reply))["error"]["type"], "api_error");
  EXPECT_EQ(at.ledger.wait(1)[0].completion.end, CallEnd::failed);
}

// -- budgets ----------------------------------------------------------------------------------------------

AccountSettings with_tokens(std::int64_t tokens) {
  AccountSettings settings;
  settings.budget.tokens = tokens;
  return settings;
}

TEST(Proxy, ASpentBudgetIsTheWiresOwnError) {
  Bench at(answering(reply_of(kChatDocument)), with_tokens(18));
  EXPECT_TRUE(has(at.ask("/v1/chat/completions", R"({"max_tokens":500})"), "Hello"));
  EXPECT_EQ(body_of(at.server.requests().at(0)), R"({"max_tokens":18})");
  at.ledger.wait(1);
  const std::string openai = at.ask("/v1/responses", "{}"), anthropic = at.ask("/v1/messages", "{}");
  EXPECT_EQ(status_line(openai), "HTTP/1.1 402 Payment Required");
  EXPECT_EQ(nlohmann::json::parse(body_of(openai))["error"]["code"], "insufficient_quota");
  EXPECT_EQ(body_of(anthropic), R"({"type":"error","error":{"type":"billing_error","message":"kgbench: the )"
                                R"(budget of 18 tokens is spent"}})");
  EXPECT_EQ(at.server.requests().size(), 1u) << "nothing more is sent on";
  EXPECT_EQ(at.account->spent().refused, 2);
}

TEST(Proxy, TimeThatIsOverCutsAStream) {
  AccountSettings settings;
  settings.budget.seconds = 0.3;
  Bench at(
      [](int fd, const std::string&) {
        say(fd, kStream + chunk(kDelta));
        static_cast<void>(hung_up(fd));
      },
      settings);
  const std::string reply = at.ask("/v1/chat/completions", R"({"stream":true})");
  EXPECT_TRUE(has(reply, kDelta));
  const ProxiedCall call = at.ledger.wait(1)[0];
  EXPECT_EQ(call.completion.end, CallEnd::partial);
  EXPECT_EQ(call.completion.message, "the time of 0.3 seconds is over");
}

TEST(Proxy, TimeThatIsOverEndsTheWaitForAServer) {
  AccountSettings settings;
  settings.budget.seconds = 0.3;
  Bench at([](int fd, const std::string&) { static_cast<void>(hung_up(fd)); }, settings);
  EXPECT_EQ(status_line(at.ask("/v1/messages", "{}")), "HTTP/1.1 402 Payment Required");
  EXPECT_EQ(at.ledger.wait(1)[0].completion.end, CallEnd::cancelled);
}

TEST(Proxy, ClosingAnAccountCutsItsCallsAndReportsThemFirst) {
  Bench at([](int fd, const std::string&) {
    say(fd, kStream + chunk(kDelta));
    static_cast<void>(hung_up(fd));
  });
  const Fd agent = connect_to(at.proxy->port());
  say(agent.get(), Bench::request(*at.account, "/v1/chat/completions", R"({"stream":true})"));
  EXPECT_TRUE(has(hear(agent.get(), "data:"), "data:"));
  at.account->close();
  EXPECT_EQ(at.account->spent().partial, 1) << "reported when close() returns";
  EXPECT_EQ(status_line(at.ask("/v1/chat/completions", "{}")), "HTTP/1.1 402 Payment Required");
}

TEST(Proxy, AgentsThatRunAtOnceAreToldApart) {
  Bench at([](int fd, const std::string& request) {
    const auto body = nlohmann::json::parse(body_of(request));
    const std::int64_t tokens = body["tokens"];
    say(fd,
        reply_of(
            R"({"model":"m","choices":[{"index":0,"message":{"content":"x"}}],"usage":{"prompt_tokens":)" +
            std::to_string(tokens) + R"(,"completion_tokens":1}})"));
  });
  constexpr int kAgents = 4, kCalls = 8;
  std::vector<Ledger> ledgers(kAgents);
  std::vector<std::shared_ptr<Account>> accounts;
  for (Ledger& ledger : ledgers) accounts.push_back(at.open({}, ledger));
  std::vector<std::thread> agents;
  for (int a = 0; a < kAgents; ++a)
    agents.emplace_back([&, a] {
      for (int i = 0; i < kCalls; ++i) {
        const Fd fd = connect_to(at.proxy->port());
        const auto& account = *accounts[static_cast<std::size_t>(a)];
        say(fd.get(), Bench::request(account, "/v1/chat/completions",
                                     "{\"tokens\":" + std::to_string(100 * a + 1) + "}"));
        EXPECT_TRUE(has(hear(fd.get()), "200 OK"));
      }
    });
  for (std::thread& agent : agents) agent.join();
  for (int a = 0; a < kAgents; ++a) {
    const auto which = static_cast<std::size_t>(a);
    EXPECT_EQ(ledgers[which].wait(kCalls).size(), static_cast<std::size_t>(kCalls));
    EXPECT_EQ(accounts[which]->spent().usage.prompt, kCalls * (100 * a + 1));
    accounts[which]->close();
  }
  EXPECT_EQ(at.account->spent().calls, 0);
}

// -- hostile agents ---------------------------------------------------------------------------------------

TEST(Proxy, AStrangersTokenIsRefused) {
  Bench at(answering(reply_of(kChatDocument)));
  const Fd fd = connect_to(at.proxy->port());
  say(fd.get(), "POST /t/0123456789abcdef/v1/messages HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
  EXPECT_EQ(status_line(hear(fd.get())), "HTTP/1.1 401 Unauthorized");
  EXPECT_TRUE(at.server.requests().empty());
}

TEST(Proxy, WhatIsNoCallIsNotPassedOn) {
  Bench at(answering(reply_of("{}")));
  for (const char* path : {"/v1/files", "/v1/%6dessages", "/v1/../admin", "/"})
    EXPECT_EQ(status_line(at.ask(path, "{}")), "HTTP/1.1 404 Not Found") << path;
  EXPECT_EQ(status_line(at.ask("/v1/messages", "", "DELETE")), "HTTP/1.1 404 Not Found");
  EXPECT_EQ(status_line(at.ask("/" + std::string(4000, 'a'), "{}")).substr(0, 12), "HTTP/1.1 414");
  EXPECT_TRUE(at.server.requests().empty());
}

TEST(Proxy, TheListOfModelsIsPassedOnAndNotCounted) {
  Bench at(answering(reply_of(R"({"data":[]})")));
  EXPECT_EQ(body_of(at.ask("/v1/models", "", "GET")), R"({"data":[]})");
  EXPECT_EQ(at.account->spent().calls, 0);
}

TEST(Proxy, ARequestThatIsTooLongIsRefusedWithOrWithoutALength) {
  Bench at(answering(reply_of("{}")), {}, [](ProxySettings& settings) { settings.request_bytes = 1000; });
  EXPECT_EQ(status_line(at.ask("/v1/messages", std::string(5000, ' '))).substr(0, 12), "HTTP/1.1 413");
  const Fd fd = connect_to(at.proxy->port());
  say(fd.get(), "POST " + at.account->path() + "/v1/messages HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" +
                    chunk(std::string(5000, ' ')));
  EXPECT_EQ(status_line(hear(fd.get())).substr(0, 12), "HTTP/1.1 413");
  EXPECT_TRUE(at.server.requests().empty());
}

TEST(Proxy, ToolsOfTheProviderAreRefusedAndNothingIsReported) {
  Bench at(answering(reply_of("{}")));
  const std::string reply = at.ask("/v1/responses", R"({"tools":[{"type":"web_search"}]})");
  EXPECT_EQ(status_line(reply), "HTTP/1.1 403 Forbidden");
  EXPECT_EQ(at.account->spent().calls, 0);
  EXPECT_EQ(at.account->spent().refused, 1);
}

TEST(Proxy, LivesOnAfterGarbage) {
  Bench at(answering(reply_of(kChatDocument)));
  for (const std::string& bytes :
       {std::string("\0\0\0\r\n\r\n", 7), std::string("GET\r\n\r\n"), std::string("POST / HTTP/9.9\r\n\r\n"),
        std::string("POST /t/x HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=x\r\n\r\n--x")}) {
    const Fd fd = connect_to(at.proxy->port());
    say(fd.get(), bytes);
    ::shutdown(fd.get(), SHUT_WR);
    static_cast<void>(hear(fd.get()));
  }
  EXPECT_TRUE(has(at.ask("/v1/chat/completions", "{}"), "Hello"));
}

// -- doors and services -----------------------------------------------------------------------------------

TEST(Proxy, AnswersOnAnotherSocketWhileTheDoorIsHeld) {
  Bench at(answering(reply_of(kChatDocument)));
  Fd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener.get(), 8), 0);
  ::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size);
  const int port = ntohs(address.sin_port);
  auto door = at.proxy->serve(std::move(listener));
  ASSERT_TRUE(door.ok());
  const Fd fd = connect_to(port);
  say(fd.get(), Bench::request(*at.account, "/v1/chat/completions", "{}"));
  EXPECT_TRUE(has(hear(fd.get()), "Hello"));
  door->reset();
  EXPECT_FALSE(connect_to(port).open());
}

TEST(Proxy, AHolderIsServedWhatTheAccountOffers) {
  AccountSettings settings;
  settings.service = [](std::string_view name, const std::string& body) {
    return AccountSettings::Answer{200, std::string(name) + ":" + body, "text/plain"};
  };
  Bench at(answering(""), settings);
  EXPECT_EQ(body_of(at.ask("/kgbench/verify", "source")), "verify:source");
  EXPECT_EQ(at.account->spent().calls, 0);
}

}  // namespace
}  // namespace kgb::llm
