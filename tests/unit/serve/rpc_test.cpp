// SPDX-License-Identifier: Apache-2.0
// Any bytes become a message or an error that names what is wrong.
#include "serve/rpc.hpp"

#include <gtest/gtest.h>

namespace kgb::serve {
namespace {

using nlohmann::json;

Refused refused(const std::string& bytes) {
  const auto read = read_message(bytes);
  const auto* error = std::get_if<Refused>(&read);
  return error == nullptr ? Refused{"taken", {}} : *error;
}

Incoming taken(const std::string& bytes) {
  const auto read = read_message(bytes);
  const auto* message = std::get_if<Incoming>(&read);
  return message == nullptr ? Incoming{Incoming::Kind::response, "refused", {}, {}} : *message;
}

TEST(Rpc, ReadsRequestsNotificationsAndResponses) {
  const Incoming request = taken(R"({"jsonrpc":"2.0","id":0,"method":"ping"})");
  EXPECT_EQ(request.kind, Incoming::Kind::request);
  EXPECT_EQ(request.id, 0);
  EXPECT_EQ(request.method, "ping");
  EXPECT_EQ(request.params, json::object());
  EXPECT_EQ(taken(R"({"jsonrpc":"2.0","method":"x","params":{"a":1}})").kind, Incoming::Kind::notification);
  EXPECT_EQ(taken(R"({"jsonrpc":"2.0","id":"a","result":{}})").kind, Incoming::Kind::response);
}

TEST(Rpc, RefusesWhatIsNoMessageByTheCodeOfTheProtocol) {
  const std::vector<std::pair<std::string, Code>> bad{
      {"", Code::parse_error},
      {"{not json", Code::parse_error},
      {"\xff\xfe", Code::parse_error},
      {R"({"jsonrpc":"2.0","id":1,"method":"\ud800"})", Code::parse_error},
      {"[]", Code::invalid_request},
      {R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])", Code::invalid_request},
      {"7", Code::invalid_request},
      {"null", Code::invalid_request},
      {R"({"id":1,"method":"ping"})", Code::invalid_request},
      {R"({"jsonrpc":"1.0","id":1,"method":"ping"})", Code::invalid_request},
      {R"({"jsonrpc":2.0,"id":1,"method":"ping"})", Code::invalid_request},
      {R"({"jsonrpc":"2.0","id":1})", Code::invalid_request},
      {R"({"jsonrpc":"2.0","id":1,"method":5})", Code::invalid_request},
      {R"({"jsonrpc":"2.0","id":null,"method":"ping"})", Code::invalid_request},
      {R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})", Code::invalid_request},
      {R"({"jsonrpc":"2.0","id":{"a":1},"method":"ping"})", Code::invalid_request},
      {R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})", Code::invalid_params},
  };
  for (const auto& [bytes, code] : bad) EXPECT_EQ(refused(bytes).error.code, code) << bytes;
}

TEST(Rpc, NamesTheIdInAnErrorWhereItCanBeTold) {
  EXPECT_EQ(refused(R"({"jsonrpc":"1.0","id":"seven","method":"ping"})").id, "seven");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":[1],"method":"ping"})").id, nullptr);
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":")" + std::string(300, 'x') + R"(","method":"ping"})").id,
            nullptr);
}

TEST(Rpc, RefusesDeepNestingWithoutReadingIt) {
  EXPECT_EQ(refused(std::string(1 << 20, '[')).error.message, "the message is nested too deeply");
  EXPECT_EQ(refused(std::string(1000, '[') + std::string(1000, ']')).error.message,
            "the message is nested too deeply");
}

TEST(Rpc, CountsNoBracketsInTexts) {
  EXPECT_EQ(
      taken(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\")" + std::string(1000, '[') + "\"}}")
          .id,
      1);
}

TEST(Rpc, RefusesMessagesThatAreTooLong) {
  EXPECT_EQ(refused(std::string(kMaxMessage + 1, ' ')).error.message, "the message is longer than 16 MiB");
}

TEST(Rpc, WritesOneLineWhateverTheTextHolds) {
  const std::string line = line_of(answer_of("\xff", RpcError{Code::internal_error, "a\nb\xfe", nullptr}));
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(json::parse(line)["error"]["code"], -32603);
}

}  // namespace
}  // namespace kgb::serve
