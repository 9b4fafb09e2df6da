// SPDX-License-Identifier: Apache-2.0
// Launch plans as hostile text: what is read, what is refused and why, and which plans are the same work.
#include "model/launch_plan.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

namespace kgb {
namespace {

using Json = nlohmann::json;

TensorSpec tensor(std::vector<std::int64_t> shape, std::int64_t storage) {
  TensorSpec spec;
  spec.shape = std::move(shape);
  spec.strides.assign(spec.shape.size(), 1);
  spec.storage = storage;
  return spec;
}

std::vector<Call> one_call() {
  Call call{"aten::relu", "relu", "s1", {}};
  call.args.push_back({"self", tensor({8}, 8), false});
  return {call};
}

// A whole plan: one launch, fill, copy, upload and constant over an input of 32 bytes and allocations of 32
// and 64.
Json good() {
  return Json::parse(R"({
    "version": 1, "target": "h200",
    "kernels": [{"name": "k", "ttir": "module {\n  tt.func public @k(%x: i32 loc(\"x\"(#loc))) loc(#loc1)\n}\n#loc = loc(\"f.py\":1:1)\n",
                 "options": {"num_warps": "4"}, "signature": ["*fp32", "*fp32", "i32"], "parameters": ["x", "y", "n"]}],
    "buffers": [{"kind": "input", "bytes": 32, "call": 0, "arg": "self"}, {"kind": "alloc", "bytes": 32, "call": 0},
                {"kind": "alloc", "bytes": 64, "call": 0}],
    "calls": [{"nodes": [
        {"node": "launch", "kernel": 0, "grid": [1, 1, 1], "args": [{"ptr": [0, 0]}, {"ptr": [1, 0]}, {"int": 8}], "file": "f.py", "line": 3},
        {"node": "fill", "dst": {"at": [2, 0], "dtype": "f32", "shape": [4], "strides": [1]}, "value": "AAAAAA==", "op": "aten::zeros"},
        {"node": "copy", "dst": {"at": [2, 0], "dtype": "f32", "shape": [8], "strides": [1]},
         "src": {"at": [0, 0], "dtype": "f32", "shape": [8], "strides": [1]}, "op": "aten::copy_", "file": "f.py", "line": 4},
        {"node": "upload", "dst": [2, 0], "bytes": "AAAAAAAAAAAAAAAAAAAAAA==", "relocations": [[0, [1, 4]]], "op": "aten::_to_copy", "file": "f.py", "line": 5},
        {"node": "constant", "kind": "arange", "dst": {"at": [2, 0], "dtype": "i64", "shape": [8], "strides": [1]}, "params": [0, 1]}],
      "structure": "tensor",
      "outputs": [{"path": "return", "type": "Tensor", "odd": false,
                   "tensor": {"at": [1, 0], "dtype": "f32", "shape": [8], "strides": [1], "conj": false, "neg": false}}],
      "events": [{"kind": "cast", "what": "aten::_to_copy", "file": "f.py", "line": 9}]}]})");
}

Result<Recording> read(const Json& json) {
  return recording_from_json(json.dump(), one_call());
}

TEST(LaunchPlan, ReadsEveryPart) {
  const auto recording = read(good());
  ASSERT_TRUE(recording.ok()) << recording.error().message;
  EXPECT_EQ(recording->kernels[0].options.at("num_warps"), "4");
  ASSERT_EQ(recording->calls[0].nodes.size(), 5u);
  EXPECT_EQ(std::get<Launch>(recording->calls[0].nodes[0]).line, 3);
  EXPECT_EQ(std::get<Upload>(recording->calls[0].nodes[3]).relocations[0].target, (BufferRef{1, 4}));
  EXPECT_EQ(recording->calls[0].outputs[0].view.at.buffer, 1);
  EXPECT_EQ(recording->calls[0].events[0].kind, "cast");
}

TEST(LaunchPlan, WritesWhatItRead) {
  const auto first = read(good());
  ASSERT_TRUE(first.ok());
  const std::string text = to_json_text(*first);
  const auto second = recording_from_json(text, one_call());
  ASSERT_TRUE(second.ok()) << second.error().message;
  EXPECT_EQ(to_json_text(*second), text);
  EXPECT_EQ(canonical_hash(*second), canonical_hash(*first));
}

// Node 1 on a stream of its own, between nodes 0 and 2; the fourth node waits for nobody.
Json on_streams() {
  Json plan = good();
  auto& nodes = plan["calls"][0]["nodes"];
  nodes[1].update({{"stream", 1}, {"after", {0}}});
  nodes[2]["after"] = {1};
  nodes[3]["stream"] = 2;
  plan["calls"][0]["joined"] = {3, 4};
  return plan;
}

TEST(LaunchPlan, ReadsAndWritesStreamsTensorsAndFrees) {
  Json plan = on_streams();
  plan["buffers"][2]["freed"] = {0, 5};
  plan["calls"][0]["nodes"][0]["args"][1] = {
      {"ptr", {1, 4}}, {"dtype", "f16"}, {"shape", {2, 3}}, {"strides", {6, 2}}};
  const auto recording = read(plan);
  ASSERT_TRUE(recording.ok()) << recording.error().message;
  const RecordedCall& call = recording->calls[0];
  ASSERT_EQ(call.order.size(), 5u);
  EXPECT_EQ(call.order[1].stream, 1);
  EXPECT_EQ(call.order[2].after, std::vector<int>{1});
  EXPECT_EQ(call.joined, (std::vector<int>{3, 4}));
  EXPECT_EQ(recording->buffers[2].freed, (NodeRef{0, 5}));
  const auto& handed = std::get<Launch>(call.nodes[0]).args[1].part;
  ASSERT_TRUE(handed);
  EXPECT_EQ(handed->at, (BufferRef{1, 4}));
  EXPECT_EQ(handed->strides, (std::vector<std::int64_t>{6, 2}));
  const std::string text = to_json_text(*recording);
  const auto again = recording_from_json(text, one_call());
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_json_text(*again), text);
}

