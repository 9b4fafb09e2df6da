// SPDX-License-Identifier: Apache-2.0
// BCa intervals over resampled units.
#include "stats/bootstrap.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "stats/normal.hpp"
#include "stats/random.hpp"

namespace kgb {
namespace {

// Below, resamples repeat each other too much; an interval of 95 % from order statistics begins here, too.
constexpr std::size_t kFewestUnits = 6;

// Share of sorted values below `value`; ties count half.
double share_below(const std::vector<double>& sorted, double value) {
  const auto [first, last] = std::equal_range(sorted.begin(), sorted.end(), value);
  const auto below = static_cast<double>(first - sorted.begin());
  return (below + 0.5 * static_cast<double>(last - first)) / static_cast<double>(sorted.size());
}

// Linear between neighbours, as most programs do it (Hyndman & Fan 1996, type 7).
double quantile(const std::vector<double>& sorted, double probability) {
  const double place = probability * static_cast<double>(sorted.size() - 1);
  const auto at = static_cast<std::size_t>(std::floor(place));
  const std::size_t next = std::min(at + 1, sorted.size() - 1);
  return sorted[at] + (place - std::floor(place)) * (sorted[next] - sorted[at]);
}

// Skew of the figure, from leaving out one unit after another.
double acceleration(std::size_t n, const Statistic& statistic) {
  std::vector<std::size_t> units(n - 1);
  std::iota(units.begin(), units.end(), std::size_t{1});
  std::vector<double> without(n);
  for (std::size_t left_out = 0; left_out < n; ++left_out) {
    without[left_out] = statistic(units);
    if (left_out + 1 < n) units[left_out] = left_out;
  }
  const double middle = mean(without);
  double square = 0, cube = 0;
  for (const double value : without) {
    square += (middle - value) * (middle - value);
    cube += (middle - value) * (middle - value) * (middle - value);
  }
  return square > 0 ? cube / (6 * std::pow(square, 1.5)) : std::numeric_limits<double>::quiet_NaN();
}

std::vector<double> resampled(std::size_t n, const Statistic& statistic, const BootstrapOptions& options) {
  Draws draws(options.seed);
  std::vector<std::size_t> units(n);
  std::vector<double> figures(static_cast<std::size_t>(options.resamples));
  for (double& figure : figures) {
    for (std::size_t& unit : units) unit = draws.below(static_cast<std::uint32_t>(n));
    figure = statistic(units);
  }
  return figures;
}

}  // namespace

double mean(std::span<const double> values) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::optional<Interval> bootstrap(std::size_t n, const Statistic& statistic,
                                  const BootstrapOptions& options) {
  if (n < kFewestUnits) return std::nullopt;
  std::vector<std::size_t> all(n);
  std::iota(all.begin(), all.end(), std::size_t{0});
  const double figure = statistic(all);
  std::vector<double> sorted = resampled(n, statistic, options);
  if (!std::all_of(sorted.begin(), sorted.end(), [](double v) { return std::isfinite(v); }))
    return std::nullopt;
  std::sort(sorted.begin(), sorted.end());
  const double skew = acceleration(n, statistic);
  const double bias = normal_quantile(share_below(sorted, figure));
  if (sorted.front() == sorted.back() || !std::isfinite(skew) || !std::isfinite(bias)) return std::nullopt;
  const auto end = [&](double probability) {
    const double z = bias + normal_quantile(probability);
    return quantile(sorted, normal_cdf(bias + z / (1 - skew * z)));
  };
  const double tail = (1 - options.confidence) / 2;
  return Interval{figure, end(tail), end(1 - tail)};
}

std::optional<Interval> bootstrap_mean(std::span<const double> values, const BootstrapOptions& options) {
  return bootstrap(
      values.size(),
      [values](std::span<const std::size_t> units) {
        double sum = 0;
        for (const std::size_t unit : units) sum += values[unit];
        return sum / static_cast<double>(units.size());
      },
      options);
}

std::optional<Interval> bootstrap_geomean(std::span<const double> logarithms,
                                          const BootstrapOptions& options) {
  std::optional<Interval> interval = bootstrap_mean(logarithms, options);
  if (!interval) return std::nullopt;
  return Interval{std::exp(interval->estimate), std::exp(interval->low), std::exp(interval->high)};
}

}  // namespace kgb
