// SPDX-License-Identifier: Apache-2.0
// Outputs of which more than one is right: indices among ties, and values in any order along one dimension.
#include <algorithm>
#include <cmath>
#include <optional>
#include <unordered_set>

#include "fmt/format.h"
#include "model/compare_detail.hpp"
#include "model/element.hpp"

namespace kgb::compare_detail {
namespace {

// A shape split at one dimension: [outer, extent, inner].
struct Split {
  std::int64_t outer = 1, extent = 1, inner = 1;
};

std::optional<Split> split_at(const std::vector<std::int64_t>& shape, int dim) {
  const int rank = static_cast<int>(shape.size());
  if (rank == 0) return dim == 0 || dim == -1 ? std::optional(Split{}) : std::nullopt;
  const int at = dim < 0 ? dim + rank : dim;
  if (at < 0 || at >= rank) return std::nullopt;
  Split split;
  for (int d = 0; d < rank; ++d) {
    std::int64_t& part = d < at ? split.outer : d == at ? split.extent : split.inner;
    part *= shape[static_cast<std::size_t>(d)];
  }
  return split;
}

// How far two values of the source may lie apart and still tie.
double tie_slack(const Job& job, double a, double b) {
  const ErrorClass error_class = job.bound.error_class;
  if (error_class == ErrorClass::exact || error_class == ErrorClass::sorted) return 0;
  const Coefficients c = coefficients(job.bound, job.bound.accumulate);
  return (c.out + c.acc) * std::max(std::abs(a), std::abs(b)) + c.floor;
}

bool ties(const Job& job, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::abs(a - b) <= tie_slack(job, a, b);
}

std::vector<std::int64_t> got_integers(const Job& job) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(job.numel));
  decode_integers(job.expected.dtype, job.got.data(), values);
  return values;
}
std::vector<std::int64_t> wanted_integers(const Job& job) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(job.numel));
  expected_integers(job.expected, 0, values);
  return values;
}

struct Source {
  Split split;              // of the values that are indexed
  std::int64_t picked = 1;  // indices per line
};

Result<Source> source_of(const Job& job) {
  const ExpectedOutput& expected = job.expected;
  const auto failed = [&](const char* why) {
    return internal_error(
        fmt::format("the expectation of '{}' has the rule '{}' and {}", expected.path, expected.rule, why));
  };
  if (is_float(expected.dtype) || is_complex(expected.dtype) || expected.kind != ValueKind::i64)
    return failed("is no integer output");
  const auto split = split_at(expected.source_shape, expected.dim);
  if (!split) return failed("a dimension that its source does not have");
  std::int64_t lines = 0, size = 0;
  if (__builtin_mul_overflow(split->outer, split->inner, &lines) ||
      __builtin_mul_overflow(lines, split->extent, &size) ||
      size != static_cast<std::int64_t>(expected.source.size()))
    return failed("a source of another size than its shape");
  if (lines == 0 || job.numel % lines != 0) return failed("a source that does not fit its shape");
  return Source{*split, job.numel / lines};
}

// Calls f(flat index of the k-th pick of a line, offset of the line in the source) for all picks of a line.
template <typename F>
void for_lines(const Source& source, F f) {
  for (std::int64_t o = 0; o < source.split.outer; ++o)
    for (std::int64_t i = 0; i < source.split.inner; ++i) f(o, i);
}

}  // namespace

Status compare_ties(Job& job) {
  KGB_TRY(const Source source, source_of(job));
  const auto got = got_integers(job), wanted = wanted_integers(job);
  const Split& split = source.split;
  job.right(0, 0, 0);
  for_lines(source, [&](std::int64_t o, std::int64_t i) {
    std::unordered_set<std::int64_t> seen;
    for (std::int64_t k = 0; k < source.picked; ++k) {
      const std::int64_t at = (o * source.picked + k) * split.inner + i;
      const std::int64_t g = got[static_cast<std::size_t>(at)], w = wanted[static_cast<std::size_t>(at)];
      const auto value = [&](std::int64_t index) {
        return job.expected.source[static_cast<std::size_t>((o * split.extent + index) * split.inner + i)];
      };
      const bool inside = g >= 0 && g < split.extent && w >= 0 && w < split.extent;
      const bool fresh = source.picked == 1 || seen.insert(g).second;
      if (!inside || !fresh || (g != w && !ties(job, value(g), value(w)))) job.wrong(at, kInfinity, 0, false);
    }
  });
  return ok_status();
}

