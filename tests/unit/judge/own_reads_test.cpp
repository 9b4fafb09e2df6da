// SPDX-License-Identifier: Apache-2.0
// What a recorder says that host code read is held against what it was given.
#include "judge/own_reads.hpp"

#include <gtest/gtest.h>

#include "judge/policy.hpp"

namespace kgb {
namespace {

using Bytes = std::vector<std::byte>;

struct Scene {
  JudgeRequest request;
  Operator op;
  ChipCard chip;
  Job job;
  Recording recording;

  explicit Scene(bool allowed) {
    Entry entry;
    entry.name = "positive";
    entry.reads_own = allowed;
    op.entries.push_back(entry);
    job.workload.call = {"mine::positive", "positive", "s1", {}};
    job.given.assign(3, {});
    recording.calls.resize(3);
  }
  [[nodiscard]] std::string complaint() const {
    const Case open{request, op, chip,          "triton", {}, {},      {}, {},
                    {},      {}, Gate::static_, nullptr,  {}, nullptr, {}};
    return complaint_of_reads(open, job, recording);
  }
  void read(int call, std::optional<Bytes> bytes) {
    recording.calls[static_cast<std::size_t>(call)].nodes.emplace_back(
        Read{{}, std::move(bytes), "aten::_local_scalar_dense", "candidate.py", 4});
  }
};

TEST(OwnReads, MustBeAllowedByTheCard) {
  Scene scene(false);
  EXPECT_EQ(scene.complaint(), "");
  scene.read(0, std::nullopt);
  EXPECT_EQ(scene.complaint(), "it reads intermediates, which the card does not allow");
}

TEST(OwnReads, HoldWhatTheJudgeGaveInOrder) {
  Scene scene(true);
  const Bytes one{std::byte{1}}, two{std::byte{2}};
  scene.job.given[1] = {one, two};
  scene.read(1, one);
  scene.read(1, two);
  scene.read(2, std::nullopt);
  EXPECT_EQ(scene.complaint(), "");
  scene.job.given[1] = {two, one};
  EXPECT_EQ(scene.complaint(), "read 1 of call 2 holds bytes that nobody gave");
  scene.job.given[1] = {one};
  EXPECT_EQ(scene.complaint(), "read 2 of call 2 holds bytes that nobody gave");
}

TEST(OwnReads, AnUploadBehindOneIsNotCustomWhateverItsSize) {
  Scene scene(true);
  const Upload upload{{}, {std::byte{1}}, {}, "aten::_to_copy", "candidate.py", 9};
  scene.recording.calls[0].nodes.emplace_back(upload);
  scene.read(0, Bytes{std::byte{1}});
  scene.recording.calls[1].nodes.emplace_back(upload);
  EXPECT_TRUE(policy_findings(scene.recording, "s1", scene.request).empty());
  scene.recording.calls[0].nodes.emplace_back(upload);
  const auto found = policy_findings(scene.recording, "s1", scene.request);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "upload_after_read");
  EXPECT_EQ(found[0].line, 9);
  EXPECT_EQ(verdict_of(found[0].kind), Verdict::not_custom);
}

}  // namespace
}  // namespace kgb
