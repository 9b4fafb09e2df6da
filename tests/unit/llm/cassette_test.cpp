// SPDX-License-Identifier: Apache-2.0
// Specification of cassettes: what was recorded comes back byte for byte, secrets do not, torn files are
// read.
#include "llm/cassette.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "base/files.hpp"

namespace kgb::llm {
namespace {

Recording a_recording(std::string body, int sample = 0) {
  Recording recording;
  recording.key = {"POST", "/v1/messages", canonical_hash(R"({"a":1})"), sample};
  recording.status = 200;
  recording.headers = {{"content-type", "text/event-stream"}};
  recording.pieces = {{0.25, body.size() / 2}, {0.5, body.size() - body.size() / 2}};
  recording.body = std::move(body);
  recording.by = "kgbench test";
  recording.from = "http://127.0.0.1";
  recording.at = "2026-12-01T00:00:00Z";
  return recording;
}

class CassetteTest : public testing::Test {
 protected:
  std::unique_ptr<Cassette> open(CassetteMode mode, std::vector<std::string> secrets = {}) {
    auto cassette = Cassette::open(file_, mode, std::move(secrets));
    EXPECT_TRUE(cassette.ok()) << cassette.error().message;
    return cassette.ok() ? std::move(*cassette) : nullptr;
  }
  static std::string body_in(const Cassette& cassette, int sample = 0) {
    const auto found = cassette.find(a_recording("", sample).key);
    return found.ok() && found->has_value() ? (*found)->body : "(none)";
  }

