// SPDX-License-Identifier: Apache-2.0
// Samples of every law become uniform; wrong laws, impossible values and lost precision do not pass.
#include "judge/random_law.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "model/element.hpp"

namespace kgb {
namespace {

constexpr std::size_t kSamples = 100'000;
using Random = std::mt19937_64;

std::vector<double> drawn(const std::function<double(Random&)>& next, unsigned seed = 1) {
  Random random(seed);
  std::vector<double> values(kSamples);
  for (double& v : values) v = next(random);
  return values;
}

Standardised standard(Law law, const std::vector<double>& samples, double a, double b = 0,
                      DType dtype = DType::f32) {
  return standardise(law, samples, std::vector<double>(samples.size(), a),
                     std::vector<double>(samples.size(), b), dtype);
}

double mean_of(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / v.size();
}

void expect_uniform(const Standardised& s) {
  EXPECT_FALSE(s.impossible) << *s.impossible;
  EXPECT_NEAR(mean_of(s.values), 0.5, 5 * std::sqrt(1.0 / 12 / kSamples));
  EXPECT_LT(uniformity_z(s.values), 4.9);
}

TEST(RandomLaw, RightSamplesBecomeUniform) {
  expect_uniform(standard(Law::uniform, drawn(std::uniform_real_distribution<>(-2, 3)), -2, 3));
  expect_uniform(standard(Law::exponential, drawn(std::exponential_distribution<>(2.5)), 2.5));
  for (const double rate : {0.1, 1.0, 7.5, 90.0, 900.0})
    expect_uniform(standard(Law::poisson, drawn(std::poisson_distribution<>(rate)), rate));
}

TEST(RandomLaw, RoundingToSixteenBitsIsNoFault) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const auto round = [dtype](std::vector<double> v) {
      for (double& x : v) x = round_to_dtype(x, dtype);
      return v;
    };
    expect_uniform(standard(Law::uniform, round(drawn(std::uniform_real_distribution<>(0.125, 1.0 / 3))),
                            0.125, 1.0 / 3, dtype));
    expect_uniform(standard(Law::exponential, round(drawn(std::exponential_distribution<>(1))), 1, 0, dtype));
  }
}

TEST(RandomLaw, AnotherLawIsTold) {
  // Half-normal of the same mean; a uniform in place of Poisson; a rate that is 3 % off.
  const auto half_normal =
      drawn([](Random& r) { return std::abs(std::normal_distribution<>(0, 1.2533)(r)); });
  EXPECT_GT(uniformity_z(standard(Law::exponential, half_normal, 1).values), 4.9);
  const auto flat = drawn([](Random& r) { return std::uniform_int_distribution<>(0, 8)(r); });
  EXPECT_GT(uniformity_z(standard(Law::poisson, flat, 4).values), 4.9);
  const auto slow = standard(Law::exponential, drawn(std::exponential_distribution<>(1.03)), 1);
  EXPECT_LT(mean_of(slow.values), 0.5 - 5 * std::sqrt(1.0 / 12 / kSamples));
}

TEST(RandomLaw, ImpossibleValuesAreNamed) {
  EXPECT_TRUE(standard(Law::bernoulli, {0, 1, 0.5}, 0.5).impossible);
  EXPECT_TRUE(standard(Law::uniform, {0.5, 1.5}, 0, 1).impossible);
  EXPECT_TRUE(standard(Law::uniform, {NAN}, 0, 1).impossible);
  EXPECT_TRUE(standard(Law::exponential, {1, -0.5}, 1).impossible);
  EXPECT_TRUE(standard(Law::exponential, {0.0}, 1).impossible);
  EXPECT_TRUE(standard(Law::exponential, {INFINITY}, 1).impossible);
  EXPECT_TRUE(standard(Law::poisson, {1.5}, 3).impossible);
  EXPECT_TRUE(standard(Law::poisson, {-1}, 3).impossible);
  EXPECT_FALSE(standard(Law::poisson, {1e30}, 3).impossible);  // absurd, but an integer: the spread tells
}

TEST(RandomLaw, ElementsWithoutFreedomMustBeTheirMean) {
  const Standardised fixed = standard(Law::uniform, {0.25, 0.5}, 0.25, 0.25);
  EXPECT_EQ(fixed.variances, (std::vector<double>{0, 0}));
  EXPECT_EQ(fixed.values[0], fixed.means[0]);
  EXPECT_NE(fixed.values[1], fixed.means[1]);
  EXPECT_EQ(standard(Law::poisson, {0}, 0).variances[0], 0);
}

TEST(RandomLaw, FewSamplesSayNothingOfTheShape) {
  EXPECT_EQ(uniformity_z(std::vector<double>(639, 0.5)), 0);
  EXPECT_GT(uniformity_z(std::vector<double>(640, 0.5)), 4.9);
}

}  // namespace
}  // namespace kgb
