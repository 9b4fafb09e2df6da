// SPDX-License-Identifier: Apache-2.0
// Ranks with ties, and how far two rankings agree.
#include "stats/ranks.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kgb {
namespace {

using Values = std::vector<double>;

TEST(MeanRanks, SharesTheRanksOfEqualValues) {
  EXPECT_EQ(mean_ranks(Values{10, 20, 20, 5}), (Values{2, 3.5, 3.5, 1}));
  EXPECT_TRUE(mean_ranks({}).empty());
}

TEST(RankCorrelation, IsOneForTheSameOrderAndMinusOneForItsReverse) {
  const Values x{1, 2, 3, 4}, same{10, 100, 1000, 10'000}, reverse{4, 3, 2, 1};
  EXPECT_DOUBLE_EQ(spearman(x, same), 1);
  EXPECT_DOUBLE_EQ(kendall_tau_b(x, same), 1);
  EXPECT_DOUBLE_EQ(spearman(x, reverse), -1);
  EXPECT_DOUBLE_EQ(kendall_tau_b(x, reverse), -1);
}

TEST(RankCorrelation, IsUnknownWhereOneSideDoesNotVary) {
  const Values x{1, 2, 3}, flat{5, 5, 5};
  EXPECT_TRUE(std::isnan(spearman(x, flat)));
  EXPECT_TRUE(std::isnan(kendall_tau_b(x, flat)));
  EXPECT_TRUE(std::isnan(spearman_p(x, flat)));
}

TEST(SpearmanP, CountsEveryPairingOfFewValues) {
  EXPECT_NEAR(spearman_p(Values{1, 2, 3}, Values{1, 2, 3}), 2.0 / 6, 1e-12);
  EXPECT_NEAR(spearman_p(Values{1, 2, 3, 4}, Values{1, 2, 3, 4}), 2.0 / 24, 1e-12);
}

TEST(SpearmanP, DrawsPairingsOfMany) {
  Values x, y;
  for (int i = 0; i < 20; ++i) x.push_back(i), y.push_back(i % 7);
  const double p = spearman_p(x, y);
  EXPECT_EQ(p, spearman_p(x, y));
  EXPECT_GT(p, 0.1);
  EXPECT_NEAR(spearman_p(x, x), 1.0 / 10'001, 1e-12);
}

}  // namespace
}  // namespace kgb
