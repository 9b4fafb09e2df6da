// SPDX-License-Identifier: Apache-2.0
// Ranks, and how far two rankings agree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kgb {

// From 1, smallest first; equal values share the mean of their ranks.
[[nodiscard]] std::vector<double> mean_ranks(std::span<const double> values);

// Between -1 and 1; ties are allowed. NaN where either side does not vary. Both sides have one length.
[[nodiscard]] double spearman(std::span<const double> x, std::span<const double> y);       // Spearman 1904
[[nodiscard]] double kendall_tau_b(std::span<const double> x, std::span<const double> y);  // Kendall 1945

// Two-sided chance of a rank correlation (Spearman's) at least this far from 0 when the pairing is random:
// every pairing for up to 8 values, else 10000 drawn ones, of which the given one is one (Phipson & Smyth
// 2010). Formulas for large samples do not hold for the few contestants of a comparison. NaN as above.
[[nodiscard]] double spearman_p(std::span<const double> x, std::span<const double> y, std::uint64_t seed = 1);

}  // namespace kgb
