// SPDX-License-Identifier: Apache-2.0
// Distribution functions, filled at their jumps, and the chi-square test of what comes out.
#include "judge/random_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/element.hpp"

namespace kgb {
namespace {

// Fills jumps; fixed, so that a verdict repeats. splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
class Filler {
 public:
  double operator()() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15ULL;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
    return (static_cast<double>((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 0x6B67622D6C6177ULL;
};

// Distance of neighbouring values of the dtype at x.
double spacing(double x, DType dtype) {
  int digits = 0, lowest = 0;  // of the significand; exponent of the smallest subnormal
  switch (dtype) {
    case DType::f16:
      digits = 11, lowest = -24;
      break;
    case DType::bf16:
      digits = 8, lowest = -133;
      break;
    case DType::f32:
      digits = 24, lowest = -149;
      break;
    case DType::f64:
      digits = 53, lowest = -1074;
      break;
    default:
      return 0;
  }
  if (x == 0 || !std::isfinite(x)) return std::ldexp(1.0, lowest);
  return std::ldexp(1.0, std::max(std::ilogb(x) - digits + 1, lowest));
}

// P(X <= k) and P(X = k) of a Poisson law, terms summed from the mode outwards.
struct Mass {
  double below = 0;  // P(X < k)
  double at = 0;
};
Mass poisson(double k, double rate) {
  const auto log_mass = [rate](double n) { return n * std::log(rate) - rate - std::lgamma(n + 1); };
  Mass mass;
  mass.at = std::exp(log_mass(k));
  // Ratios of neighbours: mass(n - 1) = mass(n) n / rate.
  const bool left = k <= rate;
  double term = mass.at, sum = 0;
  for (double n = k; left ? n > 0 : term > 1e-18; left ? --n : ++n) {
    term *= left ? n / rate : rate / (n + 1);
    sum += term;
    if (left && term < 1e-18) break;
  }
  mass.below = left ? sum : std::max(0.0, 1 - mass.at - sum);
  return mass;
}

struct One {
  double value = 0.5, mean = 0.5, variance = 1.0 / 12;
  bool possible = true;
};
One fixed(double value, double must) {
  return {value, must, 0, true};
}

One of_uniform(double x, double low, double high, DType dtype, double jitter) {
  if (low == high) return fixed(x, round_to_dtype(low, dtype));
  if (low > high) std::swap(low, high);
  One one;
  const double slack = 2 * std::max(spacing(low, dtype), spacing(high, dtype));
  one.possible = x >= low - slack && x <= high + slack;
  one.value = std::clamp((x + jitter - low) / (high - low), 0.0, 1.0);
  return one;
}

One of_exponential(double x, double rate, DType dtype, double jitter) {
  One one;
  // f16 underflows to 0 now and then; in wider formats 0 is a slip of log(1).
  one.possible = std::isfinite(x) && (x > 0 || (x == 0 && dtype == DType::f16));
  one.value = -std::expm1(-rate * std::max(0.0, x + jitter));
  return one;
}

One of_poisson(double x, double rate, double fill) {
  if (rate == 0) return fixed(x, 0);
  One one;
  one.possible = std::isfinite(x) && x >= 0 && x == std::floor(x);
  if (!one.possible) return one;
  const Mass mass = poisson(x, rate);
  one.value = std::clamp(mass.below + fill * mass.at, 0.0, 1.0);
  return one;
}

One of_bernoulli(double x, double p) {
  return {x, p, p * (1 - p), x == 0 || x == 1};
}

}  // namespace

std::optional<Law> law_from_text(std::string_view rule) {
  if (rule == "bernoulli") return Law::bernoulli;
  if (rule == "uniform") return Law::uniform;
  if (rule == "exponential") return Law::exponential;
  if (rule == "poisson") return Law::poisson;
  return std::nullopt;
}

Standardised standardise(Law law, std::span<const double> samples, std::span<const double> a,
                         std::span<const double> b, DType dtype) {
  Standardised out;
  Filler filler;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double x = samples[i], fill = filler();
    const double jitter = (fill - 0.5) * spacing(x, dtype);
    One one;
    switch (law) {
      case Law::bernoulli:
        one = of_bernoulli(x, a[i]);
        break;
      case Law::uniform:
        one = of_uniform(x, a[i], b[i], dtype, jitter);
        break;
      case Law::exponential:
        one = of_exponential(x, a[i], dtype, jitter);
        break;
      case Law::poisson:
        one = of_poisson(x, a[i], fill);
        break;
    }
    if (!one.possible && !out.impossible)
      out.impossible = fmt::format("element {} is {}, which this distribution never gives", i, x);
    out.values.push_back(one.value);
    out.means.push_back(one.mean);
    out.variances.push_back(one.variance);
  }
  return out;
}

double uniformity_z(std::span<const double> values) {
  constexpr std::size_t bins = 32;
  if (values.size() < 20 * bins) return 0;
  std::array<std::int64_t, bins> counts{};
  for (const double v : values)
    ++counts[std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, v) * bins))];
  const double expected = static_cast<double>(values.size()) / bins;
  double chi2 = 0;
  for (const std::int64_t n : counts) {
    const double off = static_cast<double>(n) - expected;
    chi2 += off * off / expected;
  }
  constexpr double freedom = bins - 1, spread = 2 / (9 * freedom);
  return (std::cbrt(chi2 / freedom) - (1 - spread)) / std::sqrt(spread);
}

}  // namespace kgb
