// SPDX-License-Identifier: Apache-2.0
// Outputs that must be right to the bit, and quantised codes of which a few may be one off.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "model/compare_detail.hpp"
#include "model/element.hpp"

namespace kgb::compare_detail {
namespace {

bool nonfinite_mismatch(double got, double expected) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) != std::isnan(expected);
  return got != expected && (std::isinf(got) || std::isinf(expected));
}

void compare_integers(Job& job) {
  std::array<std::int64_t, kBlock> got, expected;
  const std::size_t size = size_of(job.expected.dtype);
  const auto n_all = static_cast<std::size_t>(job.numel);
  for (std::size_t first = 0; first < n_all; first += kBlock) {
    const std::size_t n = std::min(kBlock, n_all - first);
    decode_integers(job.expected.dtype, job.got.data() + first * size, std::span(got).first(n));
    expected_integers(job.expected, static_cast<std::int64_t>(first), std::span(expected).first(n));
    std::int64_t differ = 0;
    for (std::size_t i = 0; i < n; ++i) differ |= got[i] ^ expected[i];
    if (differ == 0) continue;
    for (std::size_t i = 0; i < n; ++i)
      if (got[i] != expected[i]) job.wrong(static_cast<std::int64_t>(first + i), kInfinity, 0, false);
  }
}

// Got and expected as doubles, for dtypes without the range of i64 in the expectation.
void load_reals(const Job& job, std::size_t first, std::span<double> got, std::span<double> expected) {
  const DType dtype = job.expected.dtype;
  const std::size_t per_element = is_complex(dtype) ? 2 : 1;
  const std::byte* at = job.got.data() + first * (size_of(dtype) / per_element);
  if (is_float(dtype) || is_complex(dtype)) {
    decode_reals(dtype, at, got);
  } else {
    std::array<std::int64_t, kBlock> whole;
    decode_integers(dtype, at, std::span(whole).first(got.size()));
    for (std::size_t i = 0; i < got.size(); ++i) got[i] = static_cast<double>(whole[i]);
  }
  expected_reals(job.expected, static_cast<std::int64_t>(first), expected);
}

bool same(double got, double expected, DType dtype, bool signed_zero) {
  if (got != expected && !(std::isnan(got) && std::isnan(expected))) {
    const double rounded = round_to_dtype(expected, dtype);
    const bool saturated = size_of(dtype) == 1 && is_float(dtype) &&
                           std::abs(expected) > largest_finite(dtype) &&
                           got == std::copysign(largest_finite(dtype), expected);
    if (got != rounded && !(std::isnan(got) && std::isnan(rounded)) && !saturated) return false;
  }
  return !signed_zero || got != 0 || std::signbit(got) == std::signbit(expected);
}

}  // namespace

void compare_exact(Job& job) {
  const DType dtype = job.expected.dtype;
  const bool integral = !is_float(dtype) && !is_complex(dtype);
  if (job.numel > 0) job.right(0, 0, 0);
  if (integral && job.expected.kind != ValueKind::f64) return compare_integers(job);
  std::array<double, kBlock> got, expected;
  const std::size_t per_element = is_complex(dtype) ? 2 : 1;
  const std::size_t n_all = static_cast<std::size_t>(job.numel) * per_element;
  for (std::size_t first = 0; first < n_all; first += kBlock) {
    const std::size_t n = std::min(kBlock, n_all - first);
    load_reals(job, first, std::span(got).first(n), std::span(expected).first(n));
    for (std::size_t i = 0; i < n; i += per_element) {
      bool fine = true, odd = false;
      for (std::size_t k = i; k < i + per_element; ++k) {
        const bool right = same(got[k], expected[k], dtype, job.bound.signed_zero);
        fine = fine && right;
        odd = odd || (!right && nonfinite_mismatch(got[k], round_to_dtype(expected[k], dtype)));
      }
      if (!fine) job.wrong(static_cast<std::int64_t>((first + i) / per_element), kInfinity, 0, odd);
    }
  }
}

