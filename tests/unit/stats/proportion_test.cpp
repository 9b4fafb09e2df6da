// SPDX-License-Identifier: Apache-2.0
// Wilson's interval and pass@k: values that can be checked by hand, and what holds for all.
#include "stats/proportion.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kgb {
namespace {

TEST(Wilson, GivesTheTabulatedIntervalOfNineOfTen) {
  const Interval interval = wilson(9, 10);
  EXPECT_DOUBLE_EQ(interval.estimate, 0.9);
  EXPECT_NEAR(interval.low, 0.5958, 1e-4);
  EXPECT_NEAR(interval.high, 0.9821, 1e-4);
}

TEST(Wilson, StaysWithinZeroAndOneAndSaysSomethingAtTheEnds) {
  EXPECT_EQ(wilson(0, 20).low, 0);
  EXPECT_NEAR(wilson(0, 20).high, 0.1611, 1e-4);
  EXPECT_EQ(wilson(20, 20).high, 1);
  EXPECT_LT(wilson(20, 20).low, 1);
}

TEST(Wilson, KnowsNothingWithoutTrials) {
  EXPECT_TRUE(std::isnan(wilson(0, 0).estimate));
  EXPECT_EQ(wilson(0, 0).low, 0);
  EXPECT_EQ(wilson(0, 0).high, 1);
}

TEST(PassAtK, IsTheChanceThatASubsetHoldsAPass) {
  EXPECT_DOUBLE_EQ(pass_at_k(5, 2, 1), 0.4);
  EXPECT_DOUBLE_EQ(pass_at_k(5, 2, 2), 0.7);  // of 10 pairs, 3 hold no pass
  EXPECT_DOUBLE_EQ(pass_at_k(5, 2, 4), 1);    // three failures cannot fill four places
  EXPECT_DOUBLE_EQ(pass_at_k(5, 0, 5), 0);
}

TEST(PassAtK, StaysFiniteForManySamples) {
  EXPECT_NEAR(pass_at_k(2000, 10, 100), 0.4025, 1e-3);
}

TEST(UnionAtK, IsWhetherOneOfTheFirstSamplesPasses) {
  EXPECT_FALSE(union_at_k({false, false, true}, 2));
  EXPECT_TRUE(union_at_k({false, false, true}, 3));
  EXPECT_TRUE(union_at_k({true}, 5));
  EXPECT_FALSE(union_at_k({}, 5));
}

}  // namespace
}  // namespace kgb