namespace {

// Both sides of one line as comparable reals, sorted; NaN last.
void sort_reals(std::vector<double>& values) {
  std::sort(values.begin(), values.end(), [](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return !std::isnan(a) && std::isnan(b);
    return a < b;
  });
}

Status unordered_indices(Job& job) {
  KGB_TRY(const Source source, source_of(job));
  const auto got = got_integers(job), wanted = wanted_integers(job);
  const Split& split = source.split;
  for_lines(source, [&](std::int64_t o, std::int64_t i) {
    std::unordered_set<std::int64_t> seen;
    std::vector<double> a, b;
    bool fine = true;
    for (std::int64_t k = 0; k < source.picked; ++k) {
      const auto at = static_cast<std::size_t>((o * source.picked + k) * split.inner + i);
      const auto in_source = [&](std::int64_t index) { return index >= 0 && index < split.extent; };
      if (!in_source(got[at]) || !in_source(wanted[at]) || !seen.insert(got[at]).second) {
        fine = false;
        job.wrong(static_cast<std::int64_t>(at), kInfinity, 0, false);
        continue;
      }
      const auto value = [&](std::int64_t index) {
        return job.expected.source[static_cast<std::size_t>((o * split.extent + index) * split.inner + i)];
      };
      a.push_back(value(got[at]));
      b.push_back(value(wanted[at]));
    }
    if (!fine) return;
    sort_reals(a);
    sort_reals(b);
    for (std::int64_t k = 0; k < source.picked; ++k)
      if (!ties(job, a[static_cast<std::size_t>(k)], b[static_cast<std::size_t>(k)]))
        job.wrong((o * source.picked + k) * split.inner + i, kInfinity, 0, false);
  });
  return ok_status();
}

}  // namespace

Status compare_unordered(Job& job) {
  job.right(0, 0, 0);
  if (!job.expected.source.empty()) return unordered_indices(job);
  const DType dtype = job.expected.dtype;
  const auto split = split_at(job.expected.shape, job.expected.dim);
  if (!split || is_complex(dtype))
    return internal_error(fmt::format(
        "the expectation of '{}' is unordered along a dimension that it does not have, or complex",
        job.expected.path));
  std::vector<double> got(static_cast<std::size_t>(job.numel)), wanted(got.size());
  if (is_float(dtype)) {
    decode_reals(dtype, job.got.data(), got);
  } else {
    const auto whole = got_integers(job);
    std::transform(whole.begin(), whole.end(), got.begin(),
                   [](std::int64_t v) { return static_cast<double>(v); });
  }
  expected_reals(job.expected, 0, wanted);
  std::vector<double> a, b;
  for (std::int64_t o = 0; o < split->outer; ++o) {
    for (std::int64_t i = 0; i < split->inner; ++i) {
      a.clear();
      b.clear();
      const auto flat = [&](std::int64_t k) {
        return static_cast<std::size_t>((o * split->extent + k) * split->inner + i);
      };
      for (std::int64_t k = 0; k < split->extent; ++k) {
        a.push_back(got[flat(k)]);
        b.push_back(round_to_dtype(wanted[flat(k)], dtype));
      }
      sort_reals(a);
      sort_reals(b);
      for (std::int64_t k = 0; k < split->extent; ++k) {
        const double g = a[static_cast<std::size_t>(k)], w = b[static_cast<std::size_t>(k)];
        const bool odd = std::isnan(g) != std::isnan(w) || (g != w && (std::isinf(g) || std::isinf(w)));
        if (!ties(job, g, w)) job.wrong(static_cast<std::int64_t>(flat(k)), kInfinity, 0, odd);
      }
    }
  }
  return ok_status();
}

}  // namespace kgb::compare_detail
