// SPDX-License-Identifier: Apache-2.0
// The method tuner with races that are made up: seed, proposals, winner, answer. The rewriter is the real
// one.
#include "method/tuner.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "catalogue/catalogue.hpp"

namespace kgb::method {
namespace {

constexpr const char* kKernel = R"(import triton
import triton.language as tl

@triton.jit
def kernel(out, x, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at, mask=at < n), mask=at < n)

def entry(x, out):
    block = 256
    kernel[(triton.cdiv(x.numel(), block),)](out, x, x.numel(), BLOCK=block)
)";

Rewriter rewriter() {
  return {"python3", std::filesystem::path(KGB_SOURCE_DIR) / "python"};
}

Evaluation passing(const std::string& call, double ratio) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::pass;
  Timing timing;
  timing.workload = "t0";
  timing.call = call;
  timing.ratio = ratio;
  evaluation.timings.push_back(timing);
  return evaluation;
}

Evaluation failing(const std::string& kind) {
  Evaluation evaluation;
  evaluation.verdict = *verdict_of(kind);
  Finding finding;
  finding.kind = kind;
  finding.message = "it is wrong";
  evaluation.findings.push_back(finding);
  return evaluation;
}

class Tuner : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(catalogue_.ok());
    ASSERT_TRUE(folder_.ok());
    settings_.rewriter = rewriter();
    settings_.rounds = 12;
    settings_.seed_kernel = folder_->path() / "mine.py";
    ASSERT_TRUE(write_file(settings_.seed_kernel, kKernel).ok());
  }

  Task task() {
    Result<const Operator*> op = catalogue_->find("aten::add");
    Task task{.catalogue = *catalogue_,
              .op = **op,
              .chip = "standin",
              .sample = 0,
              .seed = 1,
              .workspace = folder_->path(),
              .stop = stop_,
              .evaluate = nullptr,
              .ask = nullptr};
    if (judge_)
      task.race = [this](const Race& race) -> Result<Feedback> {
        races_.push_back(race);
        return Feedback{judge_(race), ""};
      };
    return task;
  }

  Result<Catalogue> catalogue_ = Catalogue::load(std::filesystem::path(KGB_SOURCE_DIR) / "catalogue", {});
  Result<TempDir> folder_ = TempDir::make("kgbench-tuner-test");
  const std::atomic<bool> stop_{false};
  TunerSettings settings_;
  std::function<Evaluation(const Race&)> judge_;
  std::vector<Race> races_;
};

bool has(const std::string& source, const std::string& text) {
  return source.find(text) != std::string::npos;
}

TEST_F(Tuner, AnswersTheFasterSourceAndWhatChanged) {
  // Only eight warps help.
  judge_ = [](const Race& race) {
    return has(race.source, "num_warps=8") && !has(race.baseline, "num_warps=8") ? passing("faster", 1.4)
                                                                                 : passing("same", 1.0);
  };
  Result<Tuned> tuned = tune(task(), settings_);
  ASSERT_TRUE(tuned.ok()) << tuned.error().message;
  ASSERT_TRUE(tuned->improved());
  ASSERT_EQ(tuned->changes.size(), 1U);
  EXPECT_EQ(tuned->changes[0].what, "num_warps of kernel");
  EXPECT_EQ(tuned->changes[0].from, "4");
  EXPECT_EQ(tuned->changes[0].to, "8");
  EXPECT_TRUE(has(tuned->source, "BLOCK=block, num_warps=8)"));
  EXPECT_EQ(tuned->seed, kKernel);
}

TEST_F(Tuner, TheSeedIsRacedAgainstItselfFirstAndTheWinnerWholeAtLast) {
  judge_ = [](const Race& race) {
    return race.source != race.baseline && !has(race.baseline, "block = 512") &&
                   has(race.source, "block = 512")
               ? passing("faster", 1.2)
               : passing("same", 1.0);
  };
  ASSERT_TRUE(tune(task(), settings_).ok());
  ASSERT_GE(races_.size(), 3U);
  EXPECT_EQ(races_.front().source, kKernel);
  EXPECT_EQ(races_.front().baseline, kKernel);
  EXPECT_TRUE(races_.back().whole);
  EXPECT_EQ(races_.back().baseline, kKernel);
  EXPECT_TRUE(has(races_.back().source, "block = 512"));
}

TEST_F(Tuner, AWinnerThatIsNotFasterWhenMeasuredAgainIsDropped) {
  judge_ = [](const Race& race) {
    return race.whole || race.source == race.baseline ? passing("same", 1.0) : passing("faster", 1.1);
  };
  Result<Tuned> tuned = tune(task(), settings_);
  ASSERT_TRUE(tuned.ok());
  EXPECT_FALSE(tuned->improved());
  EXPECT_EQ(tuned->source, kKernel);
  EXPECT_NE(tuned->why.find("measured again"), std::string::npos);
}

TEST_F(Tuner, AWinnerThatFailsTheWholeJudgementIsDropped) {
  judge_ = [](const Race& race) {
    if (race.whole) return failing("value_mismatch");
    return race.source == race.baseline ? passing("same", 1.0) : passing("faster", 1.1);
  };
  Result<Tuned> tuned = tune(task(), settings_);
  ASSERT_TRUE(tuned.ok());
  EXPECT_EQ(tuned->source, kKernel);
  EXPECT_NE(tuned->why.find("it is wrong"), std::string::npos);
}

