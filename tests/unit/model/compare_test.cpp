// SPDX-License-Identifier: Apache-2.0
// Laws of the comparison: what an honest kernel may do and what no kernel may.
#include "model/compare.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>

#include "model/element.hpp"

namespace kgb {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

// The pattern of a value that f16 or an fp8 type holds, found by decoding all of them once.
std::uint16_t pattern_of(DType dtype, double value) {
  static std::map<DType, std::map<std::uint64_t, std::uint16_t>> tables;
  auto& table = tables[dtype];
  const auto key = [](double v) { return std::bit_cast<std::uint64_t>(std::isnan(v) ? kNan : v); };
  const int count = table.empty() ? (size_of(dtype) == 2 ? 65536 : 256) : 0;
  for (int p = 0; p < count; ++p) {
    const auto pattern = static_cast<std::uint16_t>(p);
    double decoded = 0;
    decode_reals(dtype, std::as_bytes(std::span(&pattern, 1)).data(), std::span(&decoded, 1));
    table.emplace(key(decoded), pattern);
  }
  return table.at(key(value));
}

// The bytes of reals in a float dtype, each rounded once; doubles when the dtype is f64 or complex (as
// pairs).
std::vector<std::byte> encode(DType dtype, const std::vector<double>& values) {
  std::vector<std::byte> bytes;
  const auto put = [&](auto value) {
    const auto raw = std::bit_cast<std::array<std::byte, sizeof value>>(value);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  };
  for (const double v : values) {
    const double r = round_to_dtype(v, dtype);
    switch (dtype) {
      case DType::f64:
      case DType::c128:
        put(v);
        break;
      case DType::f32:
      case DType::c64:
        put(static_cast<float>(r));
        break;
      case DType::bf16:
        put(static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(static_cast<float>(r)) >> 16));
        break;
      case DType::i32:
        put(static_cast<std::int32_t>(v));
        break;
      case DType::i64:
        put(static_cast<std::int64_t>(v));
        break;
      case DType::i8:
        put(static_cast<std::int8_t>(v));
        break;
      case DType::b8:
      case DType::u8:
        put(static_cast<std::uint8_t>(v));
        break;
      default: {
        const std::uint16_t pattern = pattern_of(dtype, r);
        const auto raw = std::bit_cast<std::array<std::byte, 2>>(pattern);
        bytes.insert(bytes.end(), raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(size_of(dtype)));
      }
    }
  }
  return bytes;
}

// An expectation that owns its values.
struct Wanted {
  std::vector<double> values, magnitude, source;
  std::vector<std::int64_t> integers;
  ExpectedOutput output;

  Wanted(DType dtype, std::vector<std::int64_t> shape, std::vector<double> reals) : values(std::move(reals)) {
    output.path = "return";
    output.dtype = dtype;
    output.shape = std::move(shape);
    output.kind = is_complex(dtype) ? ValueKind::c128 : ValueKind::f64;
    if (!is_float(dtype) && !is_complex(dtype)) {
      output.kind = ValueKind::i64;
      for (const double v : values) integers.push_back(static_cast<std::int64_t>(v));
    }
  }
  ExpectedOutput& get() {
    output.value =
        output.kind == ValueKind::i64 ? std::as_bytes(std::span(integers)) : std::as_bytes(std::span(values));
    output.magnitude = magnitude;
    output.source = source;
    return output;
  }
};

CompareResult check(Wanted& wanted, const std::vector<std::byte>& got, const ErrorBound& bound,
                    CompareOptions options = {}) {
  auto result = compare(got, wanted.get(), bound, options);
  if (!result.ok()) {
    ADD_FAILURE() << result.error().message;
    return {};
  }
  return *std::move(result);
}

CompareResult check(DType dtype, const std::vector<double>& expected, const std::vector<double>& got,
                    const ErrorBound& bound = {}) {
  Wanted wanted(dtype, {static_cast<std::int64_t>(expected.size()) / (is_complex(dtype) ? 2 : 1)}, expected);
  return check(wanted, encode(dtype, got), bound);
}