struct Broken {
  const char* what;
  std::function<void(Json&)> damage;
};

Json& node(Json& plan, int index) {
  return plan["calls"][0]["nodes"][static_cast<std::size_t>(index)];
}

// A pointer to buffer 1 with the tensor that it is the address of.
Json part(std::vector<int> shape, std::vector<int> strides) {
  return {{"ptr", {1, 0}}, {"dtype", "f32"}, {"shape", std::move(shape)}, {"strides", std::move(strides)}};
}

const std::vector<Broken>& broken_plans() {
  static const std::vector<Broken> all{
      {"no version", [](Json& p) { p.erase("version"); }},
      {"another version", [](Json& p) { p["version"] = 2; }},
      {"version as text", [](Json& p) { p["version"] = "1"; }},
      {"no target", [](Json& p) { p.erase("target"); }},
      {"target too long", [](Json& p) { p["target"] = std::string(100, 'x'); }},
      {"kernels no array", [](Json& p) { p["kernels"] = 3; }},
      {"kernel no object", [](Json& p) { p["kernels"][0] = 3; }},
      {"kernel without a name", [](Json& p) { p["kernels"][0]["name"] = ""; }},
      {"kernel without a module", [](Json& p) { p["kernels"][0]["ttir"] = ""; }},
      {"option that is no text", [](Json& p) { p["kernels"][0]["options"]["num_warps"] = 4; }},
      {"options no object", [](Json& p) { p["kernels"][0]["options"] = Json::array(); }},
      {"more parameters than signature", [](Json& p) { p["kernels"][0]["parameters"].push_back("z"); }},
      {"empty word in the signature", [](Json& p) { p["kernels"][0]["signature"][1] = ""; }},
      {"unknown kind of buffer", [](Json& p) { p["buffers"][1]["kind"] = "magic"; }},
      {"negative buffer", [](Json& p) { p["buffers"][1]["bytes"] = -1; }},
      {"buffer of 2^63 bytes", [](Json& p) { p["buffers"][1]["bytes"] = 9223372036854775808ull; }},
      {"buffer beyond the limit", [](Json& p) { p["buffers"][1]["bytes"] = std::int64_t{1} << 50; }},
      {"all buffers beyond the limit",
       [](Json& p) { p["buffers"][1]["bytes"] = p["buffers"][2]["bytes"] = std::int64_t{40} << 30; }},
      {"bytes as a real", [](Json& p) { p["buffers"][1]["bytes"] = 32.5; }},
      {"buffer of a call that is not there", [](Json& p) { p["buffers"][1]["call"] = 1; }},
      {"input of an unknown argument", [](Json& p) { p["buffers"][0]["arg"] = "other"; }},
      {"input of the wrong size", [](Json& p) { p["buffers"][0]["bytes"] = 64; }},
      {"input missing", [](Json& p) { p["buffers"][0] = p["buffers"][1]; }},
      {"input twice", [](Json& p) { p["buffers"].push_back(p["buffers"][0]); }},
      {"no calls", [](Json& p) { p["calls"] = Json::array(); }},
      {"too many calls", [](Json& p) { p["calls"].push_back(p["calls"][0]); }},
      {"call without nodes", [](Json& p) { p["calls"][0].erase("nodes"); }},
      {"unknown node", [](Json& p) { node(p, 0)["node"] = "exec"; }},
      {"node no object", [](Json& p) { node(p, 0) = "launch"; }},
      {"kernel out of range", [](Json& p) { node(p, 0)["kernel"] = 1; }},
      {"kernel negative", [](Json& p) { node(p, 0)["kernel"] = -1; }},
      {"launch without kernels", [](Json& p) { p["kernels"] = Json::array(); }},
      {"grid of two sides", [](Json& p) { node(p, 0)["grid"] = {1, 1}; }},
      {"grid of zero", [](Json& p) { node(p, 0)["grid"] = {1, 0, 1}; }},
      {"grid too large", [](Json& p) { node(p, 0)["grid"] = {std::int64_t{1} << 40, 1, 1}; }},
      {"argument missing", [](Json& p) { node(p, 0)["args"].erase(2); }},
      {"integer for a pointer", [](Json& p) { node(p, 0)["args"][0] = {{"int", 4096}}; }},
      {"argument of two kinds", [](Json& p) { node(p, 0)["args"][2] = {{"int", 1}, {"float", 1.0}}; }},
      {"argument of no kind", [](Json& p) { node(p, 0)["args"][2] = {{"text", "x"}}; }},
      {"argument beyond 64 bits",
       [](Json& p) { node(p, 0)["args"][2] = {{"int", 18446744073709551615ull}}; }},
      {"float that is no number", [](Json& p) { node(p, 0)["args"][2] = {{"float", "many"}}; }},
      {"pointer to an unknown buffer", [](Json& p) { node(p, 0)["args"][0] = {{"ptr", {3, 0}}}; }},
      {"pointer past the end", [](Json& p) { node(p, 0)["args"][0] = {{"ptr", {0, 33}}}; }},
      {"pointer before the start", [](Json& p) { node(p, 0)["args"][0] = {{"ptr", {0, -4}}}; }},
      {"offset from null", [](Json& p) { node(p, 0)["args"][0] = {{"ptr", {-1, 8}}}; }},
      {"pointer of three parts", [](Json& p) { node(p, 0)["args"][0] = {{"ptr", {0, 0, 0}}}; }},
      {"line negative", [](Json& p) { node(p, 0)["line"] = -1; }},
      {"view past the end", [](Json& p) { node(p, 1)["dst"]["shape"] = {17}; }},
      {"view before the start", [](Json& p) { node(p, 1)["dst"]["strides"] = {-1}; }},
      {"view whose last byte is outside", [](Json& p) { node(p, 1)["dst"]["at"] = {2, 49}; }},
      {"shape and strides of different length", [](Json& p) { node(p, 1)["dst"]["strides"] = {1, 1}; }},
      {"negative extent", [](Json& p) { node(p, 1)["dst"]["shape"] = {-4}; }},
      {"extents whose product overflows",
       [](Json& p) {
         node(p, 1)["dst"]["shape"] = {std::int64_t{1} << 47, std::int64_t{1} << 47, std::int64_t{1} << 47};
         node(p, 1)["dst"]["strides"] = {0, 0, 0};
       }},
      {"stride that overflows",
       [](Json& p) {
         node(p, 1)["dst"]["shape"] = {2};
         node(p, 1)["dst"]["strides"] = {std::int64_t{1} << 62};
       }},
      {"strides that cancel each other",
       [](Json& p) {
         node(p, 1)["dst"]["shape"] = {9, 9};
         node(p, 1)["dst"]["strides"] = {1, -1};
       }},
      {"many times the same element",
       [](Json& p) {
         node(p, 1)["dst"]["shape"] = {std::int64_t{1} << 40};
         node(p, 1)["dst"]["strides"] = {0};
       }},
      {"65 dimensions",
       [](Json& p) {
         node(p, 1)["dst"]["shape"] = std::vector<int>(65, 1);
         node(p, 1)["dst"]["strides"] = std::vector<int>(65, 1);
       }},
      {"unknown dtype", [](Json& p) { node(p, 1)["dst"]["dtype"] = "f128"; }},
      {"elements without storage", [](Json& p) { node(p, 1)["dst"]["at"] = {-1, 0}; }},
      {"fill of the wrong size", [](Json& p) { node(p, 1)["value"] = "AAA="; }},
      {"fill that is no base64", [](Json& p) { node(p, 1)["value"] = "AAAA*A=="; }},
      {"copy between shapes", [](Json& p) { node(p, 2)["src"]["shape"] = {4}; }},
      {"write through a conjugate",
       [](Json& p) {
         node(p, 2)["dst"]["dtype"] = "c64";
         node(p, 2)["dst"]["conj"] = true;
       }},
      {"conjugate of a real", [](Json& p) { node(p, 2)["src"]["conj"] = true; }},
      {"upload past the end", [](Json& p) { node(p, 3)["dst"] = {2, 56}; }},
      {"upload to null", [](Json& p) { node(p, 3)["dst"] = {-1, 0}; }},
      {"relocation outside", [](Json& p) { node(p, 3)["relocations"] = {{9, {1, 0}}}; }},
      {"relocations that overlap", [](Json& p) { node(p, 3)["relocations"] = {{0, {1, 0}}, {4, {1, 0}}}; }},
      {"more relocations than words",
       [](Json& p) { node(p, 3)["relocations"] = {{0, {1, 0}}, {8, {1, 0}}, {8, {1, 0}}}; }},
      {"unknown constant", [](Json& p) { node(p, 4)["kind"] = "randn"; }},
      {"constant with too few parameters", [](Json& p) { node(p, 4)["params"] = {0}; }},
      {"constant of two dimensions",
       [](Json& p) {
         node(p, 4)["dst"]["shape"] = {2, 4};
         node(p, 4)["dst"]["strides"] = {4, 1};
       }},
      {"triangle of the wrong count",
       [](Json& p) {
         node(p, 4) = {{"node", "constant"},
                       {"kind", "tril_indices"},
                       {"params", {3, 3, 0}},
                       {"dst", {{"at", {2, 0}}, {"dtype", "i32"}, {"shape", {2, 5}}, {"strides", {5, 1}}}}};
       }},
      {"output that is no result", [](Json& p) { p["calls"][0]["outputs"][0]["path"] = "self"; }},
      {"output outside its buffer", [](Json& p) { p["calls"][0]["outputs"][0]["tensor"]["shape"] = {9}; }},
      {"output both tensor and scalar", [](Json& p) { p["calls"][0]["outputs"][0]["scalar"] = 1; }},
      {"output neither tensor nor scalar", [](Json& p) { p["calls"][0]["outputs"][0].erase("tensor"); }},
      {"two outputs of one path",
       [](Json& p) { p["calls"][0]["outputs"].push_back(p["calls"][0]["outputs"][0]); }},
      {"scalar that is an object",
       [](Json& p) {
         auto& o = p["calls"][0]["outputs"][0];
         o.erase("tensor");
         o["scalar"] = Json::object();
       }},
      {"odd as a number", [](Json& p) { p["calls"][0]["outputs"][0]["odd"] = 0; }},
      {"event without a place", [](Json& p) { p["calls"][0]["events"][0].erase("line"); }},
      {"tensor of a pointer outside its buffer", [](Json& p) { node(p, 0)["args"][1] = part({9}, {1}); }},
      {"tensor of a pointer without strides",
       [](Json& p) {
         node(p, 0)["args"][1] = part({8}, {1});
         node(p, 0)["args"][1].erase("strides");
       }},
      {"tensor of a number",
       [](Json& p) {
         Json& arg = node(p, 0)["args"][2] = part({1}, {1});
         arg.erase("ptr");
         arg["int"] = 8;
       }},
      {"stream beyond the limit", [](Json& p) { node(p, 1)["stream"] = 64; }},
      {"negative stream", [](Json& p) { node(p, 1)["stream"] = -1; }},
      {"wait for a later node", [](Json& p) { node(p, 1)["after"] = {2}; }},
      {"wait for itself", [](Json& p) { node(p, 1)["after"] = {1}; }},
      {"streams without what the return waits for", [](Json& p) { node(p, 1)["stream"] = 1; }},
      {"return that waits for no node",
       [](Json& p) {
         node(p, 1)["stream"] = 1;
         p["calls"][0]["joined"] = {5};
       }},
      {"input that is freed", [](Json& p) { p["buffers"][0]["freed"] = {0, 1}; }},
      {"freed in a call that is not there", [](Json& p) { p["buffers"][1]["freed"] = {1, 0}; }},
      {"freed behind the end", [](Json& p) { p["buffers"][1]["freed"] = {0, 6}; }},
      {"freed without a node", [](Json& p) { p["buffers"][1]["freed"] = {0}; }},
  };
  return all;
}

