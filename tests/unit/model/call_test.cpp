// SPDX-License-Identifier: Apache-2.0
// Calls: JSON there and back, hostile JSON, one-line descriptions, tensors with their paths.
#include "model/call.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

TensorSpec tensor(DType dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides,
                  std::int64_t storage) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = std::move(shape);
  spec.strides = std::move(strides);
  spec.storage = storage;
  return spec;
}

Call every_kind() {
  Call call{"aten::softmax", "softmax", "s3", {}};
  TensorSpec self = tensor(DType::f16, {3, 1031}, {1, 3}, 3093);
  self.domain = {"normal", {0, 1}};
  self.mutated = true;
  self.host_readable = true;
  call.args = {
      {"self", self, false},
      {"tensors",
       TensorList{{tensor(DType::f32, {2}, {1}, 2), std::nullopt, tensor(DType::f32, {0}, {1}, 0)}}, false},
      {"A", PointerArray{{tensor(DType::c64, {4}, {1}, 4)}}, false},
      {"flag", true, false},
      {"dim", std::int64_t{-1}, false},
      {"eps", std::numeric_limits<double>::infinity(), false},
      {"alpha", Complex{0.5, -1}, false},
      {"mode", std::string("N"), false},
      {"dtype", DTypeValue{DType::f32}, true},
      {"dims", std::vector<std::int64_t>{0, 1}, false},
      {"generator", GeneratorValue{}, true},
      {"out", None{}, true}};
  return call;
}

Json small() {
  return Json::parse(
      R"({"op": "aten::neg", "entry": "neg", "workload": "s0", "args": [{"name": "self", "tensor":
    {"dtype": "f32", "shape": [2, 3], "strides": [3, 1], "offset": 0, "storage": 6, "domain": ["normal", 0, 1]}}]})");
}

std::string error_of(const Json& json) {
  const auto call = call_from_json(json);
  return call.ok() ? "accepted" : call.error().message;
}

TEST(CallJson, EveryKindOfArgumentSurvivesTheJourney) {
  const Call call = every_kind();
  const Json json = Json::parse(to_json(call).dump());
  const auto read = call_from_json(json);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, call);
}

TEST(CallJson, FloatsThatAreNoNumbersAreWords) {
  const Json json = to_json(every_kind());
  EXPECT_EQ(json["args"][5]["float"], "inf");
}

TEST(CallJson, MutatedAndHostMayBeLeftOut) {
  const auto call = call_from_json(small());
  ASSERT_TRUE(call.ok());
  EXPECT_FALSE(std::get<TensorSpec>(call->args[0].value).mutated);
}

TEST(CallJson, ErrorsNameThePath) {
  Json json = small();
  json["args"][0]["tensor"]["dtype"] = "float32";
  EXPECT_EQ(error_of(json), "call: args[0].tensor.dtype: 'float32' is no dtype");
  json = small();
  json["args"][0]["tensor"]["shape"] = {2, -3};
  EXPECT_EQ(error_of(json), "call: args[0].tensor: negative size or stride in dimension 1");
  json = small();
  json["args"][0]["tensor"]["storage"] = 5;
  EXPECT_EQ(error_of(json), "call: args[0].tensor: element 5 lies outside the storage of 5 elements");
  json = small();
  json["args"][0]["tensor"]["domain"] = {"norml", 0, 1};
  EXPECT_EQ(error_of(json), "call: args[0].tensor.domain: 'norml' is no domain (did you mean 'normal'?)");
  json = small();
  json["args"][0]["int"] = 3;
  EXPECT_EQ(error_of(json), "call: args[0]: has 2 values, needs one");
  json = small();
  json["args"][0]["colour"] = 3;
  EXPECT_EQ(error_of(json), "call: args[0]: unknown key 'colour'");
  json = small();
  json["args"].push_back(json["args"][0]);
  EXPECT_EQ(error_of(json), "call: args[1]: a second argument 'self'");
  json = small();
  json.erase("entry");
  EXPECT_EQ(error_of(json), "call: top: lacks 'entry'");
}

