// SPDX-License-Identifier: Apache-2.0
// Decoding of the narrow float formats and rounding to them, against their definitions.
#include "model/element.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kgb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Element, DecodesEveryPatternOfTheNarrowTypes) {
  for (int p = 0; p < 65536; ++p) {
    const auto pattern = static_cast<std::uint16_t>(p);
    double half = 0;
    decode_reals(DType::f16, std::as_bytes(std::span(&pattern, 1)).data(), std::span(&half, 1));
    const int exponent = p >> 10 & 31, mantissa = p & 1023;
    const double sign = p & 0x8000 ? -1 : 1;
    if (exponent == 31) {
      EXPECT_TRUE(mantissa ? std::isnan(half) : half == sign * kInfinity);
    } else {
      EXPECT_EQ(half,
                sign * (exponent ? std::ldexp(1024 + mantissa, exponent - 25) : std::ldexp(mantissa, -24)));
    }
    if (!std::isnan(half)) {
      EXPECT_EQ(round_to_dtype(half, DType::f16), half);
    }
  }
}

TEST(Element, RoundsOnceToTheNearestEven) {
  EXPECT_EQ(round_to_dtype(1 + 0x1p-11, DType::f16), 1);  // a tie
  EXPECT_EQ(round_to_dtype(1 + 0x1p-11 + 0x1p-40, DType::f16),
            1 + 0x1p-10);  // above it by less than f32 tells apart
  EXPECT_EQ(round_to_dtype(1 + 3 * 0x1p-11, DType::f16), 1 + 0x1p-9);
  EXPECT_EQ(round_to_dtype(65519, DType::f16), 65504);
  EXPECT_EQ(round_to_dtype(65520, DType::f16), kInfinity);
  EXPECT_TRUE(std::isnan(round_to_dtype(464.1, DType::f8e4m3)));
  EXPECT_EQ(round_to_dtype(464, DType::f8e4m3), 448);  // a tie, and 448 is the even one
  EXPECT_EQ(round_to_dtype(0x1p-10, DType::f8e4m3), 0);
  EXPECT_EQ(round_to_dtype(-kInfinity, DType::bf16), -kInfinity);
}

}  // namespace
}  // namespace kgb