ErrorBound of(ErrorClass error_class, double length = 1, double ulps = 2) {
  ErrorBound bound;
  bound.error_class = error_class;
  bound.length = length;
  bound.ulps = ulps;
  return bound;
}

class CompareDType : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(All, CompareDType,
                         testing::Values(DType::f8e4m3, DType::f8e5m2, DType::f16, DType::bf16, DType::f32,
                                         DType::f64),
                         [](const auto& instance) { return std::string(name_of(instance.param)); });

TEST_P(CompareDType, TheRoundedExpectationIsRightAndFourUlpsAreNot) {
  const DType dtype = GetParam();
  ErrorBound bound = of(ErrorClass::pointwise);
  if (dtype == DType::f64) bound.accumulate = DType::f64;
  std::mt19937_64 random(1);
  std::vector<double> expected, off;
  for (int i = 0; i < 3000; ++i)
    expected.push_back(
        std::ldexp(1 + std::generate_canonical<double, 53>(random), static_cast<int>(random() % 5)) *
        (random() % 2 ? 1 : -1));
  EXPECT_TRUE(check(dtype, expected, expected, bound).ok());
  EXPECT_LE(check(dtype, expected, expected, bound).worst_ratio, 0.51);
  for (const double e : expected) off.push_back(e * (1 + 10 * unit_roundoff(dtype)));
  const CompareResult wrong = check(dtype, expected, off, bound);
  EXPECT_EQ(wrong.n_bad, 3000);
  EXPECT_EQ(wrong.finding_kind(), "value_mismatch");
}

TEST_P(CompareDType, NaNIsNoJokerAndNoWildcard) {
  const DType dtype = GetParam();
  EXPECT_EQ(check(dtype, {1, 2, 3}, {1, kNan, 3}).finding_kind(), "nonfinite_mismatch");
  EXPECT_EQ(check(dtype, {1, kNan, 3}, {1, 2, 3}).finding_kind(), "nonfinite_mismatch");
  EXPECT_TRUE(check(dtype, {1, kNan, 3}, {1, kNan, 3}).ok());
}

TEST_P(CompareDType, InfinitiesNeedTheirSign) {
  const DType dtype = GetParam();
  if (dtype == DType::f8e4m3) return;  // has none
  EXPECT_TRUE(check(dtype, {kInf, -kInf}, {kInf, -kInf}).ok());
  EXPECT_EQ(check(dtype, {kInf, -kInf}, {-kInf, -kInf}).n_nonfinite, 1);
  EXPECT_EQ(check(dtype, {1, 1}, {kInf, 1}).n_nonfinite, 1);
  if (size_of(dtype) > 1) {
    EXPECT_EQ(check(dtype, {kInf}, {1}).n_nonfinite, 1);
  }
}

TEST_P(CompareDType, AtTheEdgeOfTheRangeBothRoundingsAreRight) {
  const DType dtype = GetParam();
  if (dtype == DType::f64) return;
  const double largest = largest_finite(dtype), threshold = overflow_threshold(dtype);
  EXPECT_TRUE(check(dtype, {threshold}, {threshold}).ok());              // rounds beyond
  EXPECT_TRUE(check(dtype, {threshold * 0.9999999}, {largest}).ok());    // rounds to the largest
  EXPECT_TRUE(check(dtype, {threshold * 0.9999999}, {threshold}).ok());  // one rounding off
  EXPECT_FALSE(check(dtype, {largest / 4}, {threshold * 2}).ok());
}

TEST_P(CompareDType, SubnormalsMayBeOffByTheLastPlace) {
  const DType dtype = GetParam();
  const double tiny = smallest_subnormal(dtype);
  EXPECT_TRUE(check(dtype, {tiny, 0}, {0, tiny}).ok());
  EXPECT_FALSE(check(dtype, {0}, {8 * tiny}).ok());
}

