// SPDX-License-Identifier: Apache-2.0
// Statistics of random operators: honest samplers pass, each kind of fake is found.
#include "judge/random_check.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kgb {
namespace {

constexpr std::size_t kElements = 20000;

struct Bernoulli {
  explicit Bernoulli(double p, std::size_t n = kElements) : means(n, p), variances(n, p * (1 - p)) {}
  std::vector<double> sample(unsigned seed) const {
    std::mt19937 random(seed);
    std::vector<double> values;
    for (const double p : means) values.push_back(std::bernoulli_distribution(p)(random) ? 1 : 0);
    return values;
  }
  std::vector<double> means, variances;
};

TEST(RandomCheck, AcceptsHonestSamplers) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Bernoulli law(0.3);
    RandomCheck check;
    const auto first = law.sample(2 * seed), second = law.sample(2 * seed + 1);
    check.add(first, law.means, law.variances);
    check.add(second, law.means, law.variances);
    check.add_pair(first, second, law.means, law.variances);
    EXPECT_EQ(check.verdict(), std::nullopt) << seed;
  }
}

TEST(RandomCheck, FindsAWrongRate) {
  const Bernoulli law(0.3), other(0.27);
  RandomCheck check;
  check.add(other.sample(1), law.means, law.variances);
  ASSERT_TRUE(check.verdict().has_value());
  EXPECT_EQ(check.verdict()->substr(0, 8), "the mean");
}

TEST(RandomCheck, FindsAnAlternatingMask) {
  const Bernoulli law(0.5);
  std::vector<double> values;
  for (std::size_t i = 0; i < kElements; ++i) values.push_back(i % 2 == 0 ? 1 : 0);
  RandomCheck check;
  check.add(values, law.means, law.variances);
  ASSERT_TRUE(check.verdict().has_value());
  EXPECT_EQ(check.verdict()->substr(0, 11), "neighbourin");
}

TEST(RandomCheck, FindsARepeatedMask) {
  const Bernoulli law(0.5);
  const auto values = law.sample(3);
  RandomCheck check;
  check.add(values, law.means, law.variances);
  check.add_pair(values, values, law.means, law.variances);
  EXPECT_EQ(check.verdict(), "two calls that must be independent gave the same output");
}

TEST(RandomCheck, FindsCorrelatedCalls) {
  const Bernoulli law(0.5);
  const auto first = law.sample(4);
  auto second = law.sample(5);
  for (std::size_t i = 0; i < kElements; i += 4) second[i] = first[i];
  RandomCheck check;
  check.add_pair(first, second, law.means, law.variances);
  ASSERT_TRUE(check.verdict().has_value());
  EXPECT_EQ(check.verdict()->substr(0, 17), "independent calls");
}

TEST(RandomCheck, HoldsCertainElementsToTheirValue) {
  const Bernoulli certain(1.0, 10);
  RandomCheck check;
  check.add(std::vector<double>(10, 0.0), certain.means, certain.variances);
  EXPECT_EQ(check.verdict(), "10 elements are not random (probability 0 or 1) and have the wrong value");
}

// Exponential samples of a uniform number with so many random bits.
std::vector<double> exponential(int bits, std::size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> samples(n);
  for (double& sample : samples)
    sample = -std::log((static_cast<double>(random() >> (64 - bits)) + 0.5) * std::ldexp(1.0, -bits));
  return samples;
}

TEST(RandomCheck, FindsSamplesInF64OfAnF32) {
  RandomCheck check;
  check.add_fine(exponential(24, 60'000, 1));  // some 107 repeat
  ASSERT_TRUE(check.verdict().has_value());
  EXPECT_EQ(check.verdict()->substr(0, 19), "too few random bits");
}

TEST(RandomCheck, AddsUpRepeatsOverOutputs) {
  RandomCheck one, many;
  one.add_fine(exponential(24, 9'000, 0));  // some 2 repeat: no proof
  for (unsigned seed = 0; seed < 12; ++seed) many.add_fine(exponential(24, 9'000, seed));
  EXPECT_EQ(one.verdict(), std::nullopt);
  EXPECT_TRUE(many.verdict().has_value());
}

TEST(RandomCheck, TakesThirtyTwoRandomBitsForEnough) {
  for (unsigned seed = 0; seed < 20; ++seed)
    for (const int bits : {32, 53}) {
      RandomCheck check;
      check.add_fine(exponential(bits, 200'000, seed));  // of 32 bits some 4.7 repeat
      EXPECT_EQ(check.verdict(), std::nullopt) << bits << " bits, seed " << seed;
    }
}

TEST(RandomCheck, SaysNothingOfTooFewElements) {
  const Bernoulli law(0.5, 20);
  RandomCheck check;
  check.add(std::vector<double>(20, 1.0), law.means, law.variances);
  EXPECT_EQ(check.verdict(), std::nullopt);
}

}  // namespace
}  // namespace kgb
