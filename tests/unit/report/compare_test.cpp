// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: what counts as worse, and what does not.
#include "report/compare.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kgb {
namespace {

StoredEvaluation judged(const std::string& op, Verdict verdict, std::vector<WorkloadResult> workloads = {}) {
  StoredEvaluation stored;
  stored.item.op = op;
  stored.evaluation.op = op;
  stored.evaluation.verdict = verdict;
  stored.evaluation.workloads = std::move(workloads);
  if (verdict == Verdict::wrong_value)
    stored.evaluation.findings.push_back({"value_mismatch", Gate::correct, "off by 3", "s1", "", 0, {}});
  return stored;
}

WorkloadResult workload(const std::string& id, Verdict verdict, double ratio = 0.25) {
  return {id, id[0] == 'h' ? "hidden" : "smoke", "", verdict, ratio, "", 1, ""};
}

RunReport run(const std::string& id, std::vector<StoredEvaluation> evaluations,
              const std::string& seed = "1") {
  RunReport report;
  report.run.id = id;
  report.run.seed = seed;
  report.evaluations = std::move(evaluations);
  return report;
}

const ComparedRow& only_row(const Comparison& comparison) {
  EXPECT_EQ(comparison.rows.size(), 1u);
  return comparison.rows.front();
}

TEST(Compare, APassThatIsLostIsARegressionAndTheReverseAGain) {
  const RunReport good = run("a", {judged("aten::add", Verdict::pass)});
  const RunReport bad = run("b", {judged("aten::add", Verdict::wrong_value)});
  EXPECT_EQ(only_row(compare_runs(good, bad)).regressions, std::vector<std::string>{"pass -> wrong_value"});
  EXPECT_EQ(compare_runs(good, bad).gains(), 0u);
  EXPECT_EQ(compare_runs(bad, good).regressions(), 0u);
  EXPECT_EQ(compare_runs(bad, good).gains(), 1u);
}

TEST(Compare, WhatIsNotJudgedAgainDoesNotPass) {
  const RunReport before = run("a", {judged("aten::add", Verdict::pass)});
  EXPECT_EQ(only_row(compare_runs(before, run("b", {}))).regressions,
            std::vector<std::string>{"pass -> not judged"});
  EXPECT_EQ(compare_runs(before, run("b", {judged("aten::add", Verdict::infra)})).regressions(), 1u);
}

TEST(Compare, AnotherFailureIsNoRegression) {
  const Comparison comparison = compare_runs(run("a", {judged("aten::add", Verdict::wrong_value)}),
                                             run("b", {judged("aten::add", Verdict::not_custom)}));
  EXPECT_EQ(comparison.regressions(), 0u);
  EXPECT_FALSE(only_row(comparison).same());
}

TEST(Compare, AWorkloadThatIsLostCountsAlsoInAnOperatorThatFails) {
  const auto with = [](Verdict s0, Verdict h0) {
    return judged("aten::add", Verdict::wrong_value, {workload("s0", s0), workload("h0", h0)});
  };
  const RunReport before = run("a", {with(Verdict::pass, Verdict::pass)});
  const RunReport after = run("b", {with(Verdict::wrong_value, Verdict::wrong_value)});
  EXPECT_EQ(only_row(compare_runs(before, after)).regressions,
            std::vector<std::string>{"workloads that passed: s0, h0"});
  const RunReport elsewhere = run("b", {with(Verdict::pass, Verdict::wrong_value)}, "2");
  EXPECT_EQ(compare_runs(before, elsewhere).regressions(), 0u) << "h0 of another seed is another workload";
}

TEST(Compare, ALargerErrorWithinItsBoundIsShownAndNotWorse) {
  const RunReport before =
      run("a", {judged("aten::add", Verdict::pass, {workload("s0", Verdict::pass, 0.1)})});
  const RunReport after =
      run("b", {judged("aten::add", Verdict::pass, {workload("s0", Verdict::pass, 0.9)})});
  const Comparison comparison = compare_runs(before, after);
  EXPECT_EQ(comparison.regressions(), 0u);
  EXPECT_EQ(comparison_json(comparison, before, after)["operators"][0]["after"]["worst_ratio"], 0.9);
}

TEST(Compare, SlowerIsWorseOnlyBeyondBothIntervals) {
  const auto timed = [](double low, double middle, double high) {
    StoredEvaluation stored = judged("aten::add", Verdict::pass);
    Timing timing;
    timing.workload = "f0";
    timing.ratio_low = low, timing.ratio = middle, timing.ratio_high = high;
    stored.evaluation.timings = {timing};
    return run("r", {stored});
  };
  EXPECT_EQ(only_row(compare_runs(timed(1.8, 2.0, 2.2), timed(0.9, 1.0, 1.1))).regressions,
            std::vector<std::string>{"slower: f0 2.00x -> 1.00x"});
  EXPECT_EQ(compare_runs(timed(1.8, 2.0, 2.2), timed(1.7, 1.9, 2.1)).regressions(), 0u);
}

TEST(Compare, TheTableHoldsWhatChangedWithTheReason) {
  const RunReport before = run("a", {judged("aten::add", Verdict::pass), judged("aten::mul", Verdict::pass)});
  const RunReport after =
      run("b", {judged("aten::add", Verdict::wrong_value), judged("aten::mul", Verdict::pass)}, "2");
  const std::string text = comparison_text(compare_runs(before, after), before, after);
  EXPECT_NE(text.find("  worse  aten::add  pass -> wrong_value"), std::string::npos) << text;
  EXPECT_NE(text.find("         off by 3  (s1)\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("aten::mul"), std::string::npos) << text;
  EXPECT_NE(text.find("other seeds"), std::string::npos) << text;
  EXPECT_NE(text.find("1 worse, 0 better, 1 unchanged of 2 operators\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace kgb
