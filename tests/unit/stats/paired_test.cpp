// SPDX-License-Identifier: Apache-2.0
// Tests between pairs: exact values from counting by hand.
#include "stats/paired.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

TEST(McNemar, CountsCoinFlips) {
  EXPECT_DOUBLE_EQ(mcnemar_exact(0, 0), 1);
  EXPECT_NEAR(mcnemar_exact(5, 0), 2.0 / 32, 1e-12);
  EXPECT_NEAR(mcnemar_exact(1, 4), 12.0 / 32, 1e-12);
  EXPECT_NEAR(mcnemar_exact(4, 1), 12.0 / 32, 1e-12);
  EXPECT_DOUBLE_EQ(mcnemar_exact(3, 3), 1);
  EXPECT_LT(mcnemar_exact(58, 16), 0.001);
}

TEST(SignedRank, CountsSignsOfRanks) {
  const std::vector<double> all_up{1, 2, 3, 4, 5};
  EXPECT_NEAR(signed_rank(all_up), 2.0 / 32, 1e-12);
  const std::vector<double> smallest_down{-1, 2, 3, 4, 5};
  EXPECT_NEAR(signed_rank(smallest_down), 4.0 / 32, 1e-12);
  EXPECT_DOUBLE_EQ(signed_rank(std::vector<double>{0, 0}), 1);
  EXPECT_DOUBLE_EQ(signed_rank({}), 1);
}

TEST(SignedRank, IsMcNemarWhereAllDifferencesHaveOneSize) {
  std::vector<double> differences(16, -1);
  differences.insert(differences.end(), 30, 1);
  differences.insert(differences.end(), 100, 0);
  EXPECT_NEAR(signed_rank(differences), mcnemar_exact(30, 16), 1e-12);
}

TEST(SignedRank, HoldsForAsManyOperatorsAsThereAre) {
  std::vector<double> differences;
  for (int i = 1; i <= 210; ++i) differences.push_back(i % 3 == 0 ? -i : i);
  const double p = signed_rank(differences);
  EXPECT_GT(p, 0);
  EXPECT_LT(p, 1e-4);
}

TEST(Holm, StepsDownAndNeverFalls) {
  const std::vector<double> p{0.01, 0.04, 0.03, 0.005};
  const std::vector<double> corrected = holm(p);
  EXPECT_NEAR(corrected[3], 0.02, 1e-12);
  EXPECT_NEAR(corrected[0], 0.03, 1e-12);
  EXPECT_NEAR(corrected[2], 0.06, 1e-12);
  EXPECT_NEAR(corrected[1], 0.06, 1e-12);
  EXPECT_DOUBLE_EQ(holm(std::vector<double>{0.9, 0.8})[0], 1);
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace kgb
