// SPDX-License-Identifier: Apache-2.0
// Shares of successes, and pass@k.
#include "stats/proportion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/normal.hpp"

namespace kgb {

Interval wilson(std::int64_t successes, std::int64_t n, double confidence) {
  if (n <= 0) return {std::numeric_limits<double>::quiet_NaN(), 0, 1};
  const double trials = static_cast<double>(n), share = static_cast<double>(successes) / trials;
  const double z = normal_quantile(0.5 + confidence / 2);
  const double shrink = 1 + z * z / trials;
  const double middle = (share + z * z / (2 * trials)) / shrink;
  const double half = z * std::sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials)) / shrink;
  // At the ends the bound is 0 or 1 exactly; rounding must not move it.
  return {share, successes == 0 ? 0 : std::max(0.0, middle - half),
          successes == n ? 1 : std::min(1.0, middle + half)};
}

double pass_at_k(std::int64_t n, std::int64_t passed, std::int64_t k) {
  if (n - passed < k) return 1;
  double none = 1;  // the product form: C(n, k) itself overflows
  for (std::int64_t i = n - passed + 1; i <= n; ++i)
    none *= 1 - static_cast<double>(k) / static_cast<double>(i);
  return 1 - none;
}

bool union_at_k(const std::vector<bool>& passed, std::int64_t k) {
  const auto first = std::min<std::int64_t>(k, static_cast<std::int64_t>(passed.size()));
  return std::find(passed.begin(), passed.begin() + first, true) != passed.begin() + first;
}

}  // namespace kgb