TEST(Compare, TheSignOfZeroCountsOnlyWhereAsked) {
  ErrorBound exact = of(ErrorClass::exact);
  EXPECT_TRUE(check(DType::f32, {0.0}, {-0.0}, exact).ok());
  exact.signed_zero = true;
  EXPECT_FALSE(check(DType::f32, {0.0}, {-0.0}, exact).ok());
}

TEST(Compare, ExactMeansTheRoundedExpectation) {
  const ErrorBound exact = of(ErrorClass::exact);
  EXPECT_TRUE(check(DType::f16, {0.1, kNan, 70000}, {0.1, kNan, kInf}, exact).ok());
  EXPECT_FALSE(check(DType::f32, {0.1}, {std::nextafterf(0.1F, 1)}, exact).ok());
  EXPECT_FALSE(check(DType::f32, {0.5}, {kNan}, exact).ok());
}

TEST(Compare, IntegersAndBoolsAreExact) {
  Wanted wanted(DType::i64, {2}, {0, 5});
  wanted.integers = {(std::int64_t{1} << 60) + 1, 5};  // beyond what doubles tell apart
  std::vector<std::int64_t> got = wanted.integers;
  EXPECT_TRUE(
      check(wanted, {std::as_bytes(std::span(got)).begin(), std::as_bytes(std::span(got)).end()}, {}).ok());
  ++got[0];
  const CompareResult wrong =
      check(wanted, {std::as_bytes(std::span(got)).begin(), std::as_bytes(std::span(got)).end()}, {});
  EXPECT_EQ(wrong.n_bad, 1);
  EXPECT_EQ(wrong.got, "1152921504606846978");
  Wanted truth(DType::b8, {3}, {1, 0, 1});
  EXPECT_TRUE(check(truth, encode(DType::b8, {1, 0, 1}), {}).ok());
  EXPECT_FALSE(check(truth, encode(DType::b8, {255, 0, 1}), {}).ok());  // the poison is not true
}

TEST(Compare, ALongSumMayErrByItsMagnitudeNotByItsValue) {
  Wanted wanted(DType::f32, {1}, {1e-3});  // large terms that cancel
  wanted.magnitude = {1e4};
  const ErrorBound bound = of(ErrorClass::reduction, 1 << 20);
  EXPECT_TRUE(check(wanted, encode(DType::f32, {0.5}), bound).ok());
  wanted.magnitude = {1e-3};
  EXPECT_FALSE(check(wanted, encode(DType::f32, {1.01e-3}), bound).ok());
}

TEST(Compare, OnePrecisionLowerIsRejected) {
  std::mt19937_64 random(3);
  for (const auto& [dtype, lower] : {std::pair(DType::f32, DType::f16), std::pair(DType::f32, DType::bf16)}) {
    Wanted wanted(dtype, {256}, {});
    std::vector<double> got;
    for (int i = 0; i < 256; ++i) {  // dot products of 64 factors near 1, whose last bits matter
      double exact = 0, low = 0, magnitude = 0;
      for (int k = 0; k < 64; ++k) {
        const double a = 1 + static_cast<double>(random() % 8) * 0x1p-12, b = random() % 2 ? 1 : -1;
        exact += a * b;
        low += round_to_dtype(a, lower) * b;
        magnitude += a;
      }
      wanted.values.push_back(exact);
      wanted.magnitude.push_back(magnitude);
      got.push_back(low);
    }
    const CompareResult result = check(wanted, encode(dtype, got), of(ErrorClass::dot, 64));
    EXPECT_GT(result.n_bad, 20) << name_of(lower);
  }
}

