// SPDX-License-Identifier: Apache-2.0
// Puts into words what wrong elements have in common: where they lie and what they hold.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "fmt/format.h"
#include "model/compare_detail.hpp"
#include "model/element.hpp"

namespace kgb::compare_detail {
namespace {

constexpr std::int64_t kSample = 1 << 20;  // elements looked at: a pattern shows in far fewer

// One element as a real; of a complex one the component with the larger error does not matter here, so the
// real part.
double got_at(const Job& job, std::int64_t index) {
  const DType dtype = job.expected.dtype;
  const std::byte* at = job.got.data() + static_cast<std::size_t>(index) * size_of(dtype);
  if (is_float(dtype) || is_complex(dtype)) {
    double value = 0;
    decode_reals(dtype, at, std::span(&value, 1));
    return value;
  }
  std::int64_t value = 0;
  decode_integers(dtype, at, std::span(&value, 1));
  return static_cast<double>(value);
}

double expected_at(const Job& job, std::int64_t index) {
  double value = 0;
  expected_reals(job.expected, job.expected.kind == ValueKind::c128 ? 2 * index : index,
                 std::span(&value, 1));
  return value;
}

struct Sample {
  std::vector<std::int64_t> index;
  std::vector<double> got, expected;
};

Sample bad_sample(const Job& job) {
  Sample sample;
  for (std::int64_t i = 0; i < job.numel && static_cast<std::int64_t>(sample.index.size()) < kSample / 64;
       ++i) {
    if (job.bad[static_cast<std::size_t>(i)] == 0) continue;
    sample.index.push_back(i);
    sample.got.push_back(got_at(job, i));
    sample.expected.push_back(expected_at(job, i));
  }
  return sample;
}

template <typename Test>
bool all_of_sample(const Sample& sample, Test test) {
  for (std::size_t i = 0; i < sample.index.size(); ++i)
    if (!test(sample.got[i], sample.expected[i])) return false;
  return !sample.index.empty();
}

// The shortest range of the last dimension that holds all bad elements, when every row has it wholly bad.
std::string where_in_rows(const Job& job) {
  const std::int64_t columns = job.expected.shape.back();
  const std::int64_t rows = job.numel / columns;
  if (rows < 2 || columns < 2) return {};
  std::vector<std::int64_t> per_column(static_cast<std::size_t>(columns), 0);
  std::int64_t bad_rows = 0, whole_rows = 0, first_bad_row = rows;
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int64_t in_row = 0;
    for (std::int64_t c = 0; c < columns; ++c) {
      if (job.bad[static_cast<std::size_t>(r * columns + c)] == 0) continue;
      ++per_column[static_cast<std::size_t>(c)];
      ++in_row;
    }
    if (in_row == 0) continue;
    ++bad_rows;
    whole_rows += in_row == columns ? 1 : 0;
    first_bad_row = std::min(first_bad_row, r);
  }
  if (whole_rows == bad_rows && bad_rows == rows - first_bad_row && bad_rows < rows)
    return fmt::format("the last {} of {} rows", bad_rows, rows);
  if (whole_rows == bad_rows && bad_rows == 1) return fmt::format("row {} of {}", first_bad_row, rows);
  if (bad_rows != rows) return {};
  std::int64_t first = columns, last = -1, columns_bad = 0;
  for (std::int64_t c = 0; c < columns; ++c) {
    const std::int64_t n = per_column[static_cast<std::size_t>(c)];
    if (n == 0) continue;
    if (n != rows) return {};
    first = std::min(first, c);
    last = c;
    ++columns_bad;
  }
  if (columns_bad != last - first + 1) return {};
  if (last == columns - 1) return fmt::format("every row: the last {} of {} elements", columns_bad, columns);
  if (first == 0) return fmt::format("every row: the first {} of {} elements", columns_bad, columns);
  return fmt::format("every row: elements {} to {}", first, last);
}

std::string where(const Job& job) {
  const std::int64_t n_bad = job.result.n_bad;
  if (n_bad == job.numel)
    return job.numel == 1 ? "the only element" : fmt::format("all {} elements", job.numel);
  if (!job.expected.shape.empty())
    if (std::string rows = where_in_rows(job); !rows.empty()) return rows;
  const auto first = std::find(job.bad.begin(), job.bad.end(), 1) - job.bad.begin();
  if (n_bad == 1) return fmt::format("1 of {} elements", job.numel);
  if (job.numel - first == n_bad) return fmt::format("the last {} of {} elements", n_bad, job.numel);
  const auto last = std::find(job.bad.rbegin(), job.bad.rend(), 1) - job.bad.rbegin();
  if (job.numel - last == n_bad) return fmt::format("the first {} of {} elements", n_bad, job.numel);
  return fmt::format("{} of {} elements", n_bad, job.numel);
}

bool close(double got, double expected) {
  if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
  return got == expected || std::abs(got - expected) <= 1e-3 * std::max(std::abs(got), std::abs(expected));
}

// Whether got is the expectation read at another place: index -> place.
template <typename Place>
bool moved(const Job& job, Place place) {
  std::int64_t informative = 0;
  const std::int64_t n = std::min(job.numel, kSample);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t from = place(i);
    if (from < 0 || from >= job.numel) continue;
    const double want = expected_at(job, from);
    if (!close(got_at(job, i), want)) return false;
    informative += close(want, expected_at(job, i)) ? 0 : 1;
  }
  return informative >= 2;
}

