// SPDX-License-Identifier: Apache-2.0
// Medians with distribution-free confidence intervals from order statistics.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kgb {

// Middle value; the mean of the two middle ones for even counts. NaN for no values.
[[nodiscard]] double median(std::vector<double> values);

struct Interval {
  double estimate = 0, low = 0, high = 0;
};

// Median with an interval that covers the true median with at least `confidence`, whatever the distribution:
// the smallest symmetric pair of order statistics whose binomial(n, 1/2) probability is enough (David &
// Nagaraja, Order Statistics, 3rd ed., section 7.1). nullopt when n is too small for that confidence (95 %: n
// < 6).
[[nodiscard]] std::optional<Interval> median_interval(std::vector<double> values, double confidence = 0.95);

// What a speedup's interval says. `margin`: differences below it are of no interest (0.02 = 2 %).
enum class SpeedCall { faster, same, slower, cannot_tell };
[[nodiscard]] SpeedCall call_of(const Interval& ratio, double margin);
[[nodiscard]] std::string name_of(SpeedCall call);

}  // namespace kgb
