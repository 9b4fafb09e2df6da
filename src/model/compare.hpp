// SPDX-License-Identifier: Apache-2.0
// Compares an output of a candidate with the fp64 expectation under an error model (docs/theory.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/dtype.hpp"

namespace kgb {

// How wrong an honest kernel may be. The names are those of a card's [error] class.
enum class ErrorClass : std::uint8_t {
  exact,      // the expected value rounded once to the output's dtype, bit for bit but for the sign of zero
  pointwise,  // a few roundings per element: ulps u(out) |e| + ulps u(acc) m
  reduction,  // ulps u(out) |e| + growth(n) u(acc) m
  dot,        // as reduction; n is the inner dimension, m = |A| |B|
  solve,      // as reduction; n is the order, m = |T^-1| |T| |x|
  quantised,  // the nearest code; beside a midpoint, or at a limited share, one code off
  sorted,     // values exact, index outputs by the rule of their expectation
  indices,    // index outputs by the rule of their expectation, value outputs as pointwise
  random,     // no values are compared here; the judge tests statistics
  metadata,   // no values are compared
};
[[nodiscard]] std::string_view name_of(ErrorClass error_class);
[[nodiscard]] std::optional<ErrorClass> error_class_named(std::string_view name);

// A card's [error] for one entry and call, every expression resolved to a number.
struct ErrorBound {
  ErrorClass error_class = ErrorClass::pointwise;
  double ulps = 2;                // output roundings, in units of the output's roundoff
  DType accumulate = DType::f32;  // type of the accumulator: f32 for f8, f16, bf16, f32; f64 for f64 and c128
  double length = 1;              // n of the bound: terms of the longest reduction; below 1 counts as 1
  double off_by_one = 1e-2;       // quantised without slack: share that may be one code off; at least one may
  bool signed_zero = false;       // exact: -0 and +0 differ
  // --tolerance published: |got - round(e)| <= 1e-4 * reduce_dim + rtol(dtype) |round(e)| instead of all
  // above.
  bool published = false;
  double reduce_dim = 1;
  friend bool operator==(const ErrorBound&, const ErrorBound&) = default;
};

// Growth of rounding errors over n terms, in units of the accumulator's roundoff: 4 sqrt(n) + 4.
[[nodiscard]] double growth(double length);
// The bound of one element with expected value e and magnitude m, in the output's units. Classes exact,
// sorted, quantised, random and metadata have none and give 0.
[[nodiscard]] double bound_of(const ErrorBound& bound, DType out, double expected, double magnitude);

// Whether the quantised class holds outputs of this type as codes: integers and fp8, no bools.
[[nodiscard]] bool is_code(DType dtype);

// How an expected value is held: reals, complex pairs, integers (u64 as the same bits), bools as bytes 0
// and 1.
enum class ValueKind : std::uint8_t { f64, c128, i64, b8 };
[[nodiscard]] std::string_view name_of(ValueKind kind);
[[nodiscard]] std::optional<ValueKind> value_kind_named(std::string_view name);
[[nodiscard]] std::size_t size_of(ValueKind kind);

// One output as the oracle expects it. Spans lie in the blob that `Expectation` owns; row-major, numel
// elements.
struct ExpectedOutput {
  std::string path;          // "return", "return[1]", or the path of a mutated argument
  DType dtype = DType::f32;  // the contract's
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  ValueKind kind = ValueKind::f64;
  std::span<const std::byte> value;  // empty when only the contract was asked for
  // Empty: the magnitude is |e|. Complex: one per component, as pairs. Codes of the quantised class: how far
  // the quotient may lie off, so that another code is right only beside a midpoint; empty: by the share.
  std::span<const double> magnitude;
  // "": by the error class. "exact", "skip" (never compared: undefined by the operator), "metadata" (as
  // skip). "ties" or "permutation": indices into `source` along `dim`; the element that got's index addresses
  // must equal (within the
  //   bound) the one that the expected index addresses, and no index repeats along the output's `dim`.
  // "unordered": values, or indices when a source is given, in any order along `dim`.
  std::string rule;
  std::span<const double> source;  // row-major f64 values that indices address
  std::vector<std::int64_t> source_shape;
  int dim = -1;
};

struct Expectation {
  std::vector<ExpectedOutput> outputs;
  std::string structure;              // as RecordedCall::structure
  std::optional<std::string> raises;  // the call must raise, with this message
  std::shared_ptr<const std::vector<std::byte>> blob;
};

struct CompareOptions {
  std::optional<std::byte>
      poison;  // pattern that unwritten memory holds; elements made of it alone are named
};

struct CompareResult {
  std::int64_t count = 0;         // elements compared
  std::int64_t n_bad = 0;         // of these wrong, non-finite mismatches included
  std::int64_t n_nonfinite = 0;   // NaN or infinity on one side only, or infinities of different sign
  std::int64_t n_poison = 0;      // wrong elements that still hold the poison
  std::int64_t n_off_by_one = 0;  // quantised: one code off, right within the share or the slack
  std::int64_t n_undetermined =
      0;                   // the magnitude exceeds the accumulator's range: infinity and NaN were let pass
  double worst_ratio = 0;  // largest error over its bound; infinity where no error is allowed
  std::int64_t worst_index = -1;  // flat, row-major; -1 when nothing was compared
  std::string worst_at;           // "[2,1030]"
  std::string got, expected;      // of the worst element, as text
  double bound = 0;
  std::string pattern;  // what the wrong elements have in common: "all zero", "transposed", ...
  [[nodiscard]] bool ok() const { return n_bad == 0; }
  // Kind of finding for a wrong result: uninitialised_output, nonfinite_mismatch or value_mismatch; "" when
  // ok.
  [[nodiscard]] std::string_view finding_kind() const;
};

// `got`: contiguous row-major elements of expected.dtype and expected.shape (the caller has judged dtype and
// shape). Errors: sizes that do not fit, an expectation without values, a rule without its source.
[[nodiscard]] Result<CompareResult> compare(std::span<const std::byte> got, const ExpectedOutput& expected,
                                            const ErrorBound& bound, const CompareOptions& options = {});

}  // namespace kgb
