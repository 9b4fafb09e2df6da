// SPDX-License-Identifier: Apache-2.0
// The comparison's entry: names, the error bound, the choice of rule, and the record of the worst element.
#include "model/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "fmt/format.h"
#include "model/compare_detail.hpp"
#include "model/element.hpp"

namespace kgb {
namespace {

constexpr std::array<std::pair<ErrorClass, std::string_view>, 10> kClasses{{
    {ErrorClass::exact, "exact"},
    {ErrorClass::pointwise, "pointwise"},
    {ErrorClass::reduction, "reduction"},
    {ErrorClass::dot, "dot"},
    {ErrorClass::solve, "solve"},
    {ErrorClass::quantised, "quantised"},
    {ErrorClass::sorted, "sorted"},
    {ErrorClass::indices, "indices"},
    {ErrorClass::random, "random"},
    {ErrorClass::metadata, "metadata"},
}};
constexpr std::array<std::pair<ValueKind, std::string_view>, 4> kKinds{{
    {ValueKind::f64, "f64"},
    {ValueKind::c128, "c128"},
    {ValueKind::i64, "i64"},
    {ValueKind::b8, "b8"},
}};

template <typename Table, typename Key>
std::string_view name_in(const Table& table, Key key) {
  for (const auto& [value, name] : table)
    if (value == key) return name;
  return "?";
}
template <typename Key, std::size_t N>
std::optional<Key> named_in(const std::array<std::pair<Key, std::string_view>, N>& table,
                            std::string_view name) {
  for (const auto& [value, known] : table)
    if (known == name) return value;
  return std::nullopt;
}

// The published relative tolerance of a dtype; the kernels' own rounding is not modelled.
double published_rtol(DType out) {
  switch (out) {
    case DType::f8e4m3:
    case DType::f8e5m2:
    case DType::f16:
      return 1e-3;
    case DType::bf16:
      return 1.6e-2;
    case DType::c64:
      return 1.3e-6;
    case DType::c128:
      return 1e-6;
    default:
      return 1e-5;
  }
}

bool has_value_bound(ErrorClass error_class) {
  return error_class == ErrorClass::pointwise || error_class == ErrorClass::reduction ||
         error_class == ErrorClass::dot || error_class == ErrorClass::solve ||
         error_class == ErrorClass::indices;
}

Result<std::int64_t> checked_numel(std::span<const std::byte> got, const ExpectedOutput& expected) {
  std::int64_t numel = 1;
  for (const std::int64_t extent : expected.shape) {
    if (extent < 0) return internal_error("an expectation has a negative extent");
    if (__builtin_mul_overflow(numel, extent, &numel)) return internal_error("an expectation is too large");
  }
  const auto n = static_cast<std::size_t>(numel);
  if (got.size() != n * size_of(expected.dtype))
    return internal_error(fmt::format("output '{}' has {} bytes where {} are compared", expected.path,
                                      got.size(), n * size_of(expected.dtype)));
  return numel;
}

Status check_expectation(const ExpectedOutput& expected, std::int64_t numel) {
  const auto n = static_cast<std::size_t>(numel);
  if (expected.value.size() != n * size_of(expected.kind))
    return internal_error(fmt::format("the expectation of '{}' holds {} bytes of values for {} elements",
                                      expected.path, expected.value.size(), numel));
  const std::size_t per_element = is_complex(expected.dtype) && expected.kind == ValueKind::c128 ? 2 : 1;
  if (!expected.magnitude.empty() && expected.magnitude.size() != n * per_element)
    return internal_error(fmt::format("the magnitude of '{}' has the wrong size", expected.path));
  if (is_complex(expected.dtype) != (expected.kind == ValueKind::c128))
    return internal_error(fmt::format("'{}' is {} and its expectation is {}", expected.path,
                                      name_of(expected.dtype), name_of(expected.kind)));
  return ok_status();
}

Status run_rule(compare_detail::Job& job) {
  using namespace compare_detail;
  const ExpectedOutput& expected = job.expected;
  const ErrorClass error_class = job.bound.error_class;
  const bool real = is_float(expected.dtype) || is_complex(expected.dtype);
  if (expected.rule == "ties" || expected.rule == "permutation") return compare_ties(job);
  if (expected.rule == "unordered") return compare_unordered(job);
  if (!expected.rule.empty() && expected.rule != "exact")
    return internal_error(fmt::format("'{}' has the unknown rule '{}'", expected.path, expected.rule));
  if (expected.rule.empty() && error_class == ErrorClass::quantised) {
    if (is_code(expected.dtype)) return compare_quantised(job), ok_status();
    if (real) return compare_reals(job), ok_status();  // scales and the like, as pointwise
  }
  if (expected.rule.empty() && real && has_value_bound(error_class)) {
    compare_reals(job);
  } else {
    compare_exact(job);
  }
  return ok_status();
}

}  // namespace

bool is_code(DType dtype) {
  return is_integer(dtype) || (size_of(dtype) == 1 && dtype != DType::b8);
}

std::string_view name_of(ErrorClass error_class) {
  return name_in(kClasses, error_class);
}
std::optional<ErrorClass> error_class_named(std::string_view name) {
  return named_in(kClasses, name);
}
std::string_view name_of(ValueKind kind) {
  return name_in(kKinds, kind);
}
std::optional<ValueKind> value_kind_named(std::string_view name) {
  return named_in(kKinds, name);
}
std::size_t size_of(ValueKind kind) {
  return kind == ValueKind::b8 ? 1 : kind == ValueKind::c128 ? 16 : 8;
}

double growth(double length) {
  return 4 * std::sqrt(std::max(length, 1.0)) + 4;
}

double bound_of(const ErrorBound& bound, DType out, double expected, double magnitude) {
  const auto c = compare_detail::coefficients(bound, out);
  return c.out * std::abs(expected) + c.acc * magnitude + c.floor;
}

std::string_view CompareResult::finding_kind() const {
  if (ok()) return "";
  if (n_poison > 0 && 2 * n_poison >= n_bad) return "uninitialised_output";
  return n_nonfinite > 0 ? "nonfinite_mismatch" : "value_mismatch";
}

Result<CompareResult> compare(std::span<const std::byte> got, const ExpectedOutput& expected,
                              const ErrorBound& bound, const CompareOptions& options) {
  KGB_TRY(const std::int64_t numel, checked_numel(got, expected));
  compare_detail::Job job{got, expected, bound, options, numel, {}, {}, false};
  const bool skipped = expected.rule == "skip" || expected.rule == "metadata" ||
                       bound.error_class == ErrorClass::random || bound.error_class == ErrorClass::metadata;
  if (skipped) return job.result;
  KGB_CHECK(check_expectation(expected, numel));
  job.result.count = numel;
  if (numel == 0) return job.result;
  KGB_CHECK(run_rule(job));
  CompareResult& result = job.result;
  if (result.worst_index >= 0) {
    result.worst_at = compare_detail::position_text(result.worst_index, expected.shape);
    result.got = compare_detail::got_text(job, result.worst_index);
    result.expected = compare_detail::expected_text(job, result.worst_index);
  }
  if (!result.ok()) result.pattern = compare_detail::pattern_of(job);
  return std::move(job.result);
}

namespace compare_detail {

Coefficients coefficients(const ErrorBound& bound, DType out) {
  const bool real = is_float(out) || is_complex(out);
  if (bound.published) return {real ? published_rtol(out) : 0, 0, real ? 1e-4 * bound.reduce_dim : 0};
  if (!real) return {};
  const double u_out = unit_roundoff(out), u_acc = unit_roundoff(bound.accumulate);
  const double floor = std::max(bound.ulps, 1.0) * smallest_subnormal(out);
  switch (bound.error_class) {
    case ErrorClass::pointwise:
    case ErrorClass::indices:
    case ErrorClass::quantised:
      return {bound.ulps * u_out, bound.ulps * u_acc, floor};
    case ErrorClass::reduction:
    case ErrorClass::dot:
    case ErrorClass::solve:
      return {bound.ulps * u_out, growth(bound.length) * u_acc, floor};
    default:
      return {};
  }
}

void Job::wrong(std::int64_t index, double ratio, double bound_value, bool nonfinite) {
  if (bad.empty()) bad.assign(static_cast<std::size_t>(numel), 0);
  bad[static_cast<std::size_t>(index)] = 1;
  ++result.n_bad;
  result.n_nonfinite += nonfinite ? 1 : 0;
  result.n_poison += holds_poison(*this, index) ? 1 : 0;
  if (worst_is_bad && ratio <= result.worst_ratio) return;
  worst_is_bad = true;
  result.worst_ratio = ratio;
  result.worst_index = index;
  result.bound = bound_value;
}

void Job::right(std::int64_t index, double ratio, double bound_value) {
  if (worst_is_bad || (result.worst_index >= 0 && ratio <= result.worst_ratio)) return;
  result.worst_ratio = ratio;
  result.worst_index = index;
  result.bound = bound_value;
}

void expected_reals(const ExpectedOutput& expected, std::int64_t first, std::span<double> out) {
  const std::byte* at = expected.value.data();
  const auto start = static_cast<std::size_t>(first);
  switch (expected.kind) {
    case ValueKind::f64:
    case ValueKind::c128:
      std::memcpy(out.data(), at + 8 * start, 8 * out.size());
      return;
    case ValueKind::i64:
      for (std::size_t i = 0; i < out.size(); ++i) {
        std::int64_t value = 0;
        std::memcpy(&value, at + 8 * (start + i), 8);
        out[i] = static_cast<double>(value);
      }
      return;
    case ValueKind::b8:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = at[start + i] == std::byte{0} ? 0 : 1;
  }
}

void expected_integers(const ExpectedOutput& expected, std::int64_t first, std::span<std::int64_t> out) {
  const std::byte* at = expected.value.data();
  const auto start = static_cast<std::size_t>(first);
  if (expected.kind == ValueKind::b8) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = at[start + i] == std::byte{0} ? 0 : 1;
  } else {
    std::memcpy(out.data(), at + 8 * start, 8 * out.size());
  }
}

}  // namespace compare_detail
}  // namespace kgb
