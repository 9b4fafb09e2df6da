// SPDX-License-Identifier: Apache-2.0
// The protocol, without a transport.
#include "serve/server.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

class Protocol : public testing::Test {
 protected:
  Protocol() { send(hello("hello")); }
  ~Protocol() override {
    gate.open();
    session->close();
  }
  void send(const json& message) { send_bytes(line_of(message)); }
  void send_bytes(const std::string& bytes) { server.receive(session, bytes, client); }
  json result(const json& id) { return client->answer(id).value("result", json()); }
  json error(const json& id) { return client->answer(id).value("error", json()); }

  Gatekeeper gate;
  Server server{{"kgbench", "1.2.3", "how to use it", 2, 3}, test_tools(gate)};
  std::shared_ptr<Session> session = std::make_shared<Session>();
  std::shared_ptr<Client> client = std::make_shared<Client>();
};

TEST_F(Protocol, ShakesHandsInEveryVersionAndElseOffersItsNewest) {
  for (const char* version : {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}) {
    send(hello(version, version));
    EXPECT_EQ(result(version)["protocolVersion"], version);
  }
  send(hello(1, "2031-01-01"));
  EXPECT_EQ(result(1)["protocolVersion"], "2025-11-25");
  send(request(2, "initialize", {{"protocolVersion", 7}}));
  EXPECT_EQ(result(2)["protocolVersion"], "2025-11-25");
  EXPECT_EQ(result(2)["serverInfo"], (json{{"name", "kgbench"}, {"version", "1.2.3"}}));
  EXPECT_TRUE(result(2)["capabilities"].contains("tools"));
}

TEST_F(Protocol, WantsTheHandshakeBeforeTools) {
  session = std::make_shared<Session>();
  send(request(1, "tools/list"));
  EXPECT_EQ(error(1)["code"], -32600);
  send(request(2, "ping"));
  EXPECT_EQ(result(2), json::object());
}

TEST_F(Protocol, ListsToolsWithTheirSchemasAlsoWithoutParams) {
  send_bytes(R"({"jsonrpc":"2.0","id":0,"method":"tools/list"})");
  const json tools = result(0)["tools"];
  ASSERT_EQ(tools.size(), 4u);
  EXPECT_EQ(tools[0]["name"], "echo");
  EXPECT_EQ(tools[0]["inputSchema"]["required"], json::array({"text"}));
}

TEST_F(Protocol, AnswersACallByTextAndStructure) {
  send(call_of(0, "echo", {{"text", "hi"}, {"n", 3}}));
  EXPECT_EQ(result(0)["content"], json::array({{{"type", "text"}, {"text", "hi"}}}));
  EXPECT_EQ(result(0)["structuredContent"], (json{{"text", "hi"}, {"n", 3}}));
  EXPECT_EQ(result(0)["isError"], false);
}

TEST_F(Protocol, TellsAFailureOfAToolAsItsResult) {
  send(call_of(1, "fail"));
  EXPECT_EQ(result(1)["isError"], true);
  EXPECT_EQ(result(1)["content"][0]["text"], "it cannot be done");
  send(call_of(2, "throw"));
  EXPECT_EQ(result(2)["isError"], true);
  EXPECT_EQ(result(2).dump().find("secret"), std::string::npos);
  send(call_of(3, "echo", {{"txt", "hi"}}));
  EXPECT_EQ(result(3)["isError"], true);
  EXPECT_EQ(result(3)["content"][0]["text"], "echo: `text` is missing");
}

TEST_F(Protocol, RefusesWhatIsNoCallOfATool) {
  send(request(1, "tools/cal"));
  EXPECT_EQ(error(1)["code"], -32601);
  send(call_of(2, "ecko"));
  EXPECT_EQ(error(2), (json{{"code", -32602}, {"message", "no tool 'ecko' (did you mean 'echo'?)"}}));
  send(request(3, "tools/call", {{"name", 7}}));
  EXPECT_EQ(error(3)["message"], "`name` must be a text");
  send(request(4, "tools/call", {{"name", "echo"}, {"arguments", "x"}}));
  EXPECT_EQ(error(4)["message"], "`arguments` must be an object");
  send(request(5, "tools/call", {{"name", "echo"}, {"_meta", {{"progressToken", 1.5}}}}));
  EXPECT_EQ(error(5)["message"], "`_meta.progressToken` must be a text or an integer");
}

TEST_F(Protocol, AnswersPingsListsAndQuickToolsWhileSlowOnesRun) {
  send(call_of(1, "hold"));
  send(call_of(2, "hold"));
  ASSERT_TRUE(gate.wait_entered(2));
  send(request(3, "ping"));
  send(request(4, "tools/list"));
  send(call_of(5, "echo", {{"text", "hi"}}));
  EXPECT_EQ(result(3), json::object());
  EXPECT_EQ(result(4)["tools"].size(), 4u);
  EXPECT_EQ(result(5)["content"][0]["text"], "hi");
  gate.open();
  EXPECT_EQ(result(1)["content"][0]["text"], "held");
  EXPECT_EQ(result(2)["content"][0]["text"], "held");
}

TEST_F(Protocol, TellsGrowingProgressToWhoeverGaveAToken) {
  gate.open();
  for (const json& token : {json(0), json("seven")}) {
    json message = call_of(token, "hold");
    message["params"]["_meta"] = {{"progressToken", token}};
    send(message);
    ASSERT_FALSE(result(token).is_null());
    std::vector<json> told;
    for (const json& one : client->messages())
      if (one.value("method", "") == "notifications/progress" && one["params"]["progressToken"] == token)
        told.push_back(one["params"]["progress"]);
    EXPECT_EQ(told, (std::vector<json>{1.0, 2.0}));
  }
}