TEST(LaunchPlan, RefusesEveryBrokenPlanWithAReason) {
  ASSERT_GE(broken_plans().size(), 60u);
  for (const Broken& broken : broken_plans()) {
    Json plan = good();
    broken.damage(plan);
    const auto recording = read(plan);
    ASSERT_FALSE(recording.ok()) << broken.what;
    EXPECT_EQ(recording.error().fault, Fault::user) << broken.what;
    EXPECT_EQ(recording.error().message.find('\n'), std::string::npos) << broken.what;
    EXPECT_TRUE(recording.error().message.starts_with("the launch plan is invalid: "))
        << recording.error().message;
  }
}

TEST(LaunchPlan, RefusesTextThatIsNoPlan) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("null"), std::string("[]"), std::string("\xff\xfe"),
        deep, std::string("{\"version\": 1e999}"), std::string("{\"version\": 1} trailing")})
    EXPECT_FALSE(recording_from_json(text, one_call()).ok()) << text.substr(0, 40);
}

// Damage at random places must end in an error or in a plan that holds what validation promises.
TEST(LaunchPlan, DamagedTextNeverCrashes) {
  const std::string text = good().dump();
  std::uint32_t state = 7;
  const auto next = [&] { return (state = state * 1664525u + 1013904223u) >> 8; };
  static constexpr char letters[] = "0123456789-{}[]\",:.eE truefalsn";
  int accepted = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = text;
    for (unsigned k = 0; k < 1 + next() % 3; ++k)
      damaged[next() % damaged.size()] = letters[next() % (sizeof letters - 1)];
    const auto recording = recording_from_json(damaged, one_call());
    if (!recording.ok()) continue;
    ++accepted;
    EXPECT_TRUE(recording_from_json(to_json_text(*recording), one_call()).ok());
  }
  EXPECT_GT(accepted, 0);
}

