// SPDX-License-Identifier: Apache-2.0
// Medians and their intervals.
#include "stats/order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kgb {
namespace {

TEST(Median, IsTheMiddleOrTheMeanOfTheTwoMiddleValues) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

TEST(MedianInterval, NeedsSixValuesFor95Percent) {
  EXPECT_FALSE(median_interval({1, 2, 3, 4, 5}).has_value());  // 2 * 2^-5 = 6.25 % missed
  const auto six = median_interval({6, 5, 4, 3, 2, 1});        // 2 * 2^-6 = 3.1 % missed
  ASSERT_TRUE(six.has_value());
  EXPECT_EQ(six->low, 1);
  EXPECT_EQ(six->high, 6);
}

TEST(MedianInterval, TakesTheTabulatedRanksForTwentyValues) {
  std::vector<double> values;
  for (int i = 1; i <= 20; ++i) values.push_back(i);
  const auto interval = median_interval(values);  // ranks 6 and 15: the textbook pair
  ASSERT_TRUE(interval.has_value());
  EXPECT_EQ(interval->low, 6);
  EXPECT_EQ(interval->high, 15);
}

TEST(MedianInterval, CoversTheTrueMedianOfASkewedDistribution) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> skewed(0, 1);
  int covered = 0;
  constexpr int kTrials = 2000;
  for (int t = 0; t < kTrials; ++t) {
    std::vector<double> values(31);
    for (double& v : values) v = skewed(random);
    const auto interval = median_interval(values);
    covered += interval->low <= 1 && 1 <= interval->high ? 1 : 0;
  }
  EXPECT_GE(covered, 0.94 * kTrials);
}

TEST(SpeedCall, SaysWhatTheWholeIntervalSays) {
  EXPECT_EQ(call_of({1.5, 1.4, 1.6}, 0.02), SpeedCall::faster);
  EXPECT_EQ(call_of({0.5, 0.4, 0.6}, 0.02), SpeedCall::slower);
  EXPECT_EQ(call_of({1.0, 0.99, 1.01}, 0.02), SpeedCall::same);
  EXPECT_EQ(call_of({1.1, 0.9, 1.4}, 0.02), SpeedCall::cannot_tell);
  EXPECT_EQ(name_of(SpeedCall::cannot_tell), "cannot tell");
}

}  // namespace
}  // namespace kgb