std::optional<std::string> movement(const Job& job) {
  const auto& shape = job.expected.shape;
  if (shape.size() >= 2) {
    const std::int64_t m = shape[shape.size() - 2], n = shape.back();
    const auto transposed = [m, n](std::int64_t i) {  // the storage holds [n, m]
      const std::int64_t page = i / (m * n), in_page = i % (m * n);
      return page * m * n + (in_page % m) * n + in_page / m;
    };
    if (m > 1 && n > 1 && moved(job, transposed)) return "transposed";
  }
  if (job.numel > 2 && moved(job, [&](std::int64_t i) { return job.numel - 1 - i; }))
    return "in reverse order";
  if (job.numel > 2 && moved(job, [](std::int64_t i) { return i + 1; }))
    return "shifted by one element (reads ahead)";
  if (job.numel > 2 && moved(job, [](std::int64_t i) { return i - 1; }))
    return "shifted by one element (lags behind)";
  return std::nullopt;
}

// A constant factor between got and expected, such as a mean that is a sum.
std::optional<double> factor(const Sample& sample) {
  std::optional<double> found;
  for (std::size_t i = 0; i < sample.index.size(); ++i) {
    const double g = sample.got[i], e = sample.expected[i];
    if (!std::isfinite(g) || !std::isfinite(e)) return std::nullopt;
    if (g == 0 && e == 0) continue;
    if (g == 0 || e == 0) return std::nullopt;
    if (!found) found = g / e;
    if (std::abs(g - *found * e) > 2e-3 * std::abs(g)) return std::nullopt;
  }
  return found && sample.index.size() >= 2 && std::abs(*found - 1) > 5e-3 ? found : std::nullopt;
}

struct SignedErrors {
  std::vector<double> up;       // got - expected, over what the element scales with
  std::vector<double> outward;  // the same, above 0 where got lies further from 0
  double worst = 0;
};

// Of the elements, right ones too, looked at evenly over the whole output. nullopt: one is infinite or NaN
// that should not be, or errs where nothing is due.
std::optional<SignedErrors> signed_errors(const Job& job) {
  SignedErrors errors;
  const bool has_magnitude = job.expected.magnitude.size() == static_cast<std::size_t>(job.numel);
  for (std::int64_t i = 0; i < job.numel; i += job.numel / kSample + 1) {
    const double g = got_at(job, i), e = expected_at(job, i);
    if (!std::isfinite(e)) continue;
    const double m = has_magnitude ? job.expected.magnitude[static_cast<std::size_t>(i)] : 0;
    const double scale = std::max(std::abs(e), m);
    if (!std::isfinite(g) || (scale == 0 && g != 0)) return std::nullopt;
    const double error = scale == 0 ? 0 : (g - e) / scale;
    errors.up.push_back(error);
    errors.outward.push_back(e < 0 ? -error : error);
    errors.worst = std::max(errors.worst, std::abs(error));
  }
  return errors;
}

bool one_sided(const std::vector<double>& errors) {
  const auto above = std::count_if(errors.begin(), errors.end(), [](double v) { return v > 0; });
  const auto below = std::count_if(errors.begin(), errors.end(), [](double v) { return v < 0; });
  return 8 * std::min(above, below) < above + below;
}

// Whether errors are spread as those of roundings are: most elements have one that is not far below the
// worst, and it goes up and down, towards 0 and away from it, since roundings go to the nearest. A term that
// is left out (an epsilon, a bias) errs to one side, or in some elements alone, however little it is. Of
// fewer than 8 elements nothing can be said.
bool spread_as_roundings(const SignedErrors& errors) {
  const auto felt = std::count_if(errors.up.begin(), errors.up.end(),
                                  [&](double v) { return std::abs(v) > errors.worst / 64; });
  return felt >= 8 && 2 * felt >= static_cast<std::ptrdiff_t>(errors.up.size()) && !one_sided(errors.up) &&
         !one_sided(errors.outward);
}