TEST(LaunchPlan, NegativeStridesAndEmptyViewsAreFineInsideTheirBuffer) {
  Json plan = good();
  node(plan, 2)["src"] = {{"at", {0, 28}}, {"dtype", "f32"}, {"shape", {8}}, {"strides", {-1}}};
  EXPECT_TRUE(read(plan).ok());
  node(plan, 1)["dst"] = {
      {"at", {-1, 0}}, {"dtype", "f32"}, {"shape", {0, 1 << 20}}, {"strides", {1 << 20, 1}}};
  EXPECT_TRUE(read(plan).ok());
}

TEST(LaunchPlan, TrianglesOfEveryOffsetHaveTheirCount) {
  for (int row = 0; row < 5; ++row)
    for (int col = 0; col < 5; ++col)
      for (int offset = -6; offset < 7; ++offset)
        for (const bool lower : {true, false}) {
          int count = 0;
          for (int r = 0; r < row; ++r)
            for (int c = 0; c < col; ++c) count += lower ? c <= r + offset : c >= r + offset;
          Json plan = good();
          plan["buffers"][2]["bytes"] = 1024;
          node(plan, 4) = {
              {"node", "constant"},
              {"kind", lower ? "tril_indices" : "triu_indices"},
              {"params", {row, col, offset}},
              {"dst", {{"at", {2, 0}}, {"dtype", "i32"}, {"shape", {2, count}}, {"strides", {count, 1}}}}};
          EXPECT_TRUE(read(plan).ok()) << row << " " << col << " " << offset << " " << lower;
        }
}

