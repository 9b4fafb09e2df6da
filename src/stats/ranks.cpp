// SPDX-License-Identifier: Apache-2.0
// Rank correlation with ties.
#include "stats/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stats/random.hpp"

namespace kgb {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kAllPairings = 8;
constexpr int kDrawnPairings = 10'000;

double pearson(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const double x_mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double y_mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    yy += (y[i] - y_mean) * (y[i] - y_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kNone;
}

int sign(double value) {
  return (value > 0 ? 1 : 0) - (value < 0 ? 1 : 0);
}

}  // namespace

std::vector<double> mean_ranks(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]]) ++last;
    for (std::size_t i = first; i <= last; ++i) ranks[order[i]] = 0.5 * static_cast<double>(first + last) + 1;
    first = last + 1;
  }
  return ranks;
}

double spearman(std::span<const double> x, std::span<const double> y) {
  return pearson(mean_ranks(x), mean_ranks(y));
}

double kendall_tau_b(std::span<const double> x, std::span<const double> y) {
  std::int64_t both = 0, x_pairs = 0, y_pairs = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const int a = sign(x[i] - x[j]), b = sign(y[i] - y[j]);
      both += a * b;
      x_pairs += a * a;
      y_pairs += b * b;
    }
  if (x_pairs == 0 || y_pairs == 0) return kNone;
  return static_cast<double>(both) / std::sqrt(static_cast<double>(x_pairs) * static_cast<double>(y_pairs));
}

double spearman_p(std::span<const double> x, std::span<const double> y, std::uint64_t seed) {
  const std::vector<double> x_ranks = mean_ranks(x);
  std::vector<double> y_ranks = mean_ranks(y);
  const double seen = std::abs(pearson(x_ranks, y_ranks));
  if (std::isnan(seen)) return kNone;
  // Equal correlations may differ in the last bits, summed in another order.
  const auto extreme = [&] { return std::abs(pearson(x_ranks, y_ranks)) >= seen - 1e-9 ? 1 : 0; };
  std::int64_t hits = 0, pairings = 0;
  if (x.size() <= kAllPairings) {
    std::sort(y_ranks.begin(), y_ranks.end());
    do {
      hits += extreme();
      ++pairings;
    } while (std::next_permutation(y_ranks.begin(), y_ranks.end()));
    return static_cast<double>(hits) / static_cast<double>(pairings);
  }
  Draws draws(seed);
  for (; pairings < kDrawnPairings; ++pairings) {
    for (std::size_t i = y_ranks.size(); i > 1; --i)
      std::swap(y_ranks[i - 1], y_ranks[draws.below(static_cast<std::uint32_t>(i))]);
    hits += extreme();
  }
  return static_cast<double>(hits + 1) / static_cast<double>(pairings + 1);
}

}  // namespace kgb