TEST_F(Protocol, TellsNoProgressWithoutAToken) {
  gate.open();
  send(call_of(1, "hold"));
  ASSERT_FALSE(result(1).is_null());
  for (const json& one : client->messages()) EXPECT_FALSE(one.contains("method"));
}

TEST_F(Protocol, StopsACancelledCallAndStaysSilentOnIt) {
  send(call_of(0, "hold"));
  ASSERT_TRUE(gate.wait_entered(1));
  send(cancel(7));    // nobody's
  send(cancel("0"));  // not the integer 0
  EXPECT_TRUE(session->busy());
  send(cancel(0));
  ASSERT_TRUE(gate.wait_stopped(1));
  ASSERT_TRUE(client->wait_finished(5));  // hello, three cancellations, the call
  EXPECT_FALSE(session->busy());
  for (const json& one : client->messages()) EXPECT_NE(one.value("id", json()), 0);
}

TEST_F(Protocol, DropsACancelledCallThatStillWaits) {
  for (int id = 1; id <= 3; ++id) send(call_of(id, "hold"));
  ASSERT_TRUE(gate.wait_entered(2));
  send(cancel(3));
  gate.open();
  EXPECT_FALSE(result(1).is_null());
  EXPECT_FALSE(result(2).is_null());
  ASSERT_TRUE(client->wait_finished(5));
  for (const json& one : client->messages()) EXPECT_NE(one.value("id", json()), 3);
}

TEST_F(Protocol, RefusesAnIdThatIsInUseAndTakesItAgainAfterwards) {
  send(call_of("a", "hold"));
  ASSERT_TRUE(gate.wait_entered(1));
  send(call_of("a", "hold"));
  EXPECT_EQ(error("a")["code"], -32600);
  gate.open();
  ASSERT_TRUE(client->wait_finished(3));
  send(call_of("a", "echo", {{"text", "again"}}));
  ASSERT_TRUE(client->wait_finished(4));
  EXPECT_EQ(result("a")["content"][0]["text"], "again");
}

TEST_F(Protocol, TellsAFloodToComeLater) {
  for (int id = 0; id < 200; ++id) send(call_of(id, "hold"));
  const json last = result(199);
  EXPECT_EQ(last["isError"], true);
  EXPECT_NE(last["content"][0]["text"].get<std::string>().find("the server is busy"), std::string::npos);
  gate.open();
  int held = 0;
  for (int id = 0; id < 200; ++id) held += result(id)["isError"] == false ? 1 : 0;
  EXPECT_EQ(held, 2 + 3);  // the lanes, and as many as may wait
}

TEST_F(Protocol, AnswersHostileBytesAndGoesOn) {
  for (const std::string& bytes :
       {std::string("{"), std::string("\xff"), std::string("[[]]"), std::string(70, '{')})
    send_bytes(bytes);
  send(notification_of("notifications/unknown", json::object()));
  send(notification_of("notifications/cancelled", {{"requestId", {{"a", 1}}}}));
  send(notification_of("notifications/cancelled", json::object()));
  send(request(9, "ping"));
  EXPECT_EQ(result(9), json::object());
  EXPECT_EQ(client->messages().size(), 6u);  // hello, four errors, pong
}

TEST_F(Protocol, ClosingASessionStopsItsCallsAndNoOthers) {
  const auto other = std::make_shared<Session>();
  const auto friend_of_other = std::make_shared<Client>();
  server.receive(other, line_of(hello(0)), friend_of_other);
  server.receive(other, line_of(call_of(1, "hold")), friend_of_other);
  send(call_of(1, "hold"));
  ASSERT_TRUE(gate.wait_entered(2));
  session->close();
  ASSERT_TRUE(gate.wait_stopped(1));
  EXPECT_TRUE(other->busy());
  gate.open();
  EXPECT_EQ(friend_of_other->answer(1)["result"]["content"][0]["text"], "held");
}

TEST_F(Protocol, ServesTheStatelessVersionWithoutAHandshake) {
  session = std::make_shared<Session>();
  send(alone(request(1, "server/discover")));
  EXPECT_EQ(result(1)["supportedVersions"], json::array({"2026-07-28"}));
  EXPECT_EQ(result(1)["resultType"], "complete");
  EXPECT_TRUE(result(1).contains("ttlMs"));
  send(alone(request(2, "tools/list")));
  EXPECT_EQ(result(2)["tools"].size(), 4u);
  EXPECT_EQ(result(2)["cacheScope"], "public");
  send(alone(call_of(3, "echo", {{"text", "hi"}})));
  EXPECT_EQ(result(3)["content"][0]["text"], "hi");
  EXPECT_EQ(result(3)["resultType"], "complete");
  EXPECT_EQ(result(3)["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "kgbench");
}

TEST_F(Protocol, RefusesAVersionThatItDoesNotSpeak) {
  send(alone(request(1, "tools/list"), "2031-01-01"));
  EXPECT_EQ(error(1)["code"], -32022);
  EXPECT_EQ(error(1)["data"]["requested"], "2031-01-01");
  EXPECT_EQ(error(1)["data"]["supported"].size(), 5u);
  send(request(2, "server/discover"));
  EXPECT_EQ(error(2)["code"], -32602);
  json message = alone(request(3, "tools/list"));
  message["params"]["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
  send(message);
  EXPECT_EQ(error(3)["code"], -32602);
}

}  // namespace
}  // namespace kgb::serve
