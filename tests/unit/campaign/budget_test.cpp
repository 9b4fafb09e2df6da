// SPDX-License-Identifier: Apache-2.0
// Budgets: what counts, for whom, and when they are spent.
#include "campaign/budget.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

const llm::Usage kHundred{true, 60, 0, 0, 40, 0};

TEST(Budget, TokensOfAllItemsCountForTheRunAndOfEachForItself) {
  BudgetLimits run, item;
  run.tokens = 300;
  item.tokens = 200;
  Budget budget(run, item);
  budget.add(1, kHundred, {}, 0);
  EXPECT_EQ(budget.spent(1), "");
  budget.add(1, kHundred, {}, 0);
  EXPECT_EQ(budget.spent(1), "the operator's budget of 200 tokens is spent");
  EXPECT_EQ(budget.spent(2), "");
  budget.add(2, kHundred, {}, 0);
  EXPECT_EQ(budget.spent(2), "the run's budget of 300 tokens is spent");
  EXPECT_EQ(budget.run_spent(), "the run's budget of 300 tokens is spent");
}

TEST(Budget, AServerThatTellsNoCountsIsCountedByLength) {
  BudgetLimits run;
  run.tokens = 100;
  Budget budget(run, {});
  budget.add(1, llm::Usage{}, {}, 120);
  EXPECT_NE(budget.run_spent(), "");
}

TEST(Budget, MoneyCountsWhereThePriceIsKnown) {
  BudgetLimits run;
  run.dollars = 1.5;
  Budget budget(run, {});
  budget.add(1, kHundred, std::nullopt, 0);
  budget.add(1, kHundred, 1.0, 0);
  EXPECT_EQ(budget.run_spent(), "");
  budget.add(1, kHundred, 0.5, 0);
  EXPECT_EQ(budget.run_spent(), "the run's budget of 1.50 dollars is spent");
}

TEST(Budget, HoursOfAnItemRunFromItsBeginning) {
  ManualClock clock;
  BudgetLimits run, item;
  run.hours = 2;
  item.hours = 0.5;
  Budget budget(run, item, clock);
  clock.advance(Millis{3'000'000});
  budget.begin(1);
  EXPECT_EQ(budget.spent(1), "");
  clock.advance(Millis{1'800'000});
  EXPECT_EQ(budget.spent(1), "the operator's budget of 0.5 hours is spent");
  EXPECT_EQ(budget.run_spent(), "");
  clock.advance(Millis{3'600'000});
  EXPECT_EQ(budget.run_spent(), "the run's budget of 2 hours is spent");
}

TEST(Budget, WithoutLimitsNothingIsEverSpent) {
  Budget budget({}, {});
  budget.add(1, llm::Usage{true, 1'000'000'000, 0, 0, 0, 0}, 1e9, 0);
  EXPECT_EQ(budget.spent(1), "");
}

}  // namespace
}  // namespace kgb