// Errors all of the size of one rounding to a lower precision, and none of another kind beside them.
std::string lower_precision(const Job& job) {
  if (job.result.n_nonfinite > 0) return {};
  const auto errors = signed_errors(job);
  if (!errors || !spread_as_roundings(*errors)) return {};
  const double worst = errors->worst;
  if (unit_roundoff(job.expected.dtype) < 0x1p-20 && worst > 0x1p-15 && worst < 0x1p-10)
    return "small errors, as if computed in tf32 or f16";
  if (worst >= 0x1p-10 && worst < 0x1p-7 && unit_roundoff(job.expected.dtype) < 0x1p-9)
    return "small errors, as if computed in bf16";
  if (worst < 0x1p-20 && unit_roundoff(job.expected.dtype) < 0x1p-40)
    return "small errors, as if computed in f32";
  return {};
}

std::string what(const Job& job, const Sample& sample) {
  const CompareResult& result = job.result;
  if (result.n_poison == result.n_bad) return "never written (still the poison)";
  if (all_of_sample(sample, [](double g, double) { return g == 0; })) return "all zero";
  if (all_of_sample(sample, [](double g, double e) { return std::isnan(g) && !std::isnan(e); }))
    return "NaN where none is due";
  if (all_of_sample(sample, [](double g, double e) { return std::isinf(g) && std::isfinite(e); }))
    return "infinite where a finite value is due";
  if (all_of_sample(sample, [](double g, double e) { return std::isfinite(g) && !std::isfinite(e); }))
    return "finite where NaN or infinity is due";
  if (all_of_sample(sample, [](double g, double e) { return e != 0 && close(g, -e); }))
    return "the sign is wrong";
  const double first = sample.got.front();
  if (sample.index.size() > 2 && all_of_sample(sample, [first](double g, double) { return g == first; }))
    return fmt::format("all the same value {:.6g}", first);
  if (!is_complex(job.expected.dtype))
    if (auto text = movement(job)) return *text;
  if (const auto ratio = factor(sample)) return fmt::format("{:.6g} times the expected value", *ratio);
  std::string precision = lower_precision(job);
  if (!precision.empty()) return precision;
  if (result.n_poison > 0) return fmt::format("{} of them never written (still the poison)", result.n_poison);
  return {};
}

std::string number_text(double value, DType dtype) {
  if (std::isnan(value)) return "nan";  // its sign says nothing
  if (dtype == DType::f64 || dtype == DType::c128) return fmt::format("{:.17g}", value);
  return fmt::format("{:.9g}", value);
}

}  // namespace

std::string pattern_of(const Job& job) {
  const Sample sample = bad_sample(job);
  const std::string content = what(job, sample);
  return content.empty() ? where(job) : where(job) + ": " + content;
}

std::string position_text(std::int64_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    position[d] = index % shape[d];
    index /= shape[d];
  }
  return fmt::format("[{}]", fmt::join(position, ","));
}

bool holds_poison(const Job& job, std::int64_t index) {
  if (!job.options.poison) return false;
  const std::size_t size = size_of(job.expected.dtype);
  const auto bytes = job.got.subspan(static_cast<std::size_t>(index) * size, size);
  return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == *job.options.poison; });
}

std::string got_text(const Job& job, std::int64_t index) {
  const DType dtype = job.expected.dtype;
  const std::byte* at = job.got.data() + static_cast<std::size_t>(index) * size_of(dtype);
  if (is_complex(dtype)) {
    std::array<double, 2> pair{};
    decode_reals(dtype, at, pair);
    return fmt::format("({}, {})", number_text(pair[0], dtype), number_text(pair[1], dtype));
  }
  if (is_float(dtype)) return number_text(got_at(job, index), dtype);
  std::int64_t value = 0;
  decode_integers(dtype, at, std::span(&value, 1));
  return dtype == DType::u64 ? fmt::format("{}", static_cast<std::uint64_t>(value))
                             : fmt::format("{}", value);
}

std::string expected_text(const Job& job, std::int64_t index) {
  // As many digits as the output's type has, all of fp64's where those would hide the difference.
  const auto text = [&](DType dtype) {
    if (job.expected.kind == ValueKind::f64) return number_text(expected_at(job, index), dtype);
    std::array<double, 2> pair{};
    expected_reals(job.expected, 2 * index, pair);
    return fmt::format("({}, {})", number_text(pair[0], dtype), number_text(pair[1], dtype));
  };
  if (job.expected.kind == ValueKind::f64 || job.expected.kind == ValueKind::c128) {
    const std::string brief = text(component_of(job.expected.dtype));
    return brief == got_text(job, index) ? text(DType::f64) : brief;
  }
  std::int64_t value = 0;
  expected_integers(job.expected, index, std::span(&value, 1));
  return fmt::format("{}", value);
}

}  // namespace kgb::compare_detail
