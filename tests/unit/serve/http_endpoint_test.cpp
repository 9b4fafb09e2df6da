// SPDX-License-Identifier: Apache-2.0
// Streamable HTTP without a socket.
#include "serve/http_endpoint.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

class Http : public testing::Test {
 protected:
  ~Http() override {
    gate.open();
    endpoint.close();
  }
  static HttpRequest post(const json& message, std::map<std::string, std::string> more = {}) {
    HttpRequest request{"POST", "/mcp", line_of(message), std::move(more)};
    request.headers.emplace("host", "127.0.0.1:8077");
    request.headers.emplace("accept", "application/json, text/event-stream");
    return request;
  }
  std::string begin() {
    for (const auto& [name, value] : endpoint.handle(post(hello(0))).headers)
      if (name == "Mcp-Session-Id") return value;
    return "none";
  }
  static std::map<std::string, std::string> in(const std::string& session) {
    return {{"mcp-session-id", session}, {"mcp-protocol-version", "2025-11-25"}};
  }
  // The headers that the stateless version wants.
  static HttpRequest post_alone(const json& message) {
    std::map<std::string, std::string> headers{{"mcp-protocol-version", "2026-07-28"},
                                               {"mcp-method", message["method"].get<std::string>()}};
    if (message["params"].contains("name"))
      headers["mcp-name"] = message["params"]["name"].get<std::string>();
    return post(message, headers);
  }

  Gatekeeper gate;
  Server server{{"kgbench", "1", "", 2, 4}, test_tools(gate)};
  HttpSettings settings;
  HttpEndpoint endpoint{server, {}};
};

TEST_F(Http, BeginsASessionAndKnowsItAfterwards) {
  const std::string session = begin();
  EXPECT_EQ(session.size(), 32u);
  const HttpReply pong = endpoint.handle(post(request(1, "ping"), in(session)));
  EXPECT_EQ(pong.status, 200);
  EXPECT_EQ(json::parse(pong.body)["result"], json::object());
  const HttpReply noted =
      endpoint.handle(post(notification_of("notifications/initialized", json::object()), in(session)));
  EXPECT_EQ(noted.status, 202);
  EXPECT_EQ(noted.body, "");
}

TEST_F(Http, RefusesRequestsOutsideASession) {
  EXPECT_EQ(endpoint.handle(post(request(1, "tools/list"))).status, 400);
  EXPECT_EQ(endpoint.handle(post(request(1, "tools/list"), in("0123"))).status, 404);
}

TEST_F(Http, EndsASessionWithDeleteAndStopsItsCalls) {
  const std::string session = begin();
  const HttpReply running = endpoint.handle(post(call_of(1, "hold"), in(session)));
  ASSERT_NE(running.stream, nullptr);
  ASSERT_TRUE(gate.wait_entered(1));
  HttpRequest goodbye = post(json(), in(session));
  goodbye.method = "DELETE";
  EXPECT_EQ(endpoint.handle(goodbye).status, 204);
  EXPECT_TRUE(gate.wait_stopped(1));
  EXPECT_EQ(endpoint.handle(goodbye).status, 404);
  EXPECT_EQ(endpoint.handle(post(request(1, "ping"), in(session))).status, 404);
}

TEST_F(Http, HasNoStreamOfItsOwn) {
  HttpRequest get = post(json());
  get.method = "GET";
  const HttpReply reply = endpoint.handle(get);
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(reply.headers.at(0), (std::pair<std::string, std::string>("Allow", "POST, DELETE")));
}

