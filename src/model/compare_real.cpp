// SPDX-License-Identifier: Apache-2.0
// Float and complex outputs under a bound: whole blocks first, element by element only where a block is not
// plain.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "model/compare_detail.hpp"
#include "model/element.hpp"
#include "model/simd.hpp"

namespace kgb::compare_detail {
namespace {

struct Block {
  alignas(64) std::array<double, kBlock> got, expected, scale, magnitude, ratio;
};

struct BlockResult {
  bool plain = false;  // everything is finite and within its bound
  double worst = 0;
};

// Ratios of one block. Bits of non-negative doubles order as integers do, which is a reduction that
// vectorises.
KGB_SIMD BlockResult check_block(Block& block, double out, double acc, double floor) {
  std::int64_t worst = 0, not_plain = 0;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const double error = std::abs(block.got[i] - block.expected[i]);
    const double bound = out * block.scale[i] + acc * block.magnitude[i] + floor;
    const double ratio = error / bound;
    const bool fine = (error <= bound) & (bound <= std::numeric_limits<double>::max());
    not_plain |= fine ? 0 : 1;
    block.ratio[i] = ratio;
    worst = std::max(worst, std::bit_cast<std::int64_t>(ratio));
  }
  return {not_plain == 0, std::bit_cast<double>(worst)};
}

class RealComparison {
 public:
  explicit RealComparison(Job& job)
      : job_(job),
        dtype_(job.expected.dtype),
        per_element_(is_complex(dtype_) ? 2 : 1),
        c_(coefficients(job.bound, dtype_)),
        threshold_(overflow_threshold(dtype_)),
        // Rounded once more by the published rule; a magnitude has no part in it.
        accumulator_limit_(job.bound.published ? kInfinity : overflow_threshold(job.bound.accumulate)) {}

  void run() {
    const auto components = static_cast<std::size_t>(job_.numel) * per_element_;
    for (std::size_t first = 0; first < components; first += kBlock) {
      const std::size_t n = std::min(kBlock, components - first);
      load(first, n);
      const BlockResult found = check_block(block_, c_.out, c_.acc, c_.floor);
      if (!found.plain) {
        for (std::size_t i = 0; i < n; i += per_element_) judge(first, i);
      } else if (job_.result.worst_index < 0 ||
                 (!job_.worst_is_bad && found.worst > job_.result.worst_ratio)) {
        const auto at = static_cast<std::size_t>(
            std::find(block_.ratio.begin(), block_.ratio.begin() + static_cast<std::ptrdiff_t>(n),
                      found.worst) -
            block_.ratio.begin());
        const std::size_t i = at < n ? at : 0;
        job_.right(static_cast<std::int64_t>((first + i) / per_element_), found.worst, bound_at(i));
      }
    }
  }

 private:
  void load(std::size_t first, std::size_t n) {
    const ExpectedOutput& expected = job_.expected;
    const std::size_t component_bytes = size_of(dtype_) / per_element_;
    decode_reals(dtype_, job_.got.data() + first * component_bytes, std::span(block_.got).first(n));
    expected_reals(expected, static_cast<std::int64_t>(first), std::span(block_.expected).first(n));
    std::fill(block_.got.begin() + static_cast<std::ptrdiff_t>(n), block_.got.end(), 0.0);
    std::fill(block_.expected.begin() + static_cast<std::ptrdiff_t>(n), block_.expected.end(), 0.0);
    if (job_.bound.published)
      for (std::size_t i = 0; i < n; ++i) block_.expected[i] = round_to_dtype(block_.expected[i], dtype_);
    // A component of a complex result errs by the whole's modulus: its products mix both parts.
    for (std::size_t i = 0; i < kBlock; i += per_element_) {
      if (per_element_ == 2) {
        block_.scale[i] = block_.scale[i + 1] = std::hypot(block_.expected[i], block_.expected[i + 1]);
      } else {
        block_.scale[i] = std::abs(block_.expected[i]);
      }
    }
    if (expected.magnitude.empty()) {
      block_.magnitude = block_.scale;
      return;
    }
    // The magnitude never falls below |e|: a reference that gives less has rounded it.
    for (std::size_t i = 0; i < n; ++i)
      block_.magnitude[i] = std::max(block_.scale[i], expected.magnitude[first + i]);
    std::fill(block_.magnitude.begin() + static_cast<std::ptrdiff_t>(n), block_.magnitude.end(), 0.0);
  }

