// SPDX-License-Identifier: Apache-2.0
// Inputs in the memory of inputs of earlier calls: what a plan may say of that, and what it may not.
#include <gtest/gtest.h>

#include <functional>

#include "model/launch_plan.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

std::vector<Call> three_calls() {
  TensorSpec spec;
  spec.dtype = DType::f32;
  spec.shape = {8};
  spec.strides = {1};
  spec.storage = 8;
  spec.domain = {"normal", {0, 1}};
  Call call{"aten::relu", "relu", "s1", {}};
  call.args.push_back({"self", spec, false});
  return {call, call, call};
}

// Buffers 0, 1, 2 are the inputs of the calls, 3 is an allocation of the first.
Json reusing() {
  Json plan{{"version", 1}, {"target", "h200"}, {"kernels", Json::array()}};
  for (int c = 0; c < 3; ++c) {
    plan["buffers"].push_back({{"kind", "input"}, {"bytes", 32}, {"call", c}, {"arg", "self"}});
    if (c > 0) plan["buffers"][static_cast<std::size_t>(c)]["reuses"] = c - 1;
    plan["calls"].push_back({{"nodes", Json::array()},
                             {"structure", "none"},
                             {"outputs", Json::array()},
                             {"events", Json::array()}});
  }
  plan["buffers"].push_back({{"kind", "alloc"}, {"bytes", 32}, {"call", 0}});
  return plan;
}

Result<Recording> read_reuses(const Json& plan) {
  return recording_from_json(plan.dump(), three_calls());
}

TEST(PlanReuses, AreReadAndWritten) {
  const auto recording = read_reuses(reusing());
  ASSERT_TRUE(recording.ok()) << recording.error().message;
  EXPECT_FALSE(recording->buffers[0].reuses);
  EXPECT_EQ(recording->buffers[2].reuses, 1);
  EXPECT_EQ(memory_of(recording->buffers, 2), 0);
  const auto again = read_reuses(Json::parse(to_json_text(*recording)));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->buffers[1].reuses, 0);
}

TEST(PlanReuses, CountForTheHash) {
  Json apart = reusing();
  for (auto& buffer : apart["buffers"]) buffer.erase("reuses");
  EXPECT_NE(canonical_hash(*read_reuses(apart)), canonical_hash(*read_reuses(reusing())));
}

TEST(PlanReuses, AreRefusedWhereTheyCannotBe) {
  const std::pair<const char*, std::function<void(Json&)>> broken[]{
      {"does not exist", [](Json& b) { b[1]["reuses"] = 9; }},
      {"no input", [](Json& b) { b[1]["reuses"] = 3; }},
      {"no input", [](Json& b) { b[3]["reuses"] = 0; }},
      {"no earlier call", [](Json& b) { b[1]["reuses"] = 1; }},
      {"no earlier call", [](Json& b) { b[0]["reuses"] = 2; }},
      {"as another buffer does", [](Json& b) { b[2]["reuses"] = 0; }},
      {"out of range", [](Json& b) { b[1]["reuses"] = -1; }},
  };
  for (const auto& [why, damage] : broken) {
    Json plan = reusing();
    damage(plan["buffers"]);
    const auto recording = read_reuses(plan);
    ASSERT_FALSE(recording.ok()) << why;
    if (std::string_view(why) != "out of range") {
      EXPECT_NE(recording.error().message.find(why), std::string::npos) << recording.error().message;
    }
  }
}

}  // namespace
}  // namespace kgb