// f32 sums in the orders that kernels use stay well inside the bound: it must not reject honest work.
TEST(Compare, HonestSumsOfAnyOrderAreAccepted) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (const int n : {3, 100, 4096, 100'000}) {
    std::vector<float> terms(static_cast<std::size_t>(n));
    double exact = 0, magnitude = 0;
    for (float& t : terms) {
      t = static_cast<float>(normal(random));
      exact += t;
      magnitude += std::abs(static_cast<double>(t));
    }
    float forward = 0, blocks = 0;
    for (const float t : terms) forward += t;
    for (std::size_t b = 0; b < terms.size(); b += 128) {
      float part = 0;
      for (std::size_t i = b; i < std::min(b + 128, terms.size()); ++i) part += terms[i];
      blocks += part;
    }
    for (const float got : {forward, blocks}) {
      Wanted wanted(DType::f32, {}, {exact});
      wanted.magnitude = {magnitude};
      const CompareResult result = check(wanted, encode(DType::f32, {got}), of(ErrorClass::reduction, n));
      EXPECT_TRUE(result.ok()) << n;
      EXPECT_LT(result.worst_ratio, 0.5) << n;
    }
  }
}

TEST(Compare, WhereTheAccumulatorOverflowsNothingIsHeldAgainstTheKernel) {
  Wanted wanted(DType::f32, {2}, {0, 0});
  wanted.magnitude = {1e39, 1};
  CompareResult result = check(wanted, encode(DType::f32, {kNan, 0}), of(ErrorClass::reduction, 4));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.n_undetermined, 1);
  result = check(wanted, encode(DType::f32, {0, kNan}), of(ErrorClass::reduction, 4));
  EXPECT_FALSE(result.ok());
}

TEST(Compare, ComplexErrsByItsModulus) {
  EXPECT_TRUE(check(DType::c64, {1000, 1e-6}, {1000, 5e-5}).ok());  // 5e-5 of 1000 is below two roundings
  EXPECT_FALSE(check(DType::c64, {1000, 1e-6}, {1000, 5e-3}).ok());
  EXPECT_FALSE(check(DType::c64, {1, 2}, {2, 1}).ok());
  EXPECT_TRUE(check(DType::c64, {kInf, 1}, {kNan, kInf}).ok());  // an infinity, whichever part shows it
  EXPECT_FALSE(check(DType::c64, {kInf, 1}, {5, 1}).ok());
  EXPECT_FALSE(check(DType::c64, {1, 1}, {1, kNan}).ok());
}

TEST(Compare, QuantisedCodesMayBeOffByOneNowAndThen) {
  std::vector<double> expected(1000, 3.0), few(1000, 3.0), many(1000, 4.0), two(1000, 3.0);
  for (int i = 0; i < 5; ++i) few[static_cast<std::size_t>(i * 7)] = 4;
  two[17] = 5;
  const ErrorBound bound = of(ErrorClass::quantised);
  const CompareResult fine = check(DType::i8, expected, few, bound);
  EXPECT_TRUE(fine.ok());
  EXPECT_EQ(fine.n_off_by_one, 5);
  EXPECT_EQ(check(DType::i8, expected, many, bound).n_bad, 1000);
  EXPECT_EQ(check(DType::i8, expected, two, bound).n_bad, 1);
  Wanted between(DType::i8, {4}, {3.5, 200, -3.2, 0});
  between.output.kind = ValueKind::f64;
  EXPECT_TRUE(check(between, encode(DType::i8, {4, 127, -3, 0}), bound).ok());
  EXPECT_TRUE(check(between, encode(DType::i8, {3, 127, -3, 0}), bound).ok());
  EXPECT_FALSE(
      check(between, encode(DType::i8, {3, -56, -3, 0}), bound).ok());  // wrapped instead of saturated
  EXPECT_TRUE(check(DType::f8e4m3, {1000, 1.0}, {448, 1.0}, bound).ok());
  EXPECT_FALSE(check(DType::f8e4m3, {1.0, 1.0, 1.0}, {1.25, 1.25, 1.25}, bound).ok());
}

