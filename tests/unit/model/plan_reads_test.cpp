// SPDX-License-Identifier: Apache-2.0
// Reads of intermediates in launch plans: small, of integers, out of allocations, and the last thing there is
// while their bytes are wanted.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "model/launch_plan.hpp"
#include "model/trial.hpp"
#include "relu_call.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

std::vector<Call> two_calls() {
  return {relu_call(), relu_call()};
}

Json read_node(int words, const Json& bytes) {
  return {{"node", "read"}, {"src", {{"at", {2, 8}}, {"dtype", "i64"}, {"shape", {words}}, {"strides", {1}}}},
          {"bytes", bytes}, {"op", "aten::_to_copy"},
          {"file", "f.py"}, {"line", 3}};
}

// Two calls: the first fills an allocation of 512 bytes and reads one word of it, the second does nothing.
Json good_plan() {
  Json plan = Json::parse(R"({
    "version": 1, "target": "h200", "kernels": [],
    "buffers": [{"kind": "input", "bytes": 32, "call": 0, "arg": "self"}, {"kind": "input", "bytes": 32, "call": 1, "arg": "self"},
                {"kind": "alloc", "bytes": 512, "call": 0}],
    "calls": [{"nodes": [{"node": "fill", "dst": {"at": [2, 0], "dtype": "i64", "shape": [64], "strides": [1]}, "value": "AAAAAAAAAAA=", "op": "aten::zeros"}],
               "structure": "none", "outputs": [], "events": []},
              {"nodes": [], "structure": "none", "outputs": [], "events": []}]})");
  plan["calls"][0]["nodes"].push_back(read_node(1, "AAAAAAAAAAA="));
  return plan;
}

Result<Recording> read_plan(const Json& json) {
  return recording_from_json(json.dump(), two_calls());
}

Json& nodes(Json& plan, int call = 0) {
  return plan["calls"][static_cast<std::size_t>(call)]["nodes"];
}

TEST(PlanReads, AreReadAndWrittenAgain) {
  const auto recording = read_plan(good_plan());
  ASSERT_TRUE(recording.ok()) << recording.error().message;
  const auto& node = std::get<Read>(recording->calls[0].nodes[1]);
  EXPECT_EQ(node.bytes->size(), 8u);
  EXPECT_EQ(node.line, 3);
  EXPECT_TRUE(reads_intermediates(*recording));
  EXPECT_FALSE(wanted_read(*recording));
  const std::string text = to_json_text(*recording);
  const auto again = recording_from_json(text, two_calls());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_json_text(*again), text);
}

TEST(PlanReads, WhatWasReadMakesNoOtherWork) {
  Json other = good_plan();
  nodes(other)[1]["bytes"] = "AQAAAAAAAAA=";
  EXPECT_EQ(canonical_hash(*read_plan(good_plan())), canonical_hash(*read_plan(other)));
  nodes(other)[1]["src"]["at"] = {2, 16};
  EXPECT_NE(canonical_hash(*read_plan(good_plan())), canonical_hash(*read_plan(other)));
}

TEST(PlanReads, WithoutBytesEndTheRecording) {
  Json plan = good_plan();
  nodes(plan).push_back(read_node(1, nullptr));
  const auto recording = read_plan(plan);
  ASSERT_TRUE(recording.ok()) << recording.error().message;
  EXPECT_EQ(wanted_read(*recording), (NodeRef{0, 2}));
}

TEST(PlanReads, ThatAreNoneAreRefused) {
  const std::vector<std::pair<const char*, std::function<void(Json&)>>> damages{
      {"of an input", [](Json& p) { nodes(p)[1]["src"]["at"] = {0, 8}; }},
      {"of the null pointer", [](Json& p) { nodes(p)[1]["src"]["at"] = {-1, 0}; }},
      {"of reals", [](Json& p) { nodes(p)[1]["src"]["dtype"] = "f64"; }},
      {"of complex numbers", [](Json& p) { nodes(p)[1]["src"]["dtype"] = "c64"; }},
      {"of nothing", [](Json& p) { nodes(p)[1] = read_node(0, ""); }},
      {"beyond the buffer", [](Json& p) { nodes(p)[1]["src"]["at"] = {2, 508}; }},
      {"larger than may be", [](Json& p) { nodes(p)[1] = read_node(33, nullptr); }},
      {"larger together", [](Json& p) { nodes(p).push_back(read_node(32, nullptr)); }},
      {"too many",
       [](Json& p) {
         for (int i = 0; i < 4; ++i) nodes(p).push_back(nodes(p)[1]);
       }},
      {"with too few bytes", [](Json& p) { nodes(p)[1]["bytes"] = "AAAA"; }},
      {"with no base64", [](Json& p) { nodes(p)[1]["bytes"] = "?"; }},
      {"without the key", [](Json& p) { nodes(p)[1].erase("bytes"); }},
      {"negated", [](Json& p) { nodes(p)[1]["src"]["neg"] = true; }},
      {"wanted, and a node behind",
       [](Json& p) { nodes(p).insert(nodes(p).begin(), read_node(1, nullptr)); }},
      {"wanted, and a call behind",
       [](Json& p) {
         nodes(p)[1]["bytes"] = nullptr;
         nodes(p, 1).push_back(nodes(p)[0]);
       }},
      {"wanted, and something returned",
       [](Json& p) {
         nodes(p)[1]["bytes"] = nullptr;
         p["calls"][0]["outputs"] = {{{"path", "return"}, {"type", "int"}, {"scalar", 3}, {"odd", false}}};
       }},
      {"wanted, and a later call that returns",
       [](Json& p) {
         nodes(p)[1]["bytes"] = nullptr;
         p["calls"][1]["outputs"] = {{{"path", "return"}, {"type", "int"}, {"scalar", 3}, {"odd", false}}};
       }},
  };
  for (const auto& [what, damage] : damages) {
    Json plan = good_plan();
    damage(plan);
    EXPECT_FALSE(read_plan(plan).ok()) << what;
  }
}

TEST(PlanReads, TravelInRepliesOfExecutors) {
  TrialResult sent;
  sent.read = std::vector<std::byte>{std::byte{7}, std::byte{0}};
  const auto got = trial_result_from_json(to_json_text(sent, 1), {}, 1);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->read, sent.read);
  sent.read->resize(kReadBytes + 1);
  EXPECT_FALSE(trial_result_from_json(to_json_text(sent, 1), {}, 1).ok());
  sent.read.reset();
  EXPECT_FALSE(trial_result_from_json(to_json_text(sent, 1), {}, 1)->read);
}

}  // namespace
}  // namespace kgb
