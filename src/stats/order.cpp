// SPDX-License-Identifier: Apache-2.0
// Order statistics.
#include "stats/order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kgb {
namespace {

// log of the binomial(n, 1/2) probability of k.
double log_binomial_half(std::size_t n, std::size_t k) {
  const auto real = [](std::size_t x) { return static_cast<double>(x); };
  return std::lgamma(real(n) + 1) - std::lgamma(real(k) + 1) - std::lgamma(real(n - k) + 1) -
         real(n) * std::log(2.0);
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

std::optional<Interval> median_interval(std::vector<double> values, double confidence) {
  const std::size_t n = values.size();
  if (n == 0) return std::nullopt;
  std::sort(values.begin(), values.end());
  // The pair (d, n-1-d), counted from 0, misses the median with probability 2 P(X <= d).
  double miss = 0;
  std::optional<std::size_t> best;
  for (std::size_t d = 0; d < n / 2; ++d) {
    miss += 2 * std::exp(log_binomial_half(n, d));
    if (miss > 1 - confidence) break;
    best = d;
  }
  if (!best) return std::nullopt;
  const std::size_t half = n / 2;
  const double middle = n % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
  return Interval{middle, values[*best], values[n - 1 - *best]};
}

SpeedCall call_of(const Interval& ratio, double margin) {
  if (ratio.low > 1 + margin) return SpeedCall::faster;
  if (ratio.high < 1 - margin) return SpeedCall::slower;
  if (ratio.low >= 1 - margin && ratio.high <= 1 + margin) return SpeedCall::same;
  return SpeedCall::cannot_tell;
}

std::string name_of(SpeedCall call) {
  switch (call) {
    case SpeedCall::faster:
      return "faster";
    case SpeedCall::same:
      return "same";
    case SpeedCall::slower:
      return "slower";
    case SpeedCall::cannot_tell:
      break;
  }
  return "cannot tell";
}

}  // namespace kgb