std::string hash_of(const Json& plan) {
  const auto recording = read(plan);
  EXPECT_TRUE(recording.ok()) << (recording.ok() ? "" : recording.error().message);
  return recording.ok() ? canonical_hash(*recording) : "";
}

TEST(PlanHash, PlacesAndNamesDoNotCount) {
  Json plan = good();
  const std::string hash = hash_of(plan);
  EXPECT_EQ(hash.size(), 64u);
  node(plan, 0)["line"] = 99;
  node(plan, 2)["file"] = "other.py";
  plan["calls"][0]["events"] = Json::array();
  plan["kernels"][0]["name"] = "renamed";
  plan["kernels"][0]["ttir"] =
      "module {\n  tt.func public @renamed(%x: i32 loc(\"other) \"(#loc4)))\n}\n#loc4 = loc(\"g.py\":2:7)\n";
  EXPECT_EQ(hash_of(plan), hash);
}

TEST(PlanHash, WhatOnlyTheSanitizerAsksForDoesNotCount) {
  Json plan = good();
  const std::string hash = hash_of(plan);
  plan["buffers"][2]["freed"] = {0, 5};
  node(plan, 0)["args"][1] = part({4}, {2});
  EXPECT_EQ(hash_of(plan), hash);
}

TEST(PlanHash, StreamsAndWaitsCount) {
  Json plan = on_streams();
  const std::string hash = hash_of(plan);
  EXPECT_NE(hash, hash_of(good()));
  plan["calls"][0]["joined"] = {4};
  EXPECT_NE(hash_of(plan), hash);
}

