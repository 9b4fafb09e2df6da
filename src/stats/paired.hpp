// SPDX-License-Identifier: Apache-2.0
// Tests between two contestants on the same operators, and the correction for making many of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kgb {

// Two-sided exact McNemar test: `first` operators that only the first contestant solves, `second` that only
// the second does. Under no difference each is a fair coin (McNemar 1947; exact binomial form). 1 for none.
[[nodiscard]] double mcnemar_exact(std::int64_t first, std::int64_t second);

// Two-sided signed-rank test of Wilcoxon (1945) for differences centred at zero: exact, given the ranks, for
// ties too (Pratt & Gibbons 1981, section 3.7). Zeros are left out, as Wilcoxon does. Where all differences
// have one size it is the exact McNemar test. 1 for none.
[[nodiscard]] double signed_rank(std::span<const double> differences);

// p values of a family of tests, corrected so that the chance of any false alarm stays below the level that
// they are held against (Holm 1979). In the order given.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

}  // namespace kgb
