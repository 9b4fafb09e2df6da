// SPDX-License-Identifier: Apache-2.0
// Values are held against each other in f64, before any rounding to the output's dtype.
#include "judge/screen_stability.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "judge/screen_answers.hpp"
#include "model/element.hpp"

namespace kgb {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<double> reals_of(const ExpectedOutput& output) {
  std::vector<double> values(output.value.size() / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), output.value.data(), output.value.size());
  return values;
}

// Of one element of `width` components.
double share_of(const double* before, const double* after, std::size_t width, double magnitude,
                const ErrorBound& bound, DType dtype) {
  const double scale = width == 2 ? std::hypot(before[0], before[1]) : std::abs(before[0]);
  const double scale_after = width == 2 ? std::hypot(after[0], after[1]) : std::abs(after[0]);
  magnitude = std::max(scale, magnitude);
  // The comparison lets infinity and NaN pass there, or asks for nothing but infinity or NaN.
  if (!(magnitude < overflow_threshold(bound.accumulate))) return 0;
  if (!std::isfinite(scale) || !std::isfinite(scale_after))
    return std::isfinite(scale) == std::isfinite(scale_after) ? 0 : kInfinity;
  const double allowed = bound_of(bound, dtype, scale, magnitude);
  double worst = 0;
  for (std::size_t k = 0; k < width; ++k) worst = std::max(worst, std::abs(after[k] - before[k]) / allowed);
  return worst;
}

}  // namespace

Result<std::optional<double>> movement(const ExpectedOutput& before, const ExpectedOutput& after,
                                       const ErrorBound& bound) {
  if (!before.rule.empty() || before.shape != after.shape || before.kind != after.kind)
    return std::optional<double>();
  if (bound.error_class == ErrorClass::quantised && is_code(before.dtype)) {
    KGB_TRY(const CompareResult compared, compare(right_answer(after), before, bound));
    return std::optional<double>(compared.ok() ? 0 : kInfinity);
  }
  const bool real = before.kind == ValueKind::f64 || before.kind == ValueKind::c128;
  const bool held = is_float(before.dtype) || is_complex(before.dtype);
  if (!real || !held || bound_of(bound, before.dtype, 1, 1) == 0) return std::optional<double>();
  const std::size_t width = before.kind == ValueKind::c128 ? 2 : 1;
  const std::vector<double> old_values = reals_of(before), new_values = reals_of(after);
  double worst = 0;
  for (std::size_t i = 0; i + width <= old_values.size(); i += width) {
    const double magnitude =
        before.magnitude.empty() ? 0 : *std::max_element(&before.magnitude[i], &before.magnitude[i] + width);
    worst = std::max(worst, share_of(&old_values[i], &new_values[i], width, magnitude, bound, before.dtype));
  }
  return std::optional<double>(worst);
}

}  // namespace kgb
