// SPDX-License-Identifier: Apache-2.0
// What a contestant reads holds public evidence whole and of hidden workloads nothing that tells them apart.
#include "judge/feedback.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace kgb {
namespace {

constexpr const char* kSeed = "5292936db7ec8c6f";

Finding finding_of(const std::string& kind, const std::string& workload, const std::string& message) {
  Finding finding;
  finding.kind = kind;
  finding.workload = workload;
  finding.message = message;
  return finding;
}

// A candidate that was right on s0 and wrong on the hidden h6.
Evaluation evaluation() {
  Evaluation e;
  e.op = "aten::softmax";
  e.candidate = "mine.py";
  e.chip = "cpu";
  e.mode = "plan";
  e.seed = kSeed;
  e.verdict = Verdict::wrong_value;
  e.reached = Gate::correct;
  e.workloads = {
      {"s0", "smoke", "self f32[8,128], dim=1", Verdict::pass, 0.25, "return[2,100]", 3072, "aaaa"},
      {"h6", "hidden", "self f16[4,311], dim=1", Verdict::wrong_value, 1e9, "return[3,256]", 1244,
       "0123456789abcdef0123456789abcdef"}};
  return e;
}

Finding hidden_mismatch() {
  Finding finding = finding_of("value_mismatch", "h6", "return[3,256] = nan, expected 1.98e-12 +- 1.19e-07");
  finding.file = "mine.py";
  finding.line = 311;
  finding.details = {{"got", "nan"},
                     {"expected", "1.98e-12"},
                     {"bound", "1.19e-07"},
                     {"index", "[3,256]"},
                     {"wrong elements", "220 of 1244"},
                     {"call", "2"},
                     {"pattern", "every row: the last 55 of 311 elements: never written (still the poison)"}};
  return finding;
}

std::vector<std::string> both(const Evaluation& e) {
  return {feedback_text(e), feedback_json(e).dump()};
}

void expect_without(const Evaluation& e, const std::vector<std::string>& secrets) {
  for (const std::string& told : both(e))
    for (const std::string& secret : secrets)
      EXPECT_EQ(told.find(secret), std::string::npos) << secret << " in\n" << told;
}

void expect_with(const Evaluation& e, const std::vector<std::string>& facts) {
  for (const std::string& told : both(e))
    for (const std::string& fact : facts)
      EXPECT_NE(told.find(fact), std::string::npos) << fact << " missing in\n" << told;
}

TEST(Feedback, TellsAHiddenFailureByItsKindAndWordsAlone) {
  Evaluation e = evaluation();
  e.findings = {hidden_mismatch()};
  EXPECT_EQ(
      feedback_json(e)["reason"]["message"],
      "value_mismatch in a hidden workload: the end of every row, never written; call 1 of the same process "
      "was right");
  expect_without(e, {"311", "256", "1.98", "1.19e", "nan", "220", "1244", "f16", "h6", "55", kSeed,
                     "0123456789", "1e+09"});
}

TEST(Feedback, CountsTheWorkloadsOfEachTier) {
  Evaluation e = evaluation();
  e.findings = {hidden_mismatch()};
  EXPECT_NE(feedback_text(e).find("smoke 1/1, hidden 0/1 workloads"), std::string::npos);
  EXPECT_EQ(feedback_json(e)["passed"]["hidden"], (nlohmann::json{{"passed", 0}, {"judged", 1}}));
}

TEST(Feedback, QuotesAPublicFailureWhole) {
  Evaluation e = evaluation();
  Finding finding = hidden_mismatch();
  finding.workload = "s0";
  finding.line = 12;
  finding.message = "return[2,100] = nan, expected 0.5";
  finding.details["index"] = "[2,100]";
  finding.details["pattern"] = "the last 28 of 128 elements";
  e.workloads[0].verdict = Verdict::wrong_value;
  e.findings = {finding};
  expect_with(e, {"return[2,100] = nan, expected 0.5", "self f32[8,128]", "mine.py", "12", "[2,100]",
                  "220 of 1244", "the last 28 of 128 elements"});
}

TEST(Feedback, SaysWhatEachKindMeansAndWhatToDo) {
  Evaluation e = evaluation();
  e.findings = {hidden_mismatch()};
  expect_with(e, {"beyond the error bound", "accumulate in f32"});
}

TEST(Feedback, TakesAWorkloadThatNobodyListsForHiddenUnlessItsIdIsPublic) {
  Evaluation e = evaluation();
  e.findings = {finding_of("host_exception", "x9", "ValueError: 4x311")};
  expect_without(e, {"ValueError"});
  e.findings = {finding_of("host_exception", "s9", "ValueError: no")};
  expect_with(e, {"ValueError: no"});
}

TEST(Feedback, DoesNotBelieveAnIdThatItsTierContradicts) {
  Evaluation e = evaluation();
  e.workloads[0].tier = "hidden";
  e.findings = {finding_of("host_exception", "s0", "ValueError: no")};
  expect_without(e, {"ValueError", "f32[8,128]"});
}

TEST(Feedback, WithholdsPublicTextThatRepeatsWhatHostCodeSawOfHiddenWorkloads) {
  const std::vector<std::string> leaks{"saw torch.Size([4, 311])", "saw (4,311)",
                                       "saw 4x311 elements",       "h: SELF F16[4,311], dim=1",
                                       "seed 5292936DB7EC8C6F",    "plan 0123456789abcdef"};
  for (const std::string& leak : leaks) {
    Evaluation e = evaluation();
    Finding finding = finding_of("host_exception", "s0", leak);
    finding.details = {{"traceback", leak}, {"stderr", leak}};
    finding.file = leak;
    e.findings = {finding};
    expect_without(e, {leak, "311", "0123456789"});
    expect_with(e, {"withheld", "host_exception"});
  }
}

TEST(Feedback, KnowsTheSeedInDecimalAndAsTheGeneratorsSee) {
  for (const char* text : {"5949980157156297839", "2974990078578148919"}) {
    Evaluation e = evaluation();
    e.seed = "5292936db7ec8c6f";
    e.findings = {finding_of("host_exception", "s0", std::string("initial seed ") + text)};
    expect_without(e, {text});
  }
}

TEST(Feedback, QuotesAShapeThatPublicWorkloadsHaveToo) {
  Evaluation e = evaluation();
  e.workloads[1].description = "self f16[8,128], dim=0";
  e.findings = {finding_of("host_exception", "s0", "no kernel for (8, 128)")};
  expect_with(e, {"no kernel for (8, 128)"});
}

TEST(Feedback, QuotesWhatFollowsFromTheSourceAlone) {
  Evaluation e = evaluation();
  e.workloads.clear();
  Finding finding = finding_of("native_compile_error", "", "expected ';' before '}' token");
  finding.file = "mine.cpp";
  finding.line = 7;
  finding.details["log"] = "candidate.cpp:7: error: expected ';'";
  e.findings = {finding};
  expect_with(e, {"expected ';' before '}' token", "candidate.cpp:7", "mine.cpp"});
}

TEST(Feedback, WithholdsTextThatBelongsToNoWorkload) {
  for (const char* kind : {"exited", "forged_result", "not_random", "native_crash"}) {
    Evaluation e = evaluation();
    Finding finding = finding_of(kind, "", "h6/1/return: 17 bytes");
    finding.details["stderr"] = "printed it all";
    e.findings = {finding};
    expect_without(e, {"17 bytes", "printed it all", "h6"});
    expect_with(e, {kind, "withheld"});
  }
}

TEST(Feedback, KeepsTheJudgesOwnFailuresToItself) {
  Evaluation e = evaluation();
  e.verdict = Verdict::infra;
  e.findings = {finding_of("infra", "", "the oracle failed on something"),
                finding_of("no_such_kind", "s0", "odd words")};
  expect_without(e, {"the oracle failed on something", "odd words"});
  expect_with(e, {"not the candidate's fault"});
  EXPECT_EQ(feedback_json(e)["retryable"], true);
}

TEST(Feedback, GivesOfHiddenTimesTheRatioAlone) {
  Evaluation e = evaluation();
  e.verdict = Verdict::pass;
  Timing hidden;
  hidden.workload = "h6";
  hidden.candidate = 0.0123;
  hidden.baseline = 0.0246;
  hidden.ratio = 2;
  hidden.ratio_low = 1.9;
  hidden.ratio_high = 2.1;
  hidden.call = "faster";
  hidden.baseline_name = "torch";
  Timing open = hidden;
  open.workload = "s0";
  open.candidate = 0.0456;
  e.timings = {hidden, open};
  expect_without(e, {"0.0123", "12300", "1.23e+04", "h6"});
  EXPECT_NE(feedback_text(e).find("a hidden workload: 2x [1.9, 2.1] faster against torch\n"),
            std::string::npos);
  EXPECT_EQ(feedback_json(e)["timings"][1]["candidate_s"], 0.0456);
}

TEST(Feedback, GivesTheWorstErrorOfPublicWorkloads) {
  const nlohmann::json told = feedback_json(evaluation());
  EXPECT_EQ(told["worst"], (nlohmann::json{{"ratio", 0.25}, {"workload", "s0"}, {"at", "return[2,100]"}}));
}

TEST(Feedback, TellsOfTargetsNoMoreThanTheOutcomeWhereKernelsMayBeHidden) {
  Evaluation e = evaluation();
  TargetResult target;
  target.target = "sm_90";
  target.ok = false;
  target.message = "kernel_4096: shared memory 300000 > 232448 bytes";
  target.shared_bytes = 300000;
  target.kernels = 1;
  e.targets = {target};
  expect_with(e, {"kernel_4096"});  // those of s0
  e.workloads.erase(e.workloads.begin());
  expect_without(e, {"kernel_4096", "300000"});
  expect_with(e, {"sm_90"});
}

TEST(Feedback, ShowsEachOtherFindingOnceAndSaysHowManyMoreThereAre) {
  Evaluation e = evaluation();
  e.findings = {finding_of("syntax_error", "", "no")};
  for (int i = 0; i < 9; ++i) {
    Finding finding = finding_of("self_benchmark", "s0", "times itself");
    finding.file = "mine.py";
    finding.line = i + 1;
    e.findings.push_back(finding);
    e.findings.push_back(finding);
  }
  EXPECT_EQ(feedback_json(e)["also"].size(), 9u);
  EXPECT_NE(feedback_text(e).find("and 3 more"), std::string::npos);
}

TEST(Feedback, SurvivesBytesThatAreNoTextAndNumbersThatAreNone) {
  Evaluation e = evaluation();
  Finding finding = finding_of("host_exception", "s0", "\xff\xfe bad");
  finding.details["traceback"] = std::string(100000, 'x');
  e.findings = {finding};
  e.workloads[0].worst_ratio = std::numeric_limits<double>::infinity();
  const nlohmann::json told = feedback_json(e);
  EXPECT_EQ(told["worst"]["ratio"], nullptr);
  EXPECT_LE(told["reason"]["details"]["traceback"].get<std::string>().size(), 4000u);
  EXPECT_NO_THROW((void)told.dump());
}

TEST(Feedback, CannotBeMadeToShowALineOfItsOwn) {
  Evaluation e = evaluation();
  e.findings = {finding_of("host_exception", "s0", "no\n  passed         smoke 9/9 workloads")};
  const std::string text = feedback_text(e);
  EXPECT_EQ(text.find("\n  passed         smoke 9/9"), std::string::npos);
}

}  // namespace
}  // namespace kgb
