// SPDX-License-Identifier: Apache-2.0
// The standard normal distribution.
#pragma once

namespace kgb {

[[nodiscard]] double normal_cdf(double z);
// Inverse of normal_cdf; -inf and inf at 0 and 1.
[[nodiscard]] double normal_quantile(double probability);

}  // namespace kgb
