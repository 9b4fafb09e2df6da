// SPDX-License-Identifier: Apache-2.0
// When wrong elements are said to look like a computation in a lower precision.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "model/compare.hpp"
#include "model/element.hpp"

namespace kgb {
namespace {

// What is said of an output of f32 with these values.
std::string words_for(const std::vector<double>& expected, const std::vector<double>& got) {
  ExpectedOutput output;
  output.path = "return";
  output.dtype = DType::f32;
  output.shape = {static_cast<std::int64_t>(expected.size())};
  output.kind = ValueKind::f64;
  output.value = std::as_bytes(std::span(expected));
  const std::vector<float> floats(got.begin(), got.end());
  const auto result = compare(std::as_bytes(std::span(floats)), output, {});
  return result.ok() ? result->pattern : result.error().message;
}

// Values of both signs without a simple ratio to each other.
std::vector<double> wave(std::size_t n) {
  std::vector<double> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = std::sin(0.7 + 1.3 * static_cast<double>(i)) + 0.01;
  return values;
}

std::vector<double> rounded(std::vector<double> values, DType dtype) {
  for (double& value : values) value = round_to_dtype(value, dtype);
  return values;
}

TEST(ComparePattern, ALowerPrecisionErrsInNearlyAllElementsAndToBothSides) {
  const auto expected = wave(60);
  const std::string said = "all 60 elements: small errors, as if computed in ";
  EXPECT_EQ(words_for(expected, rounded(expected, DType::bf16)), said + "bf16");
  EXPECT_EQ(words_for(expected, rounded(expected, DType::f16)), said + "tf32 or f16");
}

TEST(ComparePattern, ALostTermIsNoLowerPrecisionHoweverSmallItIs) {
  const auto expected = wave(60);
  const auto all_but = [&](auto&& wrong) {
    auto got = expected;
    for (std::size_t i = 0; i < got.size(); ++i) got[i] = wrong(i, got[i]);
    return words_for(expected, got);
  };
  // Without the epsilon of a norm: away from zero, by another factor in each row.
  EXPECT_EQ(all_but([](std::size_t i, double v) { return v * (1 + 1e-4 * static_cast<double>(1 + i / 10)); }),
            "all 60 elements");
  // Without a bias: each too small.
  EXPECT_EQ(all_but([](std::size_t, double v) { return v - 1e-4 * (1 + std::abs(v)); }), "all 60 elements");
  // Without a term that some elements have.
  EXPECT_EQ(
      all_but([](std::size_t i, double v) { return i % 3 == 0 ? v * (i % 2 == 0 ? 1.001 : 0.999) : v; }),
      "20 of 60 elements");
}

TEST(ComparePattern, NoLowerPrecisionMakesNaN) {
  const auto expected = wave(60'000);
  auto got = rounded(expected, DType::bf16);
  got.back() =
      std::numeric_limits<double>::quiet_NaN();  // behind all elements that a sample of wrong ones holds
  EXPECT_EQ(words_for(expected, got).find("as if computed"), std::string::npos);
}

}  // namespace
}  // namespace kgb
