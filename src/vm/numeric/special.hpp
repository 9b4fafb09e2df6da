// SPDX-License-Identifier: Apache-2.0
// Special functions that libm lacks, in f64.
#pragma once

namespace kgb::vm::numeric {

[[nodiscard]] double inverse_erf(double y);   // NaN outside [-1, 1], infinite at the ends
[[nodiscard]] double inverse_erfc(double y);  // of y in [0, 2]
[[nodiscard]] double scaled_erfc(double x);   // exp(x^2) * erfc(x)
[[nodiscard]] double normal_cdf(double x);
[[nodiscard]] double inverse_normal_cdf(double p);
[[nodiscard]] double sin_pi(double x);
[[nodiscard]] double cos_pi(double x);
[[nodiscard]] double bessel_i0(double x);
[[nodiscard]] double bessel_i1(double x);

}  // namespace kgb::vm::numeric
