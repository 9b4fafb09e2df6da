// SPDX-License-Identifier: Apache-2.0
// Contestants beside each other: pairs are matched by operator, and tables say what they rest on.
#include "report/contestants.hpp"

#include <gtest/gtest.h>

#include "runs.hpp"

namespace kgb {
namespace {

constexpr Verdict kPass = Verdict::pass, kWrong = Verdict::wrong_value;

TEST(Contest, PairsOnlyOperatorsThatBothWereJudgedOn) {
  const RunReport a = run_of("a", {{"aten::add"}, {"aten::mul", kWrong}, {"aten::sum"}});
  const RunReport b =
      run_of("b", {{"aten::add", kWrong}, {"aten::mul", kWrong}, {"aten::sum", Verdict::infra}});
  const Duel duel = contest_of({&a, &b}).duels.at(0);
  EXPECT_EQ(duel.operators, 2);
  EXPECT_EQ(duel.only_first, 1);
  EXPECT_EQ(duel.only_second, 0);
  EXPECT_EQ(duel.difference.estimate, 0.5);
}

TEST(Contest, ComparesSpeedsOnWhatBothSolved) {
  const RunReport a = run_of("a", {{"aten::add", kPass, {2}}, {"aten::mul", kPass, {100}}});
  const RunReport b = run_of("b", {{"aten::add", kPass, {1}}, {"aten::mul", kWrong}});
  const Duel duel = contest_of({&a, &b}).duels.at(0);
  EXPECT_EQ(duel.matched, 1);
  EXPECT_NEAR(duel.first_speed.estimate, 2, 1e-12);
  EXPECT_FALSE(duel.speed_ratio.has_value()) << "one operator has no interval";
}

TEST(Contest, RunsWithoutAnOperatorInCommonAreNotTested) {
  const RunReport a = run_of("a", {{"aten::add"}}), b = run_of("b", {{"aten::mul"}});
  const Contest contest = contest_of({&a, &b});
  EXPECT_EQ(contest.duels.at(0).p, 1);
  EXPECT_NE(contest_text(contest).find("no operator in common"), std::string::npos);
}

TEST(Contest, FoldersOfOneNameAreToldApart) {
  const RunReport a = run_of("run", {{"aten::add"}}), b = run_of("run", {{"aten::add", kWrong}});
  const Contest contest = contest_of({&a, &b});
  EXPECT_EQ(contest.contestants[0].name, "run");
  EXPECT_EQ(contest.contestants[1].name, "run#2");
}

TEST(Contest, TheWeakestFamilyHasThreeOperatorsAndFailures) {
  std::vector<Judged> rows{{"alone::x", kWrong}, {"large::a"}, {"large::b"}, {"large::c", kWrong}};
  const RunReport a = run_of("a", rows);
  const Contest contest = contest_of({&a, &a});
  ASSERT_TRUE(contest.weakest.has_value());
  EXPECT_EQ(contest.weakest->family, "large");
  EXPECT_EQ(contest.weakest->passed_of[1], (std::pair<std::int64_t, std::int64_t>{2, 3}));
  const RunReport whole = run_of("w", {{"large::a"}, {"large::b"}, {"large::c"}});
  EXPECT_FALSE(contest_of({&whole, &whole}).weakest.has_value());
}

TEST(Contest, AFamilyThatIsSurelyWeakComesBeforeASmallOneWithALowerShare) {
  std::vector<Judged> rows{{"small::a"}, {"small::b", kWrong}, {"small::c", kWrong}};
  for (int i = 0; i < 20; ++i) rows.push_back({"large::" + std::to_string(i), i < 8 ? kPass : kWrong});
  const RunReport a = run_of("a", rows);
  EXPECT_EQ(contest_of({&a, &a}).weakest->family, "large");
}

TEST(Contest, OnlyThoseThatNobodyBeatsInBothAreBestForTheirCost) {
  RunReport good = run_of("good", {{"aten::add"}, {"aten::mul"}});
  RunReport cheap = run_of("cheap", {{"aten::add"}, {"aten::mul", kWrong}});
  RunReport bad = run_of("bad", {{"aten::add"}, {"aten::mul", kWrong}});
  RunReport free = run_of("free", {{"aten::add"}, {"aten::mul", kWrong}});
  good.calls = {call_of(1, 500, 500), call_of(2, 500, 500)};
  cheap.calls = {call_of(1, 50, 50)};
  bad.calls = {call_of(1, 5000, 5000)};
  const Contest contest = contest_of({&good, &cheap, &bad, &free});
  EXPECT_EQ(contest.frontier, (std::vector<std::size_t>{0, 1}))
      << "without a model there is no cost to compare";
}

TEST(Contest, ASpeedIsCalledFasterOnlyWhereTheTestSaysSo) {
  std::vector<Judged> fast, slow;
  for (int i = 0; i < 8; ++i) {
    fast.push_back({"aten::op" + std::to_string(i), kPass, {2.0 + 0.1 * i}});
    slow.push_back({"aten::op" + std::to_string(i), kPass, {1.0}});
  }
  const RunReport a = run_of("a", fast), b = run_of("b", slow);
  EXPECT_NE(contest_text(contest_of({&a, &b})).find("faster ("), std::string::npos);
  EXPECT_NE(contest_text(contest_of({&b, &a})).find("slower ("), std::string::npos);
  EXPECT_NE(contest_text(contest_of({&a, &a})).find("no interval: too few, or all alike"), std::string::npos);
}

TEST(Contest, RanksNeedThreeContestants) {
  const std::vector<Judged> rows{{"aten::add"}, {"vllm::x", kWrong}};
  const RunReport a = run_of("a", rows), b = run_of("b", rows);
  EXPECT_TRUE(contest_of({&a, &b}).by_source.empty());
  const RunReport c = run_of("c", {{"aten::add", kWrong}, {"vllm::x"}});
  const Contest contest = contest_of({&a, &b, &c});
  ASSERT_EQ(contest.by_source.size(), 1U);
  EXPECT_DOUBLE_EQ(contest.by_source[0].spearman, -1);
}

TEST(Contest, TwoAreShownSideBySideAndMoreInLines) {
  const RunReport a = run_of("opus", {{"aten::add", kPass, {2}}, {"aten::mul", kPass, {3}}});
  const RunReport b = run_of("glm", {{"aten::add", kPass, {1}}, {"aten::mul", kPass, {2}}});
  const std::string two = contest_text(contest_of({&a, &b}));
  EXPECT_NE(two.find("accuracy, all 2     100 % [34, 100]  100 % [34, 100]  +0 points, p = 1.000"),
            std::string::npos)
      << two;
  EXPECT_NE(two.find("speedup, matched 2  2.45x            1.41x            no interval"), std::string::npos)
      << two;
  EXPECT_EQ(two.find("tokens"), std::string::npos) << "no model was asked";
  const std::string three = contest_text(contest_of({&a, &b, &a}));
  EXPECT_NE(three.find("speed, row / column"), std::string::npos) << three;
  EXPECT_NE(three.find("opus#2"), std::string::npos) << three;
}

}  // namespace
}  // namespace kgb