TEST_F(Tuner, ASeedThatDoesNotPassIsTheUsersMistake) {
  judge_ = [](const Race&) { return failing("value_mismatch"); };
  Result<Tuned> tuned = tune(task(), settings_);
  ASSERT_FALSE(tuned.ok());
  EXPECT_EQ(tuned.error().fault, Fault::user);
  EXPECT_EQ(races_.size(), 1U) << "nothing is searched from there";
}

TEST_F(Tuner, WhereNothingIsTimedItSaysSoInsteadOfGuessing) {
  Result<Tuned> tuned = tune(task(), settings_);
  ASSERT_FALSE(tuned.ok());
  EXPECT_EQ(tuned.error().fault, Fault::user);
  EXPECT_NE(tuned.error().message.find("no clock"), std::string::npos);
}

TEST_F(Tuner, TheContestantAnswersTheSeedWhereNothingIsProven) {
  judge_ = [](const Race&) { return passing("same", 1.0); };
  Result<std::unique_ptr<Method>> method = make_tuner(settings_);
  ASSERT_TRUE(method.ok());
  Result<Answer> answer = (*method)->solve(task());
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->end, Answer::End::answered);
  EXPECT_EQ(answer->source, kKernel);
}

TEST_F(Tuner, TheContestantGivesUpOnASeedThatDoesNotPassAndTheRunGoesOn) {
  judge_ = [](const Race&) { return failing("value_mismatch"); };
  Result<Answer> answer = (*make_tuner(settings_))->solve(task());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->end, Answer::End::given_up);
  EXPECT_TRUE(answer->alone);
  EXPECT_NE(answer->why.find("the seed kernel of aten::add does not pass"), std::string::npos) << answer->why;
}

TEST_F(Tuner, WithoutAClockTheContestantEndsTheRun) {
  Result<Answer> answer = (*make_tuner(settings_))->solve(task());
  ASSERT_FALSE(answer.ok());
  EXPECT_NE(answer.error().message.find("no clock"), std::string::npos);
}

TEST_F(Tuner, ASeedThatIsNotThereIsToldBeforeAnythingStarts) {
  settings_.seed_kernel = folder_->path() / "nothing.py";
  Result<std::unique_ptr<Method>> method = make_tuner(settings_);
  ASSERT_FALSE(method.ok());
  EXPECT_NE(method.error().message.find("nothing.py"), std::string::npos);
}

TEST_F(Tuner, ASeedMayLieInAFolderByOperator) {
  const std::filesystem::path file = folder_->path() / "aten" / "add.py";
  ASSERT_TRUE(make_folders(file.parent_path()).ok());
  ASSERT_TRUE(write_file(file, kKernel).ok());
  settings_.seed_kernel = folder_->path();
  Result<std::filesystem::path> found = seed_file(settings_, **catalogue_->find("aten::add"));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(*found, file);
  EXPECT_FALSE(seed_file(settings_, **catalogue_->find("aten::mul")).ok());
}

TEST(TunerOutcome, OneSlowerWorkloadIsNoImprovement) {
  Evaluation evaluation = passing("faster", 1.5);
  EXPECT_EQ(outcome_of(evaluation), Outcome::faster);
  evaluation.timings.push_back(passing("slower", 0.9).timings[0]);
  EXPECT_EQ(outcome_of(evaluation), Outcome::not_faster);
  EXPECT_EQ(outcome_of(passing("cannot tell", 1.5)), Outcome::not_faster);
  EXPECT_EQ(outcome_of(failing("value_mismatch")), Outcome::wrong);
  EXPECT_EQ(outcome_of(failing("infra")), Outcome::not_faster) << "the host's fault is not the proposal's";
}

TEST(TunerSpace, AxesOfTheRewriterAreRead) {
  Result<std::vector<Axis>> axes = axes_from_json(
      R"({"axes": [{"id": "warps:k", "kind": "warps", "line": 3, "what": "num_warps of k", "seed": "4",
          "values": ["2", "4", "8"], "ordered": true}]})");
  ASSERT_TRUE(axes.ok()) << axes.error().message;
  ASSERT_EQ(axes->size(), 1U);
  EXPECT_EQ(seed_of(*axes), (Point{1}));
  EXPECT_TRUE(axes->front().ordered);
}

TEST(TunerSpace, AnAnswerThatIsNoSpaceIsRefused) {
  for (const char* text : {"", "[]", "{}", R"({"axes": [{"id": "a", "values": ["1"], "seed": "2"}]})",
                           R"({"axes": [{"id": "a", "values": [1], "seed": "1"}]})", R"({"axes": [7]})"})
    EXPECT_FALSE(axes_from_json(text).ok()) << text;
}

TEST(TunerSpace, ASourceThatDoesNotParseIsTheUsersMistake) {
  Result<TempDir> folder = TempDir::make("kgbench-tuner-test");
  ASSERT_TRUE(write_file(folder->path() / "bad.py", "def f(:\n").ok());
  Result<std::vector<Axis>> axes = space_of(rewriter(), folder->path() / "bad.py");
  ASSERT_FALSE(axes.ok());
  EXPECT_EQ(axes.error().fault, Fault::user);
  EXPECT_NE(axes.error().message.find("does not parse"), std::string::npos);
}

}  // namespace
}  // namespace kgb::method