// What is right for one quotient that may lie `slack` off.
bool right_code(DType dtype, double quotient, double slack, double got) {
  Wanted wanted(dtype, {1}, {quotient});
  wanted.output.kind = ValueKind::f64;
  wanted.magnitude = {slack};
  ErrorBound bound = of(ErrorClass::quantised);
  bound.off_by_one = 1;  // says nothing where the reference tells the slack
  return check(wanted, encode(dtype, {got}), bound).ok();
}

TEST(Compare, WithSlackAnotherCodeIsRightBesideAMidpointAlone) {
  for (const double sign : {1.0, -1.0}) {
    EXPECT_TRUE(right_code(DType::i8, sign * 3.49, 0.02, sign * 3));
    EXPECT_TRUE(right_code(DType::i8, sign * 3.49, 0.02, sign * 4));
    EXPECT_FALSE(right_code(DType::i8, sign * 3.47, 0.02, sign * 4));
    EXPECT_TRUE(right_code(DType::i8, sign * 3.5, 0, sign * 3));  // the tie itself
    EXPECT_TRUE(right_code(DType::i8, sign * 3.5, 0, sign * 4));
    EXPECT_FALSE(right_code(DType::i8, sign * 3.49, 0, sign * 4));
    EXPECT_TRUE(right_code(DType::i8, sign * 10, 3.5, sign * 13));  // a wide slack reaches over several codes
    EXPECT_FALSE(right_code(DType::i8, sign * 10, 3.4, sign * 14));
    // e4m3: below 16 a code is 1 wide, from 16 on 2.
    EXPECT_TRUE(right_code(DType::f8e4m3, sign * 15.49, 0.02, sign * 16));
    EXPECT_FALSE(right_code(DType::f8e4m3, sign * 15.4, 0.02, sign * 16));
    EXPECT_TRUE(right_code(DType::f8e4m3, sign * 15.51, 0.02, sign * 15));
    EXPECT_FALSE(right_code(DType::f8e4m3, sign * 15.6, 0.02, sign * 15));
    EXPECT_TRUE(right_code(DType::f8e4m3, sign * 16.99, 0.02, sign * 18));
    EXPECT_FALSE(right_code(DType::f8e4m3, sign * 16.9, 0.02, sign * 18));
    EXPECT_TRUE(right_code(DType::f8e4m3, sign * 0.49 * 0x1p-9, 0.02 * 0x1p-9, sign * 0x1p-9));
    EXPECT_FALSE(right_code(DType::f8e4m3, sign * 0.4 * 0x1p-9, 0.02 * 0x1p-9, sign * 0x1p-9));
    EXPECT_TRUE(right_code(DType::f8e4m3, sign * 1000, 1e-5, sign * 448));
    EXPECT_FALSE(right_code(DType::f8e4m3, sign * 1000, 1e-5, sign * 416));
  }
  EXPECT_FALSE(right_code(DType::i8, 200, 1e-5, -56));  // wrapped instead of saturated
  EXPECT_TRUE(right_code(DType::u8, -3, 1e-5, 0));
  EXPECT_FALSE(right_code(DType::f8e4m3, 1, 1e-5, kNan));
  EXPECT_TRUE(right_code(DType::f8e4m3, kNan, 1e-5, kNan));
}

TEST(Compare, TiesMayBeBrokenAnyWayButNoElementTwice) {
  Wanted wanted(DType::i64, {4}, {1, 0, 2, 3});
  wanted.output.rule = "ties";
  wanted.source = {5, 5, 3, 1};
  wanted.output.source_shape = {4};
  wanted.output.dim = 0;
  const ErrorBound sorted = of(ErrorClass::sorted);
  EXPECT_TRUE(check(wanted, encode(DType::i64, {0, 1, 2, 3}), sorted).ok());
  EXPECT_FALSE(check(wanted, encode(DType::i64, {0, 0, 2, 3}), sorted).ok());
  EXPECT_FALSE(check(wanted, encode(DType::i64, {0, 1, 3, 2}), sorted).ok());
  EXPECT_FALSE(check(wanted, encode(DType::i64, {0, 1, 2, 4}), sorted).ok());
  EXPECT_FALSE(check(wanted, encode(DType::i64, {0, 1, 2, -1}), sorted).ok());
}

