// SPDX-License-Identifier: Apache-2.0
// The figures of a run: what is counted in each, and what is left out and said.
#include "report/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "report/ledger.hpp"
#include "report/outcomes.hpp"
#include "runs.hpp"

namespace kgb {
namespace {

const Figure* find(const std::vector<Figure>& figures, const std::string& section, const std::string& name) {
  for (const Figure& f : figures)
    if (f.section == section && f.name == name) return &f;
  return nullptr;
}

Figure figure_of(const RunReport& run, const std::string& section, const std::string& name) {
  const std::vector<Figure> figures = statistics_of(run);
  const Figure* found = find(figures, section, name);
  EXPECT_NE(found, nullptr) << section << ": " << name;
  return found == nullptr ? Figure{} : *found;
}

TEST(Statistics, LeaveOutSectionsWithoutData) {
  for (const Figure& f : statistics_of(run_of("r", {{"aten::add"}}))) {
    EXPECT_NE(f.section, "pass@k");
    EXPECT_NE(f.section, "speed");
    EXPECT_NE(f.section, "failures");
    EXPECT_TRUE(f.section == "accuracy" || f.unit == Measure::seconds) << f.name;
  }
}

TEST(Statistics, CountOperatorsWithoutAKernelInAllAndApart) {
  RunReport run = run_of("r", {{"aten::add"}, {"aten::view"}, {"aten::mul", Verdict::timeout}});
  run.evaluations[1].evaluation.no_kernel = true;
  EXPECT_EQ(figure_of(run, "accuracy", "all").count, 2);
  EXPECT_EQ(figure_of(run, "accuracy", "all").of, 3);
  EXPECT_EQ(figure_of(run, "accuracy", "with a kernel").count, 1);
  EXPECT_EQ(figure_of(run, "accuracy", "with a kernel").of, 2);
}

TEST(Statistics, LeaveOutInfraAndWhatIsNotJudged) {
  RunReport run = run_of("r", {{"aten::add"}, {"aten::mul", Verdict::infra}});
  run.items = 5;
  const Figure all = figure_of(run, "accuracy", "all");
  EXPECT_EQ(all.of, 1);
  EXPECT_EQ(all.note, "without 1 that the judge or the host failed at and 3 not judged");
}

TEST(Statistics, TheSpeedupOfAnOperatorIsTheGeometricMeanOfItsWorkloads) {
  const RunReport run =
      run_of("r", {{"aten::add", Verdict::pass, {2, 8}}, {"aten::mul", Verdict::pass, {1}}});
  EXPECT_NEAR(*figure_of(run, "speed", "geometric mean, passed").value, 2, 1e-12);
  EXPECT_EQ(figure_of(run, "speed", "fast_1.0").count, 1);
  EXPECT_EQ(figure_of(run, "speed", "fast_0.8").count, 2);
}

TEST(Statistics, AFastFailureIsAFailure) {
  const RunReport run =
      run_of("r", {{"aten::add", Verdict::pass, {4}}, {"aten::mul", Verdict::wrong_value, {100}}});
  EXPECT_NEAR(*figure_of(run, "speed", "geometric mean, passed").value, 4, 1e-12);
  EXPECT_NEAR(*figure_of(run, "speed", "geometric mean, failures as 1.0").value, 2, 1e-12);
  EXPECT_EQ(figure_of(run, "speed", "fast_2.0").count, 1);
}

TEST(Statistics, APassWithoutTimesIsNoneOfTheSpeedsAndNotFast) {
  const RunReport run = run_of("r", {{"aten::add", Verdict::pass, {4}}, {"aten::mul"}});
  EXPECT_EQ(figure_of(run, "speed", "geometric mean, failures as 1.0").count, 1);
  EXPECT_EQ(figure_of(run, "speed", "geometric mean, passed").note,
            "without 1 that passed and were not timed");
  EXPECT_EQ(figure_of(run, "speed", "fast_1.0").of, 2);
}

TEST(Statistics, SamplesOfOneOperatorAreNotIndependentTrials) {
  std::vector<Judged> rows;
  for (int op = 0; op < 10; ++op)
    for (int sample = 0; sample < 20; ++sample)
      rows.push_back(
          {"aten::op" + std::to_string(op), op < 5 ? Verdict::pass : Verdict::timeout, {}, sample});
  const Figure all = figure_of(run_of("r", rows), "accuracy", "all");
  EXPECT_EQ(all.of, 200);
  EXPECT_GT(*all.high - *all.low, 0.4) << "ten operators, not two hundred trials";
}

TEST(Statistics, PassAtKReachesAsFarAsTheOperatorWithFewestSamples) {
  std::vector<Judged> rows;
  for (int sample = 0; sample < 5; ++sample) rows.push_back({"aten::add", Verdict::pass, {}, sample});
  for (int sample = 0; sample < 3; ++sample) rows.push_back({"aten::mul", Verdict::timeout, {}, sample});
  const std::vector<Figure> figures = statistics_of(run_of("r", rows));
  EXPECT_NE(find(figures, "pass@k", "pass@3"), nullptr);
  EXPECT_EQ(find(figures, "pass@k", "pass@5"), nullptr);
}

TEST(Statistics, AllOrNoneStillHasAnInterval) {
  const Figure all = figure_of(run_of("r", {{"aten::add", Verdict::pass, {}, 0},
                                            {"aten::add", Verdict::pass, {}, 1},
                                            {"aten::mul", Verdict::pass, {}, 0},
                                            {"aten::mul", Verdict::pass, {}, 1}}),
                               "accuracy", "all");
  EXPECT_EQ(all.high, 1);
  EXPECT_LT(*all.low, 0.5) << "two operators say little";
}

TEST(Ledger, TellsThePublishedFigureFromTheSuccessesOwn) {
  RunReport run = run_of("r", {{"aten::add"}, {"aten::mul", Verdict::timeout}});
  run.calls = {call_of(1, 900, 100, 0.5), call_of(2, 2800, 200, 1.5)};
  const Ledger ledger = ledger_of(run);
  EXPECT_EQ(ledger.tokens(), 4000);
  EXPECT_EQ(ledger.tokens_per_success(), 4000);
  EXPECT_EQ(ledger.own_tokens_per_success(), 1000);
  EXPECT_EQ(ledger.dollars_per_success(), 2);
  EXPECT_EQ(ledger.model_s, 6);
}

TEST(Ledger, IsALowerBoundWhereSomeCallsToldNothing) {
  RunReport run = run_of("r", {{"aten::add"}});
  run.calls = {call_of(1, 900, 100), call_of(1, std::nullopt, std::nullopt)};
  EXPECT_EQ(figure_of(run, "cost", "tokens").value, 1000);
  EXPECT_EQ(figure_of(run, "cost", "tokens").note, "at least: 1 of 2 calls told no tokens");
  EXPECT_FALSE(figure_of(run, "cost", "dollars").value.has_value());
  EXPECT_EQ(figure_text(figure_of(run, "cost", "dollars")), "unknown");
}

TEST(Ledger, HasNoCostPerSuccessWithoutOne) {
  RunReport run = run_of("r", {{"aten::add", Verdict::timeout}});
  run.calls = {call_of(1, 900, 100, 0.5)};
  EXPECT_FALSE(ledger_of(run).tokens_per_success().has_value());
  EXPECT_EQ(figure_of(run, "cost", "dollars per success").note, "nothing passed");
}

TEST(Ledger, CountsTheJudgesTimeOfAttemptsAndOnlyOnce) {
  RunReport run = run_of("r", {{"aten::add"}, {"aten::mul"}});
  for (StoredEvaluation& stored : run.evaluations) stored.evaluation.stage_ms["total"] = 500;
  Attempt attempt;
  attempt.item = 1;
  attempt.judge_s = 2;
  attempt.device_s = 0.25;
  run.attempts = {attempt, attempt};
  EXPECT_DOUBLE_EQ(ledger_of(run).judge_s, 4.5);
  EXPECT_EQ(ledger_of(run).device_s, 0.5);
}

TEST(FigureText, IsShortAndHasItsMeasure) {
  const auto text = [](Measure unit, double value) {
    Figure f;
    f.unit = unit;
    f.value = value;
    return figure_text(f);
  };
  EXPECT_EQ(text(Measure::share, 0.87), "87 %");
  EXPECT_EQ(text(Measure::share, 0.0238), "2.4 %");
  EXPECT_EQ(text(Measure::tokens, 1'450'000), "1.45 M");
  EXPECT_EQ(text(Measure::tokens, 98'500), "98 k");
  EXPECT_EQ(text(Measure::tokens, 512), "512");
  EXPECT_EQ(text(Measure::dollars, 12.345), "$12.35");
  EXPECT_EQ(text(Measure::dollars, 0.00042), "$0.00042");
  EXPECT_EQ(text(Measure::seconds, 9000), "2 h 30 min");
  EXPECT_EQ(text(Measure::ratio, 0.786), "0.79x");
}

}  // namespace
}  // namespace kgb
