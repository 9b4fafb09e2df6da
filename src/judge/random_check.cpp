// SPDX-License-Identifier: Apache-2.0
// Sums of deviations and of their products: for independent elements each is nearly normal with known
// variance.
#include "judge/random_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "judge/random_law.hpp"

namespace kgb {
namespace {

constexpr double kLimit = 4.8916;       // two-sided 1e-6
constexpr double kEnoughVariance = 25;  // below it the sums are not yet normal and are not tested

std::optional<double> z_of(double sum, double variance) {
  if (variance < kEnoughVariance) return std::nullopt;
  return sum / std::sqrt(variance);
}

// A count that a Poisson law of this mean reaches with a probability of at most 1e-6: Bernstein's inequality,
// P(X >= m + t) <= exp(-t^2 / (2 (m + t / 3))) (Boucheron, Lugosi and Massart, Concentration Inequalities,
// 2013, section 2.8).
std::int64_t too_many(double mean) {
  const double l = -std::log(kRandomFalseAlarm);
  return static_cast<std::int64_t>(std::ceil(mean + l / 3 + std::sqrt(l * l / 9 + 2 * l * mean)));
}

}  // namespace

void RandomCheck::add(std::span<const double> values, std::span<const double> means,
                      std::span<const double> variances) {
  double previous = 0, previous_variance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double deviation = values[i] - means[i];
    if (variances[i] == 0) {
      fixed_wrong_ += deviation == 0 ? 0 : 1;
      continue;
    }
    sum_deviation_ += deviation;
    sum_variance_ += variances[i];
    serial_ += deviation * previous;
    serial_variance_ += variances[i] * previous_variance;
    previous = deviation;
    previous_variance = variances[i];
  }
  elements_ += static_cast<std::int64_t>(values.size());
}

void RandomCheck::add_pair(std::span<const double> first, std::span<const double> second,
                           std::span<const double> means, std::span<const double> variances) {
  double free_variance = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    cross_ += (first[i] - means[i]) * (second[i] - means[i]);
    cross_variance_ += variances[i] * variances[i];
    free_variance += variances[i];
  }
  // Equal outputs are a coincidence only while few elements are free: with variance v an element agrees with
  // probability 1 - 2v (two values), so 40 units of variance leave less than 1e-6.
  if (free_variance >= 40 && std::equal(first.begin(), first.end(), second.begin())) ++identical_pairs_;
}

void RandomCheck::add_spread(std::span<const double> values, std::span<const double> variances) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (variances[i] > 0) spread_.push_back(values[i]);
}

void RandomCheck::add_fine(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  for (std::size_t i = 1; i < samples.size(); ++i) repeated_ += samples[i] == samples[i - 1] ? 1 : 0;
  const auto n = static_cast<double>(samples.size());
  repeats_expected_ += n * n / 2 * 0x1p-32;  // pairs, each alike with probability 2^-32
}

std::optional<std::string> RandomCheck::verdict() const {
  if (fixed_wrong_ > 0)
    return fmt::format("{} elements are not random (probability 0 or 1) and have the wrong value",
                       fixed_wrong_);
  if (identical_pairs_ > 0) return "two calls that must be independent gave the same output";
  struct Test {
    const char* what;
    double sum, variance;
  };
  for (const Test& test : {Test{"the mean", sum_deviation_, sum_variance_},
                           Test{"neighbouring elements", serial_, serial_variance_},
                           Test{"independent calls", cross_, cross_variance_}}) {
    const std::optional<double> z = z_of(test.sum, test.variance);
    if (z && std::abs(*z) > kLimit)
      return fmt::format("{}: {:.1f} standard deviations from what independent samples give (limit {:.2f})",
                         test.what, *z, kLimit);
  }
  if (const double z = uniformity_z(spread_); z > kLimit)
    return fmt::format(
        "the shape of the distribution: {:.1f} standard deviations beyond what right samples give (limit "
        "{:.2f})",
        z, kLimit);
  if (const std::int64_t limit = too_many(repeats_expected_); repeated_ >= limit)
    return fmt::format(
        "too few random bits: {} samples in f64 repeat an earlier one, where 32 bits give fewer than {}",
        repeated_, limit);
  return std::nullopt;
}

}  // namespace kgb