namespace {

// The end of the codes' range on the side of `sign`.
double largest_code(DType dtype, double sign) {
  if (!is_integer(dtype)) return sign * largest_finite(dtype);
  const double bits = static_cast<double>(size_of(dtype) * 8);
  if (dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64)
    return sign < 0 ? 0 : std::exp2(bits) - 1;
  return sign < 0 ? -std::exp2(bits - 1) : std::exp2(bits - 1) - 1;
}

// Distance in codes between an element and the nearest code to the expected value, and whether it is a tie.
double code_distance(double got, double expected, DType dtype) {
  if (is_integer(dtype)) {
    const double clamped = std::clamp(expected, largest_code(dtype, -1), largest_code(dtype, 1));
    return std::max(0.0, std::abs(got - clamped) - 0.5);  // 0 for either neighbour of a tie
  }
  const double limit = largest_finite(dtype);
  const double nearest = round_to_dtype(std::clamp(expected, -limit, limit), dtype);
  if (got == nearest) return 0;
  const double scale = std::max(std::abs(nearest), std::abs(got));
  const int lowest =
      std::ilogb(smallest_subnormal(dtype) / unit_roundoff(dtype)) - 1;  // of the smallest normal
  const double unit =
      2 * unit_roundoff(dtype) * std::exp2(std::max(scale == 0 ? lowest : std::ilogb(scale), lowest));
  const double beyond = std::abs(got - std::clamp(expected, -limit, limit)) / unit;
  return std::max(0.0, beyond - 0.5 - 0x1p-20);  // the other neighbour of a tie is as good
}

// The code beside `code` on the side of `target`.
double neighbour(double code, double target, DType dtype) {
  const double way = target < code ? -1 : 1;
  if (is_integer(dtype)) return code + way;
  const int lowest = std::ilogb(smallest_subnormal(dtype) / unit_roundoff(dtype)) - 1;
  const int exponent = code == 0 ? lowest : std::max(std::ilogb(code), lowest);
  const bool into_lower_binade = exponent > lowest && std::abs(code) == std::exp2(exponent) && way * code < 0;
  return code + way * 2 * unit_roundoff(dtype) * std::exp2(exponent - (into_lower_binade ? 1 : 0));
}

// How far the quotient `expected` lies outside of what rounds to the code `got`; 0 at midpoints.
double outside(double got, double expected, DType dtype) {
  if (got == expected) return 0;
  const double midpoint = (got + neighbour(got, expected, dtype)) / 2;
  return std::max(0.0, expected < got ? midpoint - expected : expected - midpoint);
}

// The reference says how far each quotient may lie off: only beside a midpoint is another code as good.
void compare_codes_with_slack(Job& job) {
  const DType dtype = job.expected.dtype;
  const double least = largest_code(dtype, -1), most = largest_code(dtype, 1);
  std::array<double, kBlock> got, expected;
  const auto n_all = static_cast<std::size_t>(job.numel);
  if (job.numel > 0) job.right(0, 0, 0);
  for (std::size_t first = 0; first < n_all; first += kBlock) {
    const std::size_t n = std::min(kBlock, n_all - first);
    load_reals(job, first, std::span(got).first(n), std::span(expected).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      const auto index = static_cast<std::int64_t>(first + i);
      const double slack = job.expected.magnitude[first + i];
      if (std::isnan(expected[i]) || !std::isfinite(got[i])) {
        if (!std::isnan(expected[i]) || !std::isnan(got[i])) job.wrong(index, kInfinity, slack, true);
        continue;
      }
      const double off = outside(got[i], std::clamp(expected[i], least, most), dtype);
      if (off == 0) continue;
      ++job.result.n_off_by_one;
      if (off > slack) {
        job.wrong(index, slack > 0 ? off / slack : kInfinity, slack, false);
      } else {
        job.right(index, off / slack, slack);
      }
    }
  }
}

}  // namespace

void compare_quantised(Job& job) {
  if (!job.expected.magnitude.empty()) return compare_codes_with_slack(job);
  const DType dtype = job.expected.dtype;
  std::array<double, kBlock> got, expected;
  std::vector<std::int64_t> off;  // indices one code off
  const auto n_all = static_cast<std::size_t>(job.numel);
  const auto limit =
      static_cast<std::size_t>(std::max(1.0, job.bound.off_by_one * static_cast<double>(job.numel)));
  if (job.numel > 0) job.right(0, 0, 0);
  for (std::size_t first = 0; first < n_all; first += kBlock) {
    const std::size_t n = std::min(kBlock, n_all - first);
    load_reals(job, first, std::span(got).first(n), std::span(expected).first(n));
    for (std::size_t i = 0; i < n; ++i) {
      const auto index = static_cast<std::int64_t>(first + i);
      if (std::isnan(got[i]) || std::isnan(expected[i])) {
        const bool overflowed = dtype == DType::f8e4m3 && std::abs(expected[i]) >= overflow_threshold(dtype);
        if (std::isnan(got[i]) != std::isnan(expected[i]) && !overflowed)
          job.wrong(index, kInfinity, 1, true);
        continue;
      }
      if (std::isinf(got[i])) {
        const bool fine = std::abs(expected[i]) >= overflow_threshold(dtype) &&
                          std::signbit(got[i]) == std::signbit(expected[i]);
        if (!fine) job.wrong(index, kInfinity, 1, true);
        continue;
      }
      const double distance = code_distance(got[i], expected[i], dtype);
      if (distance == 0) continue;
      if (distance > 1) {
        job.wrong(index, distance, 1, false);
      } else {
        off.push_back(index);
      }
    }
  }
  job.result.n_off_by_one = static_cast<std::int64_t>(off.size());
  const double share = static_cast<double>(off.size()) / static_cast<double>(limit);
  for (const std::int64_t index : off) {
    if (off.size() > limit) {
      job.wrong(index, share, 1, false);
    } else {
      job.right(index, share, 1);
    }
  }
}

}  // namespace kgb::compare_detail