  [[nodiscard]] double bound_at(std::size_t i) const {
    return c_.out * block_.scale[i] + c_.acc * block_.magnitude[i] + c_.floor;
  }

  void judge(std::size_t first, std::size_t i) {
    const auto index = static_cast<std::int64_t>((first + i) / per_element_);
    const bool undetermined =
        !(block_.magnitude[i] < accumulator_limit_) && std::isfinite(block_.expected[i]);
    const bool strange =
        !std::isfinite(block_.got[i]) || (per_element_ == 2 && !std::isfinite(block_.got[i + 1]));
    if (undetermined && strange) {
      ++job_.result.n_undetermined;
      return;
    }
    if (per_element_ == 2 && judge_complex_nonfinite(index, i)) return;
    double worst = 0, worst_bound = bound_at(i);
    bool nonfinite = false;
    for (std::size_t k = i; k < i + per_element_; ++k) {
      const double ratio = ratio_of(k, nonfinite);
      if (ratio >= worst) worst = ratio, worst_bound = bound_at(k);
    }
    if (worst > 1 || nonfinite) {
      job_.wrong(index, worst, worst_bound, nonfinite);
    } else {
      job_.right(index, worst, worst_bound);
    }
  }

  // Which part of a complex number is infinite or NaN is not defined by its arithmetic: that it is so must
  // agree.
  bool judge_complex_nonfinite(std::int64_t index, std::size_t i) {
    const bool expected_odd = !std::isfinite(block_.expected[i]) || !std::isfinite(block_.expected[i + 1]);
    if (!expected_odd) return false;
    const bool got_odd = !std::isfinite(block_.got[i]) || !std::isfinite(block_.got[i + 1]);
    if (!got_odd) job_.wrong(index, kInfinity, 0, true);
    return true;
  }

  // Error over bound of one component; infinity for a mismatch of NaN or infinity.
  double ratio_of(std::size_t i, bool& nonfinite) const {
    const double got = block_.got[i], expected = block_.expected[i];
    const double bound = bound_at(i);
    const bool has_no_infinity = component_of(dtype_) == DType::f8e4m3;
    if (std::isnan(expected) || std::isinf(expected)) {
      const bool both_nan = std::isnan(expected) && std::isnan(got);
      const bool overflowed = has_no_infinity && std::isinf(expected) &&
                              (std::isnan(got) || got == std::copysign(largest_finite(dtype_), expected));
      const bool saturated =
          dtype_ == DType::f8e5m2 && got == std::copysign(largest_finite(dtype_), expected);
      if (both_nan || got == expected || overflowed || (std::isinf(expected) && saturated)) return 0;
      nonfinite = true;
      return kInfinity;
    }
    const bool may_overflow = std::abs(expected) + bound >= threshold_;
    if (std::isnan(got) || std::isinf(got)) {
      const bool same_side = std::isnan(got) ? has_no_infinity : std::signbit(got) == std::signbit(expected);
      if (may_overflow && same_side) return 0;
      nonfinite = true;
      return kInfinity;
    }
    // Saturating conversions to fp8 are as good as those that give infinity or NaN.
    if (may_overflow && size_of(dtype_) == 1 && got == std::copysign(largest_finite(dtype_), expected))
      return 0;
    const double error = std::abs(got - expected);
    return error == 0 ? 0 : error / bound;
  }

  Job& job_;
  DType dtype_;
  std::size_t per_element_;
  Coefficients c_;
  double threshold_, accumulator_limit_;
  Block block_;
};

}  // namespace

void compare_reals(Job& job) {
  RealComparison(job).run();
}

}  // namespace kgb::compare_detail
