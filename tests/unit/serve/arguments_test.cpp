// SPDX-License-Identifier: Apache-2.0
// Arguments that do not fit the schema are named with what is wrong about them.
#include "serve/arguments.hpp"

#include <gtest/gtest.h>

#include "serve/tools.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

const json kSchema = object_schema(
    {{"op", text_schema("operator", 8)},
     {"language", {{"type", "string"}, {"enum", {"triton", "cpp"}}}},
     {"times", {{"type", "integer"}, {"minimum", 1}, {"maximum", 9}}},
     {"all", {{"type", "boolean"}}},
     {"more", object_schema({{"x", {{"type", "number"}}}, {"y", {{"type", "number"}}}}, json::array({"x"}))}},
    json::array({"op"}));

TEST(Arguments, ThatFitGiveNoComplaint) {
  EXPECT_EQ(complaint_of({{"op", "softmax"}}, kSchema), "");
  EXPECT_EQ(
      complaint_of({{"op", "mm"}, {"language", "cpp"}, {"times", 9}, {"all", false}, {"more", {{"x", 1.5}}}},
                   kSchema),
      "");
}

TEST(Arguments, ThatDoNotFitAreNamed) {
  const std::vector<std::pair<json, std::string>> bad{
      {json::object(), "`op` is missing"},
      {{{"op", 7}}, "`op` must be of type string, and is of type number"},
      {{{"op", nullptr}}, "`op` must be of type string, and is of type null"},
      {{{"op", ""}}, "`op` is empty"},
      {{{"op", "much too long"}}, "`op` is longer than 8 B"},
      {{{"op", "mm"}, {"languag", "cpp"}}, "unknown argument 'languag' (did you mean 'language'?)"},
      {{{"op", "mm"}, {"language", "rust"}}, "`language` must be one of triton, cpp"},
      {{{"op", "mm"}, {"times", 0}}, "`times` is below 1"},
      {{{"op", "mm"}, {"times", 10}}, "`times` is above 9"},
      {{{"op", "mm"}, {"times", 1.5}}, "`times` must be of type integer, and is of type number"},
      {{{"op", "mm"}, {"all", 1}}, "`all` must be of type boolean, and is of type number"},
      {{{"op", "mm"}, {"more", json::array()}}, "`more` must be of type object, and is of type array"},
      {{{"op", "mm"}, {"more", json::object()}}, "`more.x` is missing"},
      {{{"op", "mm"}, {"more", {{"x", "1"}}}}, "`more.x` must be of type number, and is of type string"},
  };
  for (const auto& [arguments, complaint] : bad) EXPECT_EQ(complaint_of(arguments, kSchema), complaint);
}

}  // namespace
}  // namespace kgb::serve