TEST(CallJson, HostileNumbersAreRefused) {
  for (const char* shape :
       {"[9223372036854775807, 2]", "[18446744073709551615]", "[1e30]", "[4194304, 4194304]"}) {
    Json json = small();
    json["args"][0]["tensor"]["shape"] = Json::parse(shape);
    json["args"][0]["tensor"]["strides"] = Json::parse(shape);
    EXPECT_NE(error_of(json), "accepted") << shape;
  }
  Json json = small();
  json["args"][0]["tensor"]["strides"] = {4611686018427387904, 4611686018427387904};
  EXPECT_NE(error_of(json), "accepted");
}

TEST(CallJson, AnyChangedValueIsAnErrorOrACallNeverACrash) {
  const Json original = to_json(every_kind());
  const std::vector<Json> odd{nullptr,
                              true,
                              -1,
                              1e300,
                              "text",
                              Json::array(),
                              Json::object(),
                              Json::array({nullptr}),
                              Json::array({1, 2, 3})};
  const Json flat = original.flatten();
  for (const auto& item : flat.items()) {
    for (const Json& value : odd) {
      Json changed = original;
      changed[Json::json_pointer(item.key())] = value;
      (void)call_from_json(changed);
      (void)tensor_spec_from_json(changed);
    }
  }
  for (const Json& value : odd) EXPECT_FALSE(call_from_json(value).ok());
}

TEST(Describe, SaysShapeLayoutAndScalars) {
  Call call{"aten::softmax", "softmax", "s3", {}};
  call.args = {{"self", tensor(DType::f16, {3, 1031}, {1, 3}, 3093), false},
               {"dim", std::int64_t{-1}, false},
               {"dtype", None{}, true}};
  EXPECT_EQ(describe(call), "self f16[3,1031] transposed, dim=-1");
}

TEST(Describe, NamesLayoutsAndDomains) {
  const auto text = [](TensorSpec spec) {
    return describe(Call{"", "", "", {{"x", std::move(spec), false}}});
  };
  EXPECT_EQ(text(tensor(DType::f32, {2, 3}, {3, 1}, 6)), "x f32[2,3]");
  EXPECT_EQ(text(tensor(DType::f32, {2, 3, 4}, {1, 2, 6}, 24)), "x f32[2,3,4] permuted");
  EXPECT_EQ(text(tensor(DType::f32, {2, 3, 4, 5}, {60, 1, 15, 3}, 120)), "x f32[2,3,4,5] channels_last");
  EXPECT_EQ(text(tensor(DType::f32, {2, 3}, {0, 1}, 3)), "x f32[2,3] expanded");
  EXPECT_EQ(text(tensor(DType::f32, {2, 3}, {6, 2}, 12)), "x f32[2,3] sliced");
  EXPECT_EQ(text(tensor(DType::f32, {4, 2, 3}, {16, 8, 1}, 64)), "x f32[4,2,3] padded");
  EXPECT_EQ(text(tensor(DType::f32, {2, 3}, {7, 3}, 14)), "x f32[2,3] strides [7,3]");
  EXPECT_EQ(text(tensor(DType::f32, {}, {}, 1)), "x f32[]");
  TensorSpec offset = tensor(DType::bf16, {4}, {1}, 7);
  offset.offset = 3;
  offset.domain.kind = "ties";
  EXPECT_EQ(text(offset), "x bf16[4] offset ties");
}

TEST(TensorsOf, GivesPathsInOrder) {
  std::vector<std::string> paths;
  for (const auto& [path, spec] : tensors_of(every_kind())) paths.push_back(path);
  EXPECT_EQ(paths, (std::vector<std::string>{"self", "tensors[0]", "tensors[2]", "A[0]"}));
}

}  // namespace
}  // namespace kgb
