// SPDX-License-Identifier: Apache-2.0
#include "model/moved.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace kgb {
namespace {

std::vector<double> moved(std::vector<double> values, DType precision, std::uint64_t seed = 1) {
  move_values(values, precision, "self", seed, 0, 0);
  return values;
}

TEST(Moved, EachValueMovesByOneUlpOfThePrecisionInEitherDirection) {
  for (const auto& [precision, bits] : {std::pair{DType::f32, 24}, {DType::f64, 53}, {DType::bf16, 8}}) {
    const std::vector<double> before(1000, 1.5), after = moved(before, precision);
    int up = 0;
    for (const double value : after) {
      EXPECT_EQ(std::abs(value - 1.5), std::ldexp(1.0, 1 - bits));
      up += value > 1.5 ? 1 : 0;
    }
    EXPECT_GT(up, 400);
    EXPECT_LT(up, 600);
  }
}

TEST(Moved, SmallIntegersAndWhatIsNotFiniteStay) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> still{0.0, -0.0, 1, -1, 256, -17, infinity, -infinity};
  EXPECT_EQ(moved(still, DType::f32), still);
  EXPECT_TRUE(std::signbit(moved(still, DType::f32)[1]));
  EXPECT_TRUE(std::isnan(moved({std::nan("")}, DType::f32)[0]));
  EXPECT_NE(moved({257.0}, DType::f32)[0], 257.0);
}

TEST(Moved, NothingBecomesZeroOrInfinite) {
  const double least = std::ldexp(1.0, -149);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(moved({least}, DType::f32, seed)[0], 2 * least);
    EXPECT_TRUE(std::isfinite(moved({largest_finite(DType::f64)}, DType::f32, seed)[0]));
    for (const DType precision : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
      const double most = largest_finite(precision);
      const double below = most - std::ldexp(2 * unit_roundoff(precision), std::ilogb(most));
      EXPECT_EQ(moved({most}, precision, seed)[0], below);
      EXPECT_EQ(moved({-most}, precision, seed)[0], -below);
    }
  }
}

TEST(Moved, TheSameSeedAndPathMoveAlike) {
  const std::vector<double> values(100, 0.3);
  EXPECT_EQ(moved(values, DType::f32, 7), moved(values, DType::f32, 7));
  EXPECT_NE(moved(values, DType::f32, 7), moved(values, DType::f32, 8));
}

}  // namespace
}  // namespace kgb
