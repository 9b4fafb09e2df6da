// SPDX-License-Identifier: Apache-2.0
// Requests and replies of trials on the wire; replies are checked, since a kernel may have overwritten their
// sender.
#include "model/trial.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

namespace kgb {
namespace {

using Json = nlohmann::json;

TrialResult result() {
  TrialResult r;
  r.outputs.push_back({1, "return", DType::f16, {2, 3}, 4, 12, 1, false, {3, 0, 1, 1, 0, 1}});
  r.blob.resize(16);
  Finding finding;
  finding.kind = "out_of_bounds";
  finding.details["argument"] = "self";
  r.findings.push_back(finding);
  r.counters = {6, 3, 99, 1.5};
  r.library = "cuBLAS 13.7";
  return r;
}

TEST(TrialWire, RepliesComeBackWhole) {
  const TrialResult sent = result();
  const auto got = trial_result_from_json(to_json_text(sent, 7), sent.blob, 7);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(got->outputs[0].shape, sent.outputs[0].shape);
  EXPECT_EQ(got->outputs[0].sources, sent.outputs[0].sources);
  EXPECT_FALSE(got->outputs[0].written);
  EXPECT_EQ(got->findings[0].details.at("argument"), "self");
  EXPECT_EQ(got->counters.steps, 99u);
  EXPECT_EQ(got->library, "cuBLAS 13.7");
  EXPECT_EQ(got->bytes_of(got->outputs[0]).size(), 12u);
}

TEST(TrialWire, RequestsComeBackWhole) {
  TrialRequest request;
  Call call{"aten::x", "x", "s1", {}};
  call.args.push_back({"dim", std::int64_t{-1}, false});
  request.calls = {call, call};
  request.seed = 0xFEDCBA9876543210u;
  request.trial = 3;
  request.poison = 2;
  request.order = "shuffled";
  request.max_steps = 12;
  request.track_writes = false;
  request.vendor = "cublasSscal_v2";
  request.flush_denormals = true;
  KernelImage image;
  image.entry = "kernel";
  image.warps = 8;
  image.shared_bytes = 1024;
  image.code = {std::byte{1}, std::byte{2}, std::byte{3}};
  request.images = {image, image};
  request.images[1].code = {std::byte{4}};
  std::int64_t id = 0;
  std::string_view recording;
  const std::vector<std::byte> blob = blob_of(request, "the recording");
  const auto got = trial_request_from_json(to_json_text(request, 11), blob, recording, id);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(id, 11);
  EXPECT_EQ(got->calls, request.calls);
  EXPECT_EQ(got->seed, request.seed);
  EXPECT_EQ(got->order, "shuffled");
  EXPECT_EQ(got->max_steps, 12u);
  EXPECT_FALSE(got->track_writes);
  EXPECT_EQ(got->vendor, "cublasSscal_v2");
  EXPECT_TRUE(got->flush_denormals);
  EXPECT_EQ(recording, "the recording");
  ASSERT_EQ(got->images.size(), 2u);
  EXPECT_EQ(got->images[0].code, image.code);
  EXPECT_EQ(got->images[0].warps, 8);
  EXPECT_EQ(got->images[0].shared_bytes, 1024);
  EXPECT_EQ(got->images[1].code.size(), 1u);
}

TEST(TrialWire, LiesAreErrorsOfTheHost) {
  const std::vector<std::function<void(Json&)>> lies{
      [](Json& j) { j["id"] = 8; },
      [](Json& j) { j["outputs"][0]["offset"] = 5; },
      [](Json& j) { j["outputs"][0]["offset"] = 18446744073709551615ull; },
      [](Json& j) { j["outputs"][0]["bytes"] = 1; },
      [](Json& j) { j["outputs"][0]["shape"] = {std::int64_t{1} << 62, 4, 3}; },
      [](Json& j) { j["outputs"][0]["shape"] = {-2, -3}; },
      [](Json& j) { j["outputs"][0]["dtype"] = "f15"; },
      [](Json& j) { j["outputs"][0].erase("sources"); },
      [](Json& j) { j.erase("counters"); },
      [](Json& j) { j = Json::array(); },
  };
  const TrialResult sent = result();
  for (std::size_t i = 0; i < lies.size(); ++i) {
    Json json = Json::parse(to_json_text(sent, 7));
    lies[i](json);
    const auto got = trial_result_from_json(json.dump(), sent.blob, 7);
    ASSERT_FALSE(got.ok()) << i;
    EXPECT_EQ(got.error().fault, Fault::host) << i;
  }
  EXPECT_FALSE(trial_result_from_json("{", {}, 7).ok());
  EXPECT_FALSE(trial_result_from_json(error_reply_text(host_error("broken"), 7), {}, 7).ok());
}

TEST(TrialWire, AReplayBackToBackIsAskedForAndAnswered) {
  EXPECT_EQ(sustain_request_from_json(sustain_request_text(600, 1)), 600);
  EXPECT_EQ(sustain_request_from_json(sustain_request_text(-4, 1)), 1) << "clamped";
  for (const std::string& other : {samples_request_text(3, 1), std::string("{"), std::string("[]")})
    EXPECT_FALSE(sustain_request_from_json(other)) << other;
  const auto done = sustained_from_json(sustained_text({250, 0.5}, 1));
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(done->replays, 250);
  EXPECT_EQ(done->seconds, 0.5);
  EXPECT_FALSE(sustained_from_json(sustained_text({0, 0.5}, 1)).ok());
  EXPECT_FALSE(sustained_from_json(sustained_text({3, -1}, 1)).ok());
  EXPECT_FALSE(sustained_from_json(samples_text({}, 1)).ok());
  EXPECT_EQ(sustained_from_json(error_reply_text(host_error("lost"), 1)).error().message, "lost");
}

}  // namespace
}  // namespace kgb
