// SPDX-License-Identifier: Apache-2.0
// The standard normal distribution over the C library's erfc.
#include "stats/normal.hpp"

#include <cmath>
#include <limits>

namespace kgb {

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

double normal_quantile(double probability) {
  if (probability <= 0) return -std::numeric_limits<double>::infinity();
  if (probability >= 1) return std::numeric_limits<double>::infinity();
  if (probability > 0.5) return -normal_quantile(1 - probability);
  // Halving is slow and cannot miss; the small tail keeps its relative accuracy, since erfc does.
  double low = -40, high = 0;
  for (int step = 0; step < 100 && low < high; ++step) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (normal_cdf(middle) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace kgb
