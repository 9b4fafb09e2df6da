// SPDX-License-Identifier: Apache-2.0
#include "judge/screen_stability.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace kgb {
namespace {

constexpr double kUnit = 0x1p-24;  // f32's roundoff

struct Held {
  std::vector<double> values;
  ExpectedOutput output;
  explicit Held(std::vector<double> given, ValueKind kind = ValueKind::f64, DType dtype = DType::f32)
      : values(std::move(given)) {
    output.path = "return";
    output.dtype = dtype;
    output.kind = kind;
    output.shape = {static_cast<std::int64_t>(values.size()) / (kind == ValueKind::c128 ? 2 : 1)};
    output.value = std::as_bytes(std::span(values));
  }
};

ErrorBound two_ulps(ErrorClass error_class = ErrorClass::pointwise) {
  ErrorBound bound;
  bound.error_class = error_class;
  bound.ulps = 2;
  return bound;  // 2 u of the output and 2 u of the accumulator: 4 u of |e|
}

double share(const Held& before, const Held& after, const ErrorBound& bound = two_ulps()) {
  return movement(before.output, after.output, bound)->value();
}

TEST(Movement, IsTheWorstDifferenceOverItsBound) {
  EXPECT_NEAR(share(Held({1, 4}), Held({1 + kUnit, 4 + 8 * kUnit})), 0.5, 1e-6);
  EXPECT_GT(share(Held({1, 4}), Held({1 + 5 * kUnit, 4})), 1);
  EXPECT_EQ(share(Held({1, 4}), Held({1, 4})), 0);
}

TEST(Movement, OfAComplexNumberIsHeldAgainstItsModulus) {
  const auto complex = [](double imaginary) { return Held({1, imaginary}, ValueKind::c128, DType::c64); };
  EXPECT_LT(share(complex(0), complex(3 * kUnit)), 1);
  EXPECT_GT(share(complex(0), complex(5 * kUnit)), 1);
}

TEST(Movement, IsInfiniteWhereOnlyOneValueIsFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(share(Held({1}), Held({std::nan("")})), infinity);
  EXPECT_EQ(share(Held({std::nan("")}), Held({std::nan("")})), 0);
}

TEST(Movement, CodesMustBeAcceptedAsACandidatesAre) {
  ErrorBound bound = two_ulps(ErrorClass::quantised);
  bound.off_by_one = 0.25;
  const auto codes = [](std::vector<double> values) {
    return Held(std::move(values), ValueKind::f64, DType::f8e4m3);
  };
  EXPECT_EQ(share(codes({1, 2, 3, 4}), codes({1.125, 2, 3, 4}), bound), 0);
  EXPECT_GT(share(codes({1, 2, 3, 4}), codes({1.5, 2, 3, 4}), bound), 1);
}

TEST(Movement, IsNotAskedOfWhatIsComparedExactly) {
  EXPECT_FALSE(movement(Held({1}).output, Held({2}).output, two_ulps(ErrorClass::exact))->has_value());
  Held indices({1});
  indices.output.rule = "ties";
  EXPECT_FALSE(movement(indices.output, Held({2}).output, two_ulps())->has_value());
}

}  // namespace
}  // namespace kgb
