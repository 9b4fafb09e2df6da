// SPDX-License-Identifier: Apache-2.0
// McNemar, Wilcoxon and Holm.
#include "stats/paired.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/ranks.hpp"

namespace kgb {

double mcnemar_exact(std::int64_t first, std::int64_t second) {
  const std::int64_t n = first + second, fewer = std::min(first, second);
  if (first == second) return 1;
  const auto log_factorial = [](std::int64_t x) { return std::lgamma(static_cast<double>(x) + 1); };
  double tail = 0;  // P(X <= fewer), X binomial(n, 1/2)
  for (std::int64_t k = 0; k <= fewer; ++k)
    tail += std::exp(log_factorial(n) - log_factorial(k) - log_factorial(n - k) -
                     static_cast<double>(n) * std::log(2.0));
  return std::min(1.0, 2 * tail);
}

double signed_rank(std::span<const double> differences) {
  std::vector<double> sizes;
  std::vector<bool> positive;
  for (const double difference : differences) {
    if (difference == 0) continue;
    sizes.push_back(std::abs(difference));
    positive.push_back(difference > 0);
  }
  if (sizes.empty()) return 1;
  // Mean ranks are halves at worst: twice a rank is whole, and sums of them can be counted.
  std::vector<std::size_t> twice;
  for (const double rank : mean_ranks(sizes))
    twice.push_back(static_cast<std::size_t>(std::lround(2 * rank)));
  const std::size_t most = std::accumulate(twice.begin(), twice.end(), std::size_t{0});
  std::size_t seen = 0;
  for (std::size_t i = 0; i < twice.size(); ++i) seen += positive[i] ? twice[i] : 0;
  // Chance of each sum of positive ranks when every sign is a fair coin.
  std::vector<double> chance(most + 1, 0.0);
  chance[0] = 1;
  std::size_t reached = 0;
  for (const std::size_t rank : twice) {
    reached += rank;
    for (std::size_t sum = reached + 1; sum-- > 0;)
      chance[sum] = 0.5 * (chance[sum] + (sum >= rank ? chance[sum - rank] : 0));
  }
  const std::size_t fewer = std::min(seen, most - seen);
  double tail = 0;
  for (std::size_t sum = 0; sum <= fewer; ++sum) tail += chance[sum];
  return std::min(1.0, 2 * tail);
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, static_cast<double>(p.size() - i) * p[order[i]]));
    corrected[order[i]] = largest;
  }
  return corrected;
}

}  // namespace kgb
