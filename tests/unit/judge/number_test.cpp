// SPDX-License-Identifier: Apache-2.0
// Returned numbers keep every bit on their way through JSON, and what is no such number is refused.
#include "judge/number.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>

namespace kgb {
namespace {

template <typename T>
std::optional<T> number(const std::string& json, DType dtype) {
  const auto bytes = number_bytes(json, dtype);
  if (!bytes) return std::nullopt;
  EXPECT_EQ(bytes->size(), sizeof(T));
  T value{};
  std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

TEST(Number, IntegersKeepAllTheirBits) {
  EXPECT_EQ(number<std::int64_t>("9223372036854775807", DType::i64),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(number<std::int64_t>("-9223372036854775808", DType::i64),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(number<std::int64_t>("9007199254740993", DType::i64), (std::int64_t{1} << 53) + 1);
  EXPECT_EQ(number<std::uint64_t>("18446744073709551615", DType::u64),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(number_bytes("9223372036854775808", DType::i64));
  EXPECT_FALSE(number_bytes("-1", DType::u64));
}

TEST(Number, FloatsKeepSignNanAndInfinity) {
  EXPECT_TRUE(std::signbit(*number<double>("-0.0", DType::f64)));
  EXPECT_EQ(number<double>("1.1754943508222875e-38", DType::f64), 0x1p-126);
  EXPECT_TRUE(std::isnan(*number<double>("\"nan\"", DType::f64)));
  EXPECT_EQ(number<double>("\"-inf\"", DType::f64), -std::numeric_limits<double>::infinity());
}

TEST(Number, AComplexNumberIsAPair) {
  const auto z = number<std::array<double, 2>>("[1.5, \"inf\"]", DType::c128);
  ASSERT_TRUE(z);
  EXPECT_EQ((*z)[0], 1.5);
  EXPECT_EQ((*z)[1], std::numeric_limits<double>::infinity());
  EXPECT_FALSE(number_bytes("1.5", DType::c128));
}

TEST(Number, TypesAreNotMixed) {
  EXPECT_EQ(number<std::uint8_t>("true", DType::b8), 1);
  EXPECT_FALSE(number_bytes("1", DType::b8));
  EXPECT_FALSE(number_bytes("true", DType::i64));
  EXPECT_FALSE(number_bytes("1", DType::f64));
  EXPECT_FALSE(number_bytes("\"one\"", DType::f64));
  EXPECT_FALSE(number_bytes("null", DType::i64));
}

}  // namespace
}  // namespace kgb
