// SPDX-License-Identifier: Apache-2.0
// Statistics for random operators: never one library's stream, but rate, independence, reproducibility.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kgb {

// Every test has a false-alarm rate of at most this; its z limit is 4.8916 (two-sided normal).
inline constexpr double kRandomFalseAlarm = 1e-6;

// Samples of one output against the mean and variance that the oracle expects of each element. Elements with
// variance 0 must equal their mean. Collects over calls and workloads, then tests sums: with n independent
// elements (sum x - sum mean) / sqrt(sum var) is close to normal; by Berry-Esseen that holds well for sum var
// above 25.
class RandomCheck {
 public:
  // `values`, `means`, `variances`: n elements each.
  void add(std::span<const double> values, std::span<const double> means, std::span<const double> variances);
  // Two outputs of the same workload that must be independent: calls 1 and 2, or two seeds.
  void add_pair(std::span<const double> first, std::span<const double> second, std::span<const double> means,
                std::span<const double> variances);

  // Values that are uniform on (0, 1) when the sampler is right; those of variance 0 are left out.
  void add_spread(std::span<const double> values, std::span<const double> variances);

  // Samples of a continuous law in f64, all of one output and with the same parameters: how often values
  // repeat tells how many random bits there are. 32 are enough; those of an f32 are not.
  void add_fine(std::vector<double> samples);

  // The first test that fails, as a sentence.
  [[nodiscard]] std::optional<std::string> verdict() const;
  [[nodiscard]] std::int64_t elements() const { return elements_; }

 private:
  std::int64_t elements_ = 0, fixed_wrong_ = 0, identical_pairs_ = 0;
  double sum_deviation_ = 0, sum_variance_ = 0;  // rate
  double serial_ = 0, serial_variance_ = 0;      // neighbours within one output
  std::vector<double> spread_;
  double cross_ = 0, cross_variance_ = 0;  // the same element in two outputs
  std::int64_t repeated_ = 0;              // values that came before, in outputs where none should
  double repeats_expected_ = 0;            // of 32 random bits
};

}  // namespace kgb