TEST_F(Http, StreamsProgressAndAnswerOfACall) {
  json message = call_of(1, "hold");
  message["params"]["_meta"] = {{"progressToken", 0}};
  const HttpReply reply = endpoint.handle(post(message, in(begin())));
  EXPECT_EQ(reply.type, "text/event-stream");
  ASSERT_NE(reply.stream, nullptr);
  gate.open();
  std::string all = reply.body;
  while (const auto next = reply.stream->next(Millis(60'000))) all += event_of(*next);
  EXPECT_TRUE(reply.stream->over());
  EXPECT_EQ(all.find("event: message\r\ndata: {"), 0u);
  EXPECT_LT(all.find("\"progress\":1.0"), all.find("\"progress\":2.0"));
  EXPECT_LT(all.find("\"progress\":2.0"), all.find("\"held\""));
}

TEST_F(Http, AnswersACallAsJsonWhereNoStreamIsTaken) {
  gate.open();
  HttpRequest asked = post(call_of(1, "hold"), in(begin()));
  asked.headers["accept"] = "application/json";
  const HttpReply reply = endpoint.handle(asked);
  EXPECT_EQ(reply.type, "application/json");
  EXPECT_EQ(json::parse(reply.body)["result"]["content"][0]["text"], "held");
}

TEST_F(Http, AnswersTheStatelessVersionWithoutASession) {
  const HttpReply reply = endpoint.handle(post_alone(alone(request(1, "server/discover"))));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(json::parse(reply.body)["result"]["supportedVersions"], json::array({"2026-07-28"}));
  for (const auto& [name, value] : reply.headers) EXPECT_NE(name, "Mcp-Session-Id");
}

TEST_F(Http, HoldsHeadersAgainstTheMessageInTheStatelessVersion) {
  for (const char* header : {"mcp-method", "mcp-name", "mcp-protocol-version"}) {
    HttpRequest request = post_alone(alone(call_of(1, "echo", {{"text", "hi"}})));
    request.headers[header] = "another";
    const HttpReply reply = endpoint.handle(request);
    EXPECT_EQ(reply.status, 400) << header;
    EXPECT_EQ(json::parse(reply.body)["error"]["code"], -32020) << header;
  }
}

TEST_F(Http, GivesErrorsOfTheStatelessVersionTheirStatus) {
  EXPECT_EQ(endpoint.handle(post_alone(alone(request(1, "no/such")))).status, 404);
  EXPECT_EQ(endpoint.handle(post_alone(alone(call_of(1, "no_such")))).status, 400);
  json message = alone(request(1, "tools/list"), "2031-01-01");
  HttpRequest request = post_alone(message);
  request.headers["mcp-protocol-version"] = "2031-01-01";
  const HttpReply reply = endpoint.handle(request);
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(json::parse(reply.body)["error"]["code"], -32022);
}

TEST_F(Http, CannotBeToldToCancelAnothersCall) {
  const HttpReply running = endpoint.handle(post_alone(alone(call_of(1, "hold"))));
  ASSERT_NE(running.alone, nullptr);
  ASSERT_TRUE(gate.wait_entered(1));
  EXPECT_EQ(endpoint.handle(post_alone(alone(cancel(1)))).status, 202);
  const std::string other = begin();
  EXPECT_EQ(endpoint.handle(post(cancel(1), in(other))).status, 202);
  EXPECT_TRUE(running.alone->busy());
  running.alone->close();
  EXPECT_TRUE(gate.wait_stopped(1));
}

TEST_F(Http, RefusesOtherSitesByOriginAndHost) {
  for (const char* origin : {"http://evil.example", "http://evil.example:8077", "null",
                             "http://localhost.evil.example", "http://127.0.0.1.evil.example"}) {
    HttpRequest request = post(hello(0));
    request.headers["origin"] = origin;
    EXPECT_EQ(endpoint.handle(request).status, 403) << origin;
  }
  for (const char* host : {"evil.example", "evil.example:8077", ""}) {
    HttpRequest request = post(hello(0));
    request.headers["host"] = host;
    EXPECT_EQ(endpoint.handle(request).status, 403) << host;
  }
  for (const char* origin :
       {"http://localhost", "https://localhost:3000", "http://127.0.0.1:1", "http://[::1]:1"}) {
    HttpRequest request = post(hello(0));
    request.headers["origin"] = origin;
    EXPECT_EQ(endpoint.handle(request).status, 200) << origin;
  }
}

TEST_F(Http, LetsInTheSitesThatAreNamed) {
  HttpSettings open;
  open.origins = {"ide.example"};
  HttpEndpoint with_site(server, open);
  HttpRequest request = post(hello(0));
  request.headers["origin"] = "https://ide.example";
  EXPECT_EQ(with_site.handle(request).status, 200);
}

TEST_F(Http, WantsTheTokenWhereThereIsOne) {
  HttpSettings locked;
  locked.token = "open sesame";
  HttpEndpoint endpoint_with_token(server, locked);
  for (const char* given :
       {"", "Bearer", "Bearer open", "Bearer open sesame ", "bearer open sesam", "Basic open sesame"}) {
    HttpRequest request = post(hello(0));
    request.headers["authorization"] = given;
    EXPECT_EQ(endpoint_with_token.handle(request).status, 401) << given;
  }
  HttpRequest request = post(hello(0));
  request.headers["authorization"] = "Bearer open sesame";
  EXPECT_EQ(endpoint_with_token.handle(request).status, 200);
}

TEST_F(Http, AnswersHostileBodies) {
  for (const std::string& body :
       {std::string(), std::string("{"), std::string("[]"), std::string("\xff"), std::string("7")}) {
    HttpRequest request = post(json());
    request.body = body;
    EXPECT_EQ(endpoint.handle(request).status, 400) << body;
  }
  HttpRequest elsewhere = post(hello(0));
  elsewhere.path = "/";
  EXPECT_EQ(endpoint.handle(elsewhere).status, 404);
}

TEST_F(Http, ForgetsTheSessionThatWasIdleLongestWhenThereAreMany) {
  HttpSettings few;
  few.most_sessions = 2;
  HttpEndpoint small(server, few);
  std::vector<std::string> ids;
  for (int i = 0; i < 3; ++i)
    for (const auto& [name, value] : small.handle(post(hello(0))).headers)
      if (name == "Mcp-Session-Id") ids.push_back(value);
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(small.handle(post(request(1, "ping"), in(ids[0]))).status, 404);
  EXPECT_EQ(small.handle(post(request(1, "ping"), in(ids[2]))).status, 200);
}

}  // namespace
}  // namespace kgb::serve
