// SPDX-License-Identifier: Apache-2.0
// Bootstrap intervals: repeatable, honest about what they cannot say, and covering.
#include "stats/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "stats/random.hpp"

namespace kgb {
namespace {

TEST(Draws, AreUniformAndRepeatable) {
  Draws draws(7), again(7);
  std::vector<int> seen(6);
  for (int i = 0; i < 60'000; ++i) {
    const std::uint32_t draw = draws.below(6);
    ASSERT_EQ(draw, again.below(6));
    ++seen.at(draw);
  }
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 500);  // five standard deviations
}

TEST(Bootstrap, RepeatsWithItsSeedAndDiffersWithAnother) {
  const std::vector<double> values{0, 1, 1, 3, 8, 2, 5};
  const Interval first = bootstrap_mean(values).value();
  EXPECT_EQ(first.low, bootstrap_mean(values)->low);
  BootstrapOptions other;
  other.seed = 2;
  EXPECT_NE(first.low, bootstrap_mean(values, other)->low);
  EXPECT_LT(first.low, first.estimate);
  EXPECT_GT(first.high, first.estimate);
}

TEST(Bootstrap, SaysNothingWhereNothingVaries) {
  EXPECT_FALSE(bootstrap_mean(std::vector<double>(9, 1.0)).has_value());
  EXPECT_FALSE(bootstrap_mean({}).has_value());
}

TEST(Bootstrap, SaysNothingOfFewerThanSixUnits) {
  EXPECT_FALSE(bootstrap_mean(std::vector<double>{1, 2, 3, 4, 5}).has_value());
  EXPECT_TRUE(bootstrap_mean(std::vector<double>{1, 2, 3, 4, 5, 6}).has_value());
}

TEST(Bootstrap, TheGeometricMeanOfRatiosAndTheirInversesAreInverse) {
  const std::vector<double> logs{0.1, -0.4, 0.9, 0.3, -0.2, 0.5};
  std::vector<double> inverse;
  for (const double x : logs) inverse.push_back(-x);
  const Interval a = bootstrap_geomean(logs).value(), b = bootstrap_geomean(inverse).value();
  EXPECT_NEAR(a.estimate * b.estimate, 1, 1e-12);
  EXPECT_NEAR(a.low * b.high, 1, 1e-9);
}

TEST(Bootstrap, TakesAnyFigureOfTheUnits) {
  const std::vector<double> spent{10, 20, 30, 40, 50, 60}, won{1, 1, 2, 1, 3, 2};
  const auto ratio = [&](std::span<const std::size_t> units) {
    double a = 0, b = 0;
    for (const std::size_t unit : units) a += spent[unit], b += won[unit];
    return a / b;
  };
  EXPECT_DOUBLE_EQ(bootstrap(6, ratio)->estimate, 210.0 / 10);
}

TEST(Bootstrap, CoversTheMeanOfASkewedDistribution) {
  std::mt19937 random(11);
  std::exponential_distribution<double> skewed(1);
  BootstrapOptions options;
  options.resamples = 1000;
  int covered = 0;
  constexpr int kTrials = 400;
  for (int t = 0; t < kTrials; ++t) {
    std::vector<double> values(40);
    for (double& v : values) v = skewed(random);
    const Interval interval = bootstrap_mean(values, options).value();
    covered += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(covered, 0.90 * kTrials);
  EXPECT_LE(covered, 0.99 * kTrials);
}

}  // namespace
}  // namespace kgb
