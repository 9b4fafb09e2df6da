// SPDX-License-Identifier: Apache-2.0
// Launch plans of CUDA candidates as hostile text: blocks, shared memory, integers by value.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "model/launch_plan.hpp"
#include "relu_call.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

Json cuda_plan() {
  return Json::parse(R"json({
    "version": 1, "target": "h200",
    "kernels": [{"name": "relu<float>", "cuda": "template <class T> __global__ void relu(T*) {}", "options": {"std": "c++17"},
                 "signature": ["*f32", "ints"], "parameters": ["self", "shape(self)"]}],
    "buffers": [{"kind": "input", "bytes": 32, "call": 0, "arg": "self"}],
    "calls": [{"nodes": [
        {"node": "launch", "kernel": 0, "grid": [1, 1, 1], "block": [256, 2, 1], "shared_bytes": 1024,
         "args": [{"ptr": [0, 0]}, {"ints": [8, -1]}], "file": "", "line": 3}],
      "structure": "none", "outputs": [], "events": []}]
})json");
}

Result<Recording> read_cuda(const Json& json) {
  return recording_from_json(json.dump(), {relu_call()});
}

TEST(CudaPlan, IsReadAndWritten) {
  const auto recording = read_cuda(cuda_plan());
  ASSERT_TRUE(recording.ok()) << recording.error().message;
  const auto& launch = std::get<Launch>(recording->calls[0].nodes[0]);
  EXPECT_EQ(launch.block, (std::array<std::int64_t, 3>{256, 2, 1}));
  EXPECT_EQ(launch.shared_bytes, 1024);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(launch.args[1].value), (std::vector<std::int64_t>{8, -1}));
  const auto again = recording_from_json(to_json_text(*recording), {relu_call()});
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(to_json_text(*again), to_json_text(*recording));
}

TEST(CudaPlan, NameBlockAndSharedMemoryAreWork) {
  const std::string hash = canonical_hash(*read_cuda(cuda_plan()));
  const auto changed = [&](const std::function<void(Json&)>& change) {
    Json json = cuda_plan();
    change(json);
    return canonical_hash(*read_cuda(json)) != hash;
  };
  EXPECT_TRUE(changed([](Json& j) { j["kernels"][0]["name"] = "relu<double>"; }));
  EXPECT_TRUE(changed([](Json& j) { j["calls"][0]["nodes"][0]["block"][0] = 128; }));
  EXPECT_TRUE(changed([](Json& j) { j["calls"][0]["nodes"][0]["shared_bytes"] = 0; }));
  EXPECT_TRUE(changed([](Json& j) { j["calls"][0]["nodes"][0]["args"][1]["ints"][0] = 7; }));
  EXPECT_FALSE(changed([](Json& j) { j["calls"][0]["nodes"][0]["line"] = 9; }));
}

TEST(CudaPlan, BrokenOnesAreRefusedWithAReason) {
  const std::vector<std::pair<std::function<void(Json&)>, std::string>> cases{
      {[](Json& j) { j["calls"][0]["nodes"][0].erase("block"); }, "has no 'block'"},
      {[](Json& j) { j["calls"][0]["nodes"][0]["block"] = {1024, 2, 1}; }, "more than 1024 threads"},
      {[](Json& j) { j["calls"][0]["nodes"][0]["block"] = {1, 1, 65}; }, "outside 1 .. 64"},
      {[](Json& j) { j["calls"][0]["nodes"][0]["block"] = {0, 1, 1}; }, "outside 1 .. 1024"},
      {[](Json& j) { j["calls"][0]["nodes"][0]["shared_bytes"] = -1; }, "outside 0"},
      {[](Json& j) { j["calls"][0]["nodes"][0]["args"][1]["ints"] = std::vector<int>(65, 0); },
       "more than 64 items"},
      {[](Json& j) { j["kernels"][0]["cuda"] = ""; }, "an empty module"},
      {[](Json& j) {
         j["kernels"][0].erase("cuda");
         j["kernels"][0]["ttir"] = "module {}";
       },
       "which CUDA kernels alone take"},
  };
  for (const auto& [change, says] : cases) {
    Json json = cuda_plan();
    change(json);
    const auto recording = read_cuda(json);
    ASSERT_FALSE(recording.ok()) << says;
    EXPECT_NE(recording.error().message.find(says), std::string::npos) << recording.error().message;
  }
}

}  // namespace
}  // namespace kgb
