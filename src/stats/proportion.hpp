// SPDX-License-Identifier: Apache-2.0
// Shares of successes, and pass@k.
#pragma once

#include <cstdint>
#include <vector>

#include "stats/order.hpp"

namespace kgb {

// Score interval of Wilson (1927) for `successes` of `n` independent trials. It stays within 0 and 1 and
// covers well where the textbook interval does not: few trials, shares near 0 or 1 (Brown, Cai & DasGupta
// 2001). No trials: nothing is known, 0 to 1 around NaN.
[[nodiscard]] Interval wilson(std::int64_t successes, std::int64_t n, double confidence = 0.95);

// Chance that at least one of k samples passes, estimated without bias from `passed` of n samples of one
// operator: 1 - C(n - passed, k) / C(n, k) (Chen et al. 2021, arXiv 2107.03374). Needs k <= n.
[[nodiscard]] double pass_at_k(std::int64_t n, std::int64_t passed, std::int64_t k);

// The published figure of one operator instead: whether one of the first k samples, in their order, passes.
// Its mean over operators grows with k as pass_at_k does, but depends on the order.
[[nodiscard]] bool union_at_k(const std::vector<bool>& passed, std::int64_t k);

}  // namespace kgb