TEST(PlanHash, NumbersOfBuffersAndKernelsDoNotCount) {
  Json plan = good();
  const std::string hash = hash_of(plan);
  std::swap(plan["buffers"][1], plan["buffers"][2]);
  const std::function<void(Json&)> rename = [&](Json& json) {
    if (json.is_object()) {
      for (const char* key : {"at", "ptr"})
        if (json.contains(key) && json[key][0] != 0) json[key][0] = 3 - json[key][0].get<int>();
      if (json.value("node", "") == "upload") {
        json["dst"][0] = 1;
        json["relocations"][0][1][0] = 2;
      }
    }
    if (json.is_structured())
      for (auto& item : json) rename(item);
  };
  rename(plan["calls"]);
  const Json unused =
      Json::parse(R"({"name": "unused", "ttir": "x", "options": {}, "signature": [], "parameters": []})");
  plan["kernels"].insert(plan["kernels"].begin(), unused);
  node(plan, 0)["kernel"] = 1;
  plan["buffers"].push_back({{"kind", "alloc"}, {"bytes", 8}, {"call", 0}});  // never mentioned
  EXPECT_EQ(hash_of(plan), hash);
}

TEST(PlanHash, WorkCounts) {
  const std::string hash = hash_of(good());
  const std::vector<std::function<void(Json&)>> changes{
      [](Json& p) { node(p, 0)["grid"] = {2, 1, 1}; },
      [](Json& p) { node(p, 0)["args"][2] = {{"int", 7}}; },
      [](Json& p) { node(p, 0)["args"][1] = {{"ptr", {1, 4}}}; },
      [](Json& p) { p["kernels"][0]["options"]["num_warps"] = "8"; },
      [](Json& p) { p["kernels"][0]["ttir"] = "module {}"; },
      [](Json& p) { node(p, 1)["value"] = "AACAPw=="; },
      [](Json& p) { p["target"] = "a100"; },
      [](Json& p) { p["calls"][0]["nodes"].erase(4); },
      [](Json& p) { std::swap(node(p, 1), node(p, 2)); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Json plan = good();
    changes[i](plan);
    EXPECT_NE(hash_of(plan), hash) << i;
  }
}

TEST(PlanHash, SeedsOfRandomOperatorsAreReplaced) {
  Json one = good(), two = good();
  node(one, 0)["args"][2] = {{"int", 123456}};
  node(two, 0)["args"][2] = {{"int", 987654}};
  const auto a = read(one), b = read(two);
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_NE(canonical_hash(*a), canonical_hash(*b));
  EXPECT_EQ(canonical_hash(*a, 123456), canonical_hash(*b, 987654));
}

}  // namespace
}  // namespace kgb
