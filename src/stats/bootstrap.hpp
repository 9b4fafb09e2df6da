// SPDX-License-Identifier: Apache-2.0
// Bootstrap intervals: how far a figure moves when the operators are drawn again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "stats/order.hpp"

namespace kgb {

struct BootstrapOptions {
  double confidence = 0.95;
  int resamples = 4000;  // 2000 and more for the tails of BCa (Efron & Tibshirani 1993, section 14.3)
  std::uint64_t seed = 1;
};

// A figure of the units (operators) with these numbers, which may repeat.
using Statistic = std::function<double(std::span<const std::size_t>)>;

// The figure of units 0 .. n-1 with its BCa interval (Efron 1987): percentiles of the resampled figures,
// shifted for bias and skew. Plain percentiles would sit too low for shares near 1 and too tight for
// geometric means of few operators. Units are drawn, never the samples within one: drawing both counts the
// noise within a unit twice (Davison & Hinkley 1997, section 3.8). nullopt: nothing can be said about the
// spread, since there are fewer than 6 units, the figure does not vary among the resamples, or some resample
// has none.
[[nodiscard]] std::optional<Interval> bootstrap(std::size_t n, const Statistic& statistic,
                                                const BootstrapOptions& options = {});
// Of the mean of `values`, one for each unit.
[[nodiscard]] std::optional<Interval> bootstrap_mean(std::span<const double> values,
                                                     const BootstrapOptions& options = {});
// Of the geometric mean of what has these logarithms.
[[nodiscard]] std::optional<Interval> bootstrap_geomean(std::span<const double> logarithms,
                                                        const BootstrapOptions& options = {});

[[nodiscard]] double mean(std::span<const double> values);  // NaN for none

}  // namespace kgb
