// SPDX-License-Identifier: Apache-2.0
// Specification of the text helpers.
#include "base/text.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

using Strings = std::vector<std::string>;

TEST(Text, SplitKeepsEmptyFields) {
  EXPECT_EQ(split("a,,b", ','), (Strings{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (Strings{""}));
  EXPECT_EQ(split(",", ','), (Strings{"", ""}));
}

TEST(Text, LinesEndWithEitherNewline) {
  EXPECT_EQ(split_lines("a\r\nb\n\nc"), (Strings{"a", "b", "", "c"}));
  EXPECT_EQ(split_lines("a\n"), (Strings{"a"}));
  EXPECT_EQ(split_lines(""), Strings{});
}

TEST(Text, JoinUndoesSplit) {
  for (const std::string text : {"a,b,,c", "", ",", "x"}) EXPECT_EQ(join(split(text, ','), ","), text);
}

TEST(Text, TrimTakesAsciiSpaceOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim("   "), "");
  EXPECT_EQ(trim("\xc2\xa0"), "\xc2\xa0");
}

TEST(Text, ReplaceAllDoesNotLookAtWhatItWrote) {
  EXPECT_EQ(replace_all("aaa", "a", "aa"), "aaaaaa");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

TEST(Text, NumbersMustBeTheWholeText) {
  EXPECT_EQ(parse_int("-42"), -42);
  for (const char* bad : {"", " 1", "1 ", "1x", "0x10", "9223372036854775808", "1.0"}) {
    EXPECT_FALSE(parse_int(bad).has_value()) << bad;
  }
  EXPECT_EQ(parse_double("1e-3"), 1e-3);
  EXPECT_FALSE(parse_double("1e-3 ").has_value());
}

TEST(Text, Utf8IsStrict) {
  for (const char* good : {"", "abc", "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad : {"\x80", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                          "\xf8\x88\x80\x80\x80", "\xe2\x82", "a\xff"}) {
    EXPECT_FALSE(is_utf8(bad));
  }
}

TEST(Text, LossyReplacesOnlyTheBadBytes) {
  EXPECT_EQ(to_utf8_lossy("a\xff\xc3\xa4"), "a\xef\xbf\xbd\xc3\xa4");
  EXPECT_TRUE(is_utf8(to_utf8_lossy("\xe2\x82\xe2\x82")));
}

TEST(Text, CutNeverSplitsACodePoint) {
  const std::string text = "a\xe2\x82\xac!";
  for (std::size_t n = 0; n <= text.size() + 1; ++n) {
    EXPECT_TRUE(is_utf8(cut_utf8(text, n))) << n;
    EXPECT_LE(cut_utf8(text, n).size(), n);
  }
  EXPECT_EQ(cut_utf8(text, 4), "a\xe2\x82\xac");
  EXPECT_EQ(cut_utf8(text, 3), "a");
}

TEST(Text, QuotesMakeControlCharactersVisible) {
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(in_quotes("abcdef", 3), "'abc...'");
  EXPECT_TRUE(is_utf8(in_quotes("\xff\xfe")));
}

TEST(Text, BytesForPeople) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(std::uint64_t{64} << 20), "64 MiB");
}

TEST(Text, EditDistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", "abc"), 0u);
  EXPECT_EQ(edit_distance("sofmtax", "softmax"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Text, SuggestionsAreNearAndOrdered) {
  const Strings names{"aten::softmax", "aten::softmin", "cublas::sgemm"};
  EXPECT_EQ(close_matches("aten::sofmtax", names).front(), "aten::softmax");
  EXPECT_EQ(close_matches("sgemm", names), (Strings{"cublas::sgemm"}));
  EXPECT_EQ(did_you_mean("aten::sotmax", names), " (did you mean 'aten::softmax' or 'aten::softmin'?)");
  EXPECT_EQ(did_you_mean("entirely_else", names), "");
}

}  // namespace
}  // namespace kgb
