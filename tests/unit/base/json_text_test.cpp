// SPDX-License-Identifier: Apache-2.0
#include "base/json_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kgb {
namespace {

using nlohmann::json;

TEST(JsonText, AMemberThatIsTextIsGiven) {
  EXPECT_EQ(text_in(json::parse(R"({"a": "b"})"), "a"), "b");
}

TEST(JsonText, WhatIsNotThereOrNoTextGivesNothing) {
  for (const char* text : {"{}", R"({"a": null})", R"({"a": 1})", R"({"a": ["b"]})", "[]", "null", R"("a")"})
    EXPECT_EQ(text_in(json::parse(text), "a"), "") << text;
}

TEST(JsonText, ANullMemberIsNone) {
  const json object = json::parse(R"({"a": null, "b": 0})");
  EXPECT_EQ(member(object, "a"), nullptr);
  ASSERT_NE(member(object, "b"), nullptr);
  EXPECT_EQ(*member(object, "b"), 0);
  EXPECT_EQ(member(json::array({object}), "b"), nullptr);
}

}  // namespace
}  // namespace kgb