TEST(Compare, TiesOfAReductionAlongAMiddleDimension) {
  Wanted wanted(DType::i64, {2, 2}, {0, 1, 1, 0});  // argmax over dimension 1 of [2, 2, 2]
  wanted.output.rule = "ties";
  wanted.source = {7, 0, 7, 5, 1, 9, 2, 9};
  wanted.output.source_shape = {2, 2, 2};
  wanted.output.dim = 1;
  EXPECT_TRUE(check(wanted, encode(DType::i64, {1, 1, 1, 1}), of(ErrorClass::indices)).ok());
  EXPECT_FALSE(check(wanted, encode(DType::i64, {1, 0, 1, 1}), of(ErrorClass::indices)).ok());
}

TEST(Compare, UnorderedValuesAreAMultiset) {
  Wanted wanted(DType::f32, {2, 3}, {3, 1, 2, 6, 5, kNan});
  wanted.output.rule = "unordered";
  wanted.output.dim = 1;
  const ErrorBound sorted = of(ErrorClass::sorted);
  EXPECT_TRUE(check(wanted, encode(DType::f32, {1, 2, 3, kNan, 6, 5}), sorted).ok());
  EXPECT_FALSE(check(wanted, encode(DType::f32, {1, 2, 2, kNan, 6, 5}), sorted).ok());
  EXPECT_FALSE(check(wanted, encode(DType::f32, {1, 2, 6, kNan, 3, 5}), sorted).ok());
}

TEST(Compare, ThePublishedRuleIsOneConstant) {
  ErrorBound published = of(ErrorClass::reduction, 1 << 20);
  published.published = true;
  EXPECT_TRUE(check(DType::f32, {0.0}, {0.9e-4}, published).ok());
  EXPECT_FALSE(check(DType::f32, {0.0}, {1.1e-4}, published).ok());
  published.reduce_dim = 1000;
  EXPECT_TRUE(check(DType::f32, {0.0}, {0.09}, published).ok());
  EXPECT_TRUE(check(DType::bf16, {100.0}, {101.5}, published).ok());
}

TEST(Compare, RandomAndSkippedOutputsAreNotCompared) {
  EXPECT_EQ(check(DType::f32, {1}, {2}, of(ErrorClass::random)).count, 0);
  EXPECT_EQ(check(DType::f32, {1}, {2}, of(ErrorClass::metadata)).count, 0);
  Wanted wanted(DType::f32, {1}, {1});
  wanted.output.rule = "skip";
  EXPECT_TRUE(check(wanted, encode(DType::f32, {2}), {}).ok());
}

TEST(Compare, EmptyOutputsCompareNothing) {
  Wanted wanted(DType::f32, {0, 5}, {});
  const CompareResult result = check(wanted, {}, {});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.count, 0);
  EXPECT_EQ(result.worst_index, -1);
}

TEST(Compare, WhatDoesNotFitIsAnError) {
  Wanted wanted(DType::f32, {2}, {1, 2});
  EXPECT_FALSE(compare(encode(DType::f32, {1}), wanted.get(), {}).ok());
  wanted.output.rule = "guess";
  EXPECT_FALSE(compare(encode(DType::f32, {1, 2}), wanted.get(), {}).ok());
  wanted.output.rule = "ties";
  EXPECT_FALSE(compare(encode(DType::f32, {1, 2}), wanted.get(), {}).ok());
  wanted.output.rule = "";
  wanted.values.pop_back();
  EXPECT_FALSE(compare(encode(DType::f32, {1, 2}), wanted.get(), {}).ok());
}

