// SPDX-License-Identifier: Apache-2.0
// The author's result channel as hostile input.
#include "author/result_stream.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

namespace kgb::author {
namespace {

std::string frame(const std::string& json, const std::string& blob = "") {
  std::string out = "KGF1";
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(json.size() >> shift & 255);
  for (int shift = 0; shift < 64; shift += 8) out += static_cast<char>(blob.size() >> shift & 255);
  return out + json + blob;
}
const std::string kGood = R"({"nonce":"abc","job":"s1"})";

TEST(ResultStreamTest, FramesInOrder) {
  const ResultStream stream =
      parse_result_stream(frame(kGood, "xy") + frame(R"({"nonce":"abc"})"), "abc", false);
  ASSERT_EQ(stream.frames.size(), 2u);
  EXPECT_EQ(stream.frames[0].json, kGood);
  EXPECT_EQ(stream.frames[0].blob, (std::vector<std::byte>{std::byte{'x'}, std::byte{'y'}}));
  EXPECT_EQ(stream.forged, "");
  EXPECT_FALSE(stream.truncated);
}

TEST(ResultStreamTest, NothingIsNoForgery) {
  const ResultStream stream = parse_result_stream("", "abc", false);
  EXPECT_TRUE(stream.frames.empty());
  EXPECT_EQ(stream.forged, "");
  EXPECT_FALSE(stream.truncated);
}

TEST(ResultStreamTest, EveryPrefixIsTruncatedNeverForged) {
  const std::string whole = frame(kGood, "blob");
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const ResultStream stream = parse_result_stream(whole.substr(0, size), "abc", false);
    EXPECT_TRUE(stream.frames.empty()) << size;
    EXPECT_TRUE(stream.truncated) << size;
    EXPECT_EQ(stream.forged, "") << size;
  }
}

TEST(ResultStreamTest, HeadersMustCarryTheNonce) {
  for (const char* bad :
       {R"({"nonce":"abd"})", R"({"nonce":1})", R"({})", R"(["abc"])", "abc", "", R"({"nonce":"abc")"}) {
    const ResultStream stream = parse_result_stream(frame(kGood) + frame(bad) + frame(kGood), "abc", false);
    EXPECT_EQ(stream.frames.size(), 1u) << bad;
    EXPECT_NE(stream.forged, "") << bad;
  }
}

TEST(ResultStreamTest, NestedTextCostsNoStack) {
  const std::string deep(1'000'000, '[');
  EXPECT_NE(parse_result_stream(frame(deep), "abc", false).forged, "");
  const std::string closed =
      R"({"nonce":"abc","x":)" + std::string(200'000, '[') + std::string(200'000, ']') + "}";
  EXPECT_EQ(parse_result_stream(frame(closed), "abc", false).frames.size(), 1u);
}

TEST(ResultStreamTest, SizesThatOverflowAreHarmless) {
  std::string bytes = "KGF1" + std::string(12, '\xff');
  EXPECT_TRUE(parse_result_stream(bytes + "x", "abc", false).truncated);
}

TEST(ResultStreamTest, RandomDamageNeverCrashes) {
  std::mt19937 random(7);
  const std::string whole = frame(kGood, "blob") + frame(kGood);
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = whole;
    for (int k = 0; k < 3; ++k) bytes[random() % bytes.size()] = static_cast<char>(random());
    const ResultStream stream = parse_result_stream(bytes, "abc", false);
    EXPECT_LE(stream.frames.size(), 2u);
  }
}

}  // namespace
}  // namespace kgb::author
