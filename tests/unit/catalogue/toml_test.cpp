// SPDX-License-Identifier: Apache-2.0
// TOML as values of our own, and what is refused before the library sees it.
#include "catalogue/toml.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

std::string refusal(std::string_view text) {
  const auto table = parse_toml(text);
  return table.ok() ? "taken" : table.error().message;
}

const std::string kBeyond =
    "a character beyond ASCII outside of quotes; put the key or the value into quotes";
const std::string kLetter = "\xEF\xBB\xB7";  // U+FEF7

TEST(Toml, LettersBeyondAsciiStandInQuotesAndComments) {
  const std::string& x = kLetter;
  for (const std::string& text :
       {"a = \"" + x + "\"", "a = '" + x + "\\'", "# " + x + "\na = 1", "\"" + x + "\" = 1",
        "a = \"\\\"" + x + "\"", "a = '''\n" + x + "''\n'''", "\xEF\xBB\xBF" + std::string("a = 1"),
        "a = \"\"\"\n" + x + " \"\" \\\" " + x + "\"\"\"\nb = 1"})
    EXPECT_EQ(refusal(text), "taken") << text;
}

// The library's search for spaces has no answer for those from U+FB26 to U+FEFE.
TEST(Toml, ElsewhereTheyAreRefusedWithTheirLine) {
  for (const std::string x : {"\xEF\xAC\xA6", "\xEF\xB8\x8F", "\xEF\xBB\xB7", "\xEF\xBB\xBE", "\xC3\xA9"}) {
    EXPECT_EQ(refusal(x + "a = 1"), "1: " + kBeyond);
    for (const std::string before :
         {"a = 1 # '\n", "a = ''\n", "a = \"\\\"\"\n", "a = '\\'\n", "a = \"it's\"\n"})
      EXPECT_EQ(refusal(before + "b = " + x + "1"), "2: " + kBeyond) << before;
    EXPECT_EQ(refusal("a = \"\"\"\n\"\"\"\"\" " + x), "2: " + kBeyond) << "two quotes, then the end";
    EXPECT_EQ(refusal("a = '''\n'''''" + x), "2: " + kBeyond);
    EXPECT_EQ(refusal("a = \"\"\"x\\\n\"\"\" " + x), "2: " + kBeyond) << "a line that goes on";
    EXPECT_EQ(refusal("a = \"never closed\nb = " + x), "2: " + kBeyond);
  }
}

}  // namespace
}  // namespace kgb