TEST(Compare, TheWorstElementOfManyIsNamed) {
  std::vector<double> expected(5000), got;
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 1 + static_cast<double>(i);
  got = expected;
  got[4321] *= 1.5;
  got[99] *= 1.1;
  Wanted wanted(DType::f32, {50, 100}, expected);
  const CompareResult result = check(wanted, encode(DType::f32, got), {});
  EXPECT_EQ(result.n_bad, 2);
  EXPECT_EQ(result.worst_index, 4321);
  EXPECT_EQ(result.worst_at, "[43,21]");
  EXPECT_EQ(result.expected, "4322");
  EXPECT_EQ(result.got, "6483");
  EXPECT_GT(result.worst_ratio, 1e5);
}

TEST(Compare, TheWorstOfTheRightOnesIsKnownToo) {
  std::vector<double> expected(5000, 1), got(5000, 1);
  got[3000] = 1 + 0x1p-23;
  const CompareResult result = check(DType::f32, expected, got);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.worst_index, 3000);
  EXPECT_NEAR(result.worst_ratio, 0.5, 0.01);
}

std::string pattern(DType dtype, std::vector<std::int64_t> shape, const std::vector<double>& expected,
                    const std::vector<double>& got, CompareOptions options = {}) {
  Wanted wanted(dtype, std::move(shape), expected);
  return check(wanted, encode(dtype, got), {}, options).pattern;
}

TEST(ComparePattern, SaysWhereAndWhat) {
  std::vector<double> expected(60);
  for (std::size_t i = 0; i < 60; ++i) expected[i] = 1 + static_cast<double>(i * i % 17);
  auto got = expected;
  for (std::size_t r = 0; r < 6; ++r)
    for (std::size_t c = 7; c < 10; ++c) got[10 * r + c] = 0;
  EXPECT_EQ(pattern(DType::f32, {6, 10}, expected, got), "every row: the last 3 of 10 elements: all zero");
  got = expected;
  std::fill(got.begin() + 40, got.end(), kNan);
  EXPECT_EQ(pattern(DType::f32, {6, 10}, expected, got), "the last 2 of 6 rows: NaN where none is due");
  got = expected;
  std::fill(got.begin() + 45, got.end(), 7777);
  EXPECT_EQ(pattern(DType::f32, {60}, expected, got), "the last 15 of 60 elements: all the same value 7777");
  for (std::size_t i = 0; i < 60; ++i) got[i] = 2 * expected[i];
  EXPECT_EQ(pattern(DType::f32, {60}, expected, got), "all 60 elements: 2 times the expected value");
  for (std::size_t i = 0; i < 60; ++i) got[i] = -expected[i];
  EXPECT_EQ(pattern(DType::f32, {60}, expected, got), "all 60 elements: the sign is wrong");
  for (std::size_t i = 0; i < 60; ++i) got[(i % 10) * 6 + i / 10] = expected[i];
  EXPECT_NE(pattern(DType::f32, {6, 10}, expected, got).find("transposed"), std::string::npos);
  for (std::size_t i = 0; i < 60; ++i) got[i] = expected[std::min<std::size_t>(i + 1, 59)];
  EXPECT_NE(pattern(DType::f32, {60}, expected, got).find("shifted"), std::string::npos);
  for (std::size_t i = 0; i < 60; ++i) got[i] = round_to_dtype(expected[i] + 0.3, DType::f16);
  for (std::size_t i = 0; i < 60; ++i) expected[i] += 0.3;
  EXPECT_NE(pattern(DType::f32, {60}, expected, got).find("tf32 or f16"), std::string::npos);
}

TEST(ComparePattern, NamesThePoison) {
  const std::vector<double> expected{1, 2, 3, 4};
  auto bytes = encode(DType::f32, expected);
  std::fill(bytes.begin() + 8, bytes.end(), std::byte{0x7B});
  Wanted wanted(DType::f32, {4}, expected);
  const CompareResult result = check(wanted, bytes, {}, {std::byte{0x7B}});
  EXPECT_EQ(result.finding_kind(), "uninitialised_output");
  EXPECT_EQ(result.pattern, "the last 2 of 4 elements: never written (still the poison)");
}

}  // namespace
}  // namespace kgb
