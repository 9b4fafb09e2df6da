// SPDX-License-Identifier: Apache-2.0
// Special functions by series, continued fractions and Newton steps on libm's erfc.
#include "vm/numeric/special.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace kgb::vm::numeric {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Solves erfc(x) = y for 0 < y <= 1 by Halley steps on log erfc, which is smooth to the smallest y.
double solve_erfc(double y) {
  // erfc(x) ~ exp(-x^2) / (x sqrt(pi)): a start good to a few percent.
  const double l = -std::log(y);
  double x = y > 0.2 ? (1.0 - y) * 0.886 : std::sqrt(l - 0.5 * std::log(std::numbers::pi * (l + 0.2)));
  for (int step = 0; step < 8; ++step) {
    const double f = std::erfc(x) - y;
    const double slope = -2.0 * std::numbers::inv_sqrtpi * std::exp(-x * x);
    const double newton = f / slope;
    const double move = newton / (1.0 + x * newton);
    x -= move;
    if (std::abs(move) <= 1e-16 * std::abs(x)) break;
  }
  return x;
}

}  // namespace

double inverse_erfc(double y) {
  if (!(y >= 0.0 && y <= 2.0)) return nan;
  if (y == 0.0) return infinity;
  if (y == 2.0) return -infinity;
  return y <= 1.0 ? solve_erfc(y) : -solve_erfc(2.0 - y);
}

double inverse_erf(double y) {
  if (!(y >= -1.0 && y <= 1.0)) return nan;
  const double magnitude = std::abs(y);
  if (magnitude == 1.0) return std::copysign(infinity, y);
  if (magnitude >= 0.5) return std::copysign(solve_erfc(1.0 - magnitude), y);
  // Near 0 the subtraction from 1 would lose digits: the same steps on erf itself.
  double x = magnitude * 0.8862269254527580;
  for (int step = 0; step < 8 && x != 0.0; ++step) {
    const double f = std::erf(x) - magnitude;
    const double newton = f / (2.0 * std::numbers::inv_sqrtpi * std::exp(-x * x));
    const double move = newton / (1.0 + x * newton);
    x -= move;
    if (std::abs(move) <= 1e-16 * x) break;
  }
  return std::copysign(x, y);
}

double scaled_erfc(double x) {
  if (x < 25.0) return std::exp(x * x) * std::erfc(x);
  // Continued fraction; erfc underflows from about 26 on.
  double tail = x;
  for (int k = 40; k >= 1; --k) tail = x + 0.5 * k / tail;
  return std::numbers::inv_sqrtpi / tail;
}

double normal_cdf(double x) {
  return 0.5 * std::erfc(-x * std::numbers::sqrt2 * 0.5);
}
double inverse_normal_cdf(double p) {
  return -std::numbers::sqrt2 * inverse_erfc(2.0 * p);
}

double sin_pi(double x) {
  if (!std::isfinite(x)) return nan;
  const double r = std::remainder(x, 2.0);  // [-1, 1], exact
  if (r == std::trunc(r)) return std::copysign(0.0, x);
  const double folded = std::abs(r) > 0.5 ? std::copysign(1.0 - std::abs(r), r) : r;
  return std::sin(std::numbers::pi * folded);
}

double cos_pi(double x) {
  if (!std::isfinite(x)) return nan;
  const double r = std::abs(std::remainder(x, 2.0));
  if (r == 0.5) return 0.0;
  return r < 0.25 ? std::cos(std::numbers::pi * r) : std::sin(std::numbers::pi * (0.5 - r));
}

namespace {

// I_order by its power series where that is stable, by the asymptotic series for large arguments.
double bessel_i(int order, double x) {
  const double a = std::abs(x);
  if (std::isnan(x)) return x;
  double result = 0.0;
  if (a < 40.0) {
    const double quarter = 0.25 * a * a;
    double term = order == 0 ? 1.0 : 0.5 * a;
    for (int k = 1; k < 200 && term != 0.0; ++k) {
      result += term;
      term *= quarter / (static_cast<double>(k) * (k + order));
      if (term < 1e-18 * result) break;
    }
  } else {
    const double mu = 4.0 * order * order;
    double term = 1.0;
    for (int k = 1; k < 40; ++k) {
      result += term;
      const double odd = 2.0 * k - 1.0;
      term *= -(mu - odd * odd) / (8.0 * a * k);
      if (std::abs(term) < 1e-18) break;
    }
    // Split the exponential so that it does not overflow before the product does.
    const double half = std::exp(0.5 * a);
    result = half * (result / std::sqrt(2.0 * std::numbers::pi * a)) * half;
    constexpr double kOverflows = 1000;  // from 714 on; far beyond, infinity times a share of 0 would be NaN
    if (a > kOverflows) result = std::numeric_limits<double>::infinity();
  }
  return order == 1 && x < 0.0 ? -result : result;
}

}  // namespace

double bessel_i0(double x) {
  return bessel_i(0, x);
}
double bessel_i1(double x) {
  return bessel_i(1, x);
}

}  // namespace kgb::vm::numeric