  TempDir folder_ = TempDir::make("cassette").value();
  std::filesystem::path file_ = folder_.path() / "c.jsonl";
};

TEST_F(CassetteTest, WhatWasRecordedComesBackByteForByte) {
  const std::string text = "data: {\"x\": \"\u00e4\"}\r\n\n", binary("\xff\x00\x01", 3);
  {
    const auto cassette = open(CassetteMode::record);
    ASSERT_TRUE(cassette->add(a_recording(text, 0)).ok());
    ASSERT_TRUE(cassette->add(a_recording(binary, 1)).ok());
    EXPECT_EQ(body_in(*cassette, 1), binary);
  }
  const auto cassette = open(CassetteMode::replay);
  EXPECT_EQ(cassette->size(), 2u);
  EXPECT_EQ(body_in(*cassette, 1), binary);
  const Recording found = **cassette->find(a_recording("").key), wanted = a_recording(text);
  EXPECT_EQ(found.body, wanted.body);
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.headers, wanted.headers);
  ASSERT_EQ(found.pieces.size(), 2u);
  EXPECT_EQ(found.pieces[0].at_s, 0.25);
  EXPECT_EQ(found.pieces[1].bytes, wanted.pieces[1].bytes);
  EXPECT_EQ(found.by + found.from + found.at, wanted.by + wanted.from + wanted.at);
}

TEST_F(CassetteTest, TheLastRecordingOfARequestHolds) {
  const auto cassette = open(CassetteMode::record);
  ASSERT_TRUE(cassette->add(a_recording("old")).ok());
  ASSERT_TRUE(cassette->add(a_recording("new")).ok());
  EXPECT_EQ(body_in(*cassette), "new");
  EXPECT_EQ(body_in(*open(CassetteMode::replay)), "new");
}

TEST_F(CassetteTest, SecretsAndForeignHeadersNeverReachTheFile) {
  Recording recording = a_recording("your key sk-12345678 is sk-12345678, none");
  recording.headers = {
      {"content-type", "sk-12345678"}, {"set-cookie", "session"}, {"openai-organization", "acme"}};
  ASSERT_TRUE(open(CassetteMode::record, {"sk-12345678", "none"})->add(recording).ok());
  const std::string bytes = *read_file(file_);
  for (const char* secret : {"sk-12345678", "session", "acme"})
    EXPECT_EQ(bytes.find(secret), std::string::npos);
  EXPECT_EQ(body_in(*open(CassetteMode::replay)), "your key [redacted] is [redacted], none");
}

TEST_F(CassetteTest, ALastLineThatWasCutIsLeftOutAndMended) {
  ASSERT_TRUE(open(CassetteMode::record)->add(a_recording("first", 0)).ok());
  const std::string whole = *read_file(file_);
  for (const std::size_t kept : {std::size_t{1}, whole.size() / 2, whole.size() - 1}) {
    ASSERT_TRUE(write_file(file_, whole + whole.substr(0, kept)).ok());
    EXPECT_EQ(open(CassetteMode::replay)->size(), 1u);
    EXPECT_EQ(*read_file(file_), whole + whole.substr(0, kept)) << "a replay changes nothing";
    ASSERT_TRUE(open(CassetteMode::automatic)->add(a_recording("second", 1)).ok());
    EXPECT_EQ(body_in(*open(CassetteMode::replay), 1), "second");
  }
}

TEST_F(CassetteTest, ALineThatIsNoRecordingIsToldByItsNumber) {
  ASSERT_TRUE(open(CassetteMode::record)->add(a_recording("x")).ok());
  const std::string whole = *read_file(file_);
  const auto said = [&](const std::string& line) {
    EXPECT_TRUE(write_file(file_, whole + line + "\n" + whole).ok());
    const auto opened = Cassette::open(file_, CassetteMode::replay);
    return opened.ok() ? "" : opened.error().message.substr(file_.string().size());
  };
  EXPECT_EQ(said("{\"cassette\""), ":2: is no JSON object");
  EXPECT_EQ(said("{\"cassette\":2}"), ":2: cassette: must be 1, the version that kgbench reads");
  EXPECT_EQ(said("{\"cassette\":1}"), ":2: request, sample, status: must be a hash and two numbers");
  EXPECT_EQ(said(R"({"cassette":1,"request":"r","sample":0,"status":200,"body":"xy","pieces":[[0,1]]})"),
            ":2: pieces: do not add up to the body");
}

TEST_F(CassetteTest, AMissNamesTheRequest) {
  const auto cassette = open(CassetteMode::automatic);
  ASSERT_TRUE(cassette->add(a_recording("x", 0)).ok());
  ExchangeKey key = a_recording("", 3).key;
  EXPECT_FALSE(cassette->find(key)->has_value());
  EXPECT_NE(
      cassette->miss(key).find("has no reply to POST /v1/messages, request " + key.request.substr(0, 12) +
                               ", sample 3 (it has 1 other samples of this request)"),
      std::string::npos)
      << cassette->miss(key);
  key.request = "other";
  EXPECT_NE(cassette->miss(key).find("(it has 1 replies to other requests)"), std::string::npos);
}

TEST_F(CassetteTest, AReplayNeedsTheFile) {
  const auto opened = Cassette::open(file_, CassetteMode::replay);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().fault, Fault::user);
  EXPECT_TRUE(opened.error().message.starts_with("cannot open the cassette '")) << opened.error().message;
}

TEST_F(CassetteTest, ManyWritersDoNotMixTheirLines) {
  std::vector<std::jthread> writers;
  for (int writer = 0; writer < 4; ++writer)
    writers.emplace_back([&, writer] {
      const auto cassette = open(CassetteMode::automatic);
      for (int i = 0; i < 20; ++i)
        EXPECT_TRUE(
            cassette->add(a_recording(std::string(5000, static_cast<char>('a' + writer)), writer * 20 + i))
                .ok());
    });
  writers.clear();
  const auto cassette = open(CassetteMode::replay);
  EXPECT_EQ(cassette->size(), 80u);
  EXPECT_EQ(body_in(*cassette, 45), std::string(5000, 'c'));
}

TEST(CanonicalHash, LooksAtMeaningAndNotAtSpelling) {
  EXPECT_EQ(canonical_hash(R"({"a": 1, "b": [true]})"), canonical_hash(R"({"b":[true],"a":1})"));
  EXPECT_NE(canonical_hash(R"({"a": 1})"), canonical_hash(R"({"a": 2})"));
  EXPECT_NE(canonical_hash("no json"), canonical_hash("no  json"));
}

}  // namespace
}  // namespace kgb::llm
