// SPDX-License-Identifier: Apache-2.0
// Matrix products against f64, over types, shapes and strides; integer and tf32 forms exactly.
#include "numeric_support.hpp"

namespace kgb::vm::numeric::testing {
namespace {

struct Shape {
  std::size_t m, n, k;
};
const Shape shapes[] = {{1, 1, 1},    {16, 16, 16}, {64, 64, 32}, {64, 32, 64},  {128, 128, 64},
                        {13, 37, 29}, {5, 257, 70}, {70, 8, 130}, {65, 300, 65}, {3, 100, 0}};

std::vector<double> random_values(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> values(n);
  for (double& x : values) x = std::uniform_real_distribution<double>(-1, 1)(random);
  return values;
}

// Values as the dtype stores them, and the doubles that they stand for.
struct Operand {
  DType dtype;
  std::vector<std::byte> bytes;
  std::vector<double> values;
};
Operand operand(DType dtype, const std::vector<double>& values) {
  Operand o{dtype, std::vector<std::byte>(values.size() * size_of(dtype) + 8), values};
  converter(DType::f64, dtype)(values.data(), o.bytes.data(), values.size());
  converter(dtype, DType::f64)(o.bytes.data(), o.values.data(), values.size());
  return o;
}

struct Product {
  std::vector<double> value, magnitude;  // sum and sum of absolute values
};
Product exact_product(const Operand& a, const Operand& b, const std::vector<double>& c, Shape s, bool at,
                      bool bt) {
  Product p{c, c};
  for (double& x : p.magnitude) x = std::abs(x);
  for (std::size_t i = 0; i < s.m; ++i)
    for (std::size_t j = 0; j < s.n; ++j)
      for (std::size_t k = 0; k < s.k; ++k) {
        const double term =
            a.values[at ? k * s.m + i : i * s.k + k] * b.values[bt ? j * s.k + k : k * s.n + j];
        p.value[i * s.n + j] += term;
        p.magnitude[i * s.n + j] += std::abs(term);
      }
  return p;
}

DotArgs arguments(const Operand& a, const Operand& b, Operand& c, Shape s, bool at, bool bt) {
  DotArgs args;
  args.a = a.bytes.data();
  args.b = b.bytes.data();
  args.c = c.bytes.data();
  args.m = s.m, args.n = s.n, args.k = s.k;
  args.a_row = at ? 1 : static_cast<std::ptrdiff_t>(s.k),
  args.a_col = at ? static_cast<std::ptrdiff_t>(s.m) : 1;
  args.b_row = bt ? 1 : static_cast<std::ptrdiff_t>(s.n),
  args.b_col = bt ? static_cast<std::ptrdiff_t>(s.k) : 1;
  args.c_row = static_cast<std::ptrdiff_t>(s.n);
  return args;
}

void expect_close(DType da, DType db, DType dc, Shape s, bool at, bool bt) {
  const Operand a = operand(da, random_values(s.m * s.k, 1)), b = operand(db, random_values(s.k * s.n, 2));
  Operand c = operand(dc, random_values(s.m * s.n, 3));
  const Product exact = exact_product(a, b, c.values, s, at, bt);
  dot(da, db, dc)(arguments(a, b, c, s, at, bt));
  std::vector<double> actual(s.m * s.n);
  converter(dc, DType::f64)(c.bytes.data(), actual.data(), actual.size());
  const double accumulator = dc == DType::f64 ? unit_roundoff(DType::f64) : unit_roundoff(DType::f32);
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double bound =
        (static_cast<double>(s.k) + 2) * accumulator * exact.magnitude[i] +
        (dc == DType::f32 || dc == DType::f64 ? 0 : unit_roundoff(dc) * std::abs(exact.value[i]));
    ASSERT_NEAR(actual[i], exact.value[i], bound) << name_of(da) << name_of(db) << name_of(dc) << ' ' << s.m
                                                  << 'x' << s.n << 'x' << s.k << " element " << i;
  }
}

TEST(NumericDot, FloatProductsStayWithinTheErrorBoundOfTheirAccumulator) {
  on_each_isa([](Isa) {
    for (Shape s : shapes)
      for (DType dtype : {DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2})
        expect_close(dtype, dtype, DType::f32, s, false, false);
    for (Shape s : shapes) expect_close(DType::f64, DType::f64, DType::f64, s, false, false);
  });
}

TEST(NumericDot, NarrowAccumulatorsRoundOnceAtTheEnd) {
  on_each_isa([](Isa) {
    for (Shape s : shapes) {
      expect_close(DType::f16, DType::f16, DType::f16, s, false, false);
      expect_close(DType::bf16, DType::bf16, DType::bf16, s, false, false);
    }
  });
}

TEST(NumericDot, OperandsMayBeTransposedAndOfDifferentTypes) {
  on_each_isa([](Isa) {
    for (Shape s : shapes)
      for (bool at : {false, true})
        for (bool bt : {false, true}) {
          expect_close(DType::f32, DType::f32, DType::f32, s, at, bt);
          expect_close(DType::f8e5m2, DType::f8e4m3, DType::f32, s, at, bt);
          expect_close(DType::bf16, DType::bf16, DType::f32, s, at, bt);
          expect_close(DType::f64, DType::f64, DType::f64, s, at, bt);
        }
  });
}

TEST(NumericDot, IntegerProductsAreExactAndWrap) {
  on_each_isa([](Isa) {
    const Shape s{17, 40, 200};
    std::vector<std::int8_t> a(s.m * s.k), b(s.k * s.n);
    std::mt19937 random(5);
    for (auto* v : {&a, &b})
      for (auto& x : *v) x = static_cast<std::int8_t>(random());
    for (std::size_t k = 0; k < s.k; ++k) a[k] = -128, b[k * s.n] = -128;  // the largest products
    for (bool left_signed : {true, false}) {
      std::vector<std::int32_t> c(s.m * s.n, INT32_MAX - 5);
      std::vector<std::int32_t> expected = c;
      for (std::size_t i = 0; i < s.m; ++i)
        for (std::size_t j = 0; j < s.n; ++j)
          for (std::size_t k = 0; k < s.k; ++k) {
            const int x = left_signed ? a[i * s.k + k] : static_cast<std::uint8_t>(a[i * s.k + k]);
            std::int32_t& sum = expected[i * s.n + j];
            sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(sum) +
                                            static_cast<std::uint32_t>(x * b[k * s.n + j]));
          }
      DotArgs args{a.data(),
                   b.data(),
                   c.data(),
                   s.m,
                   s.n,
                   s.k,
                   static_cast<std::ptrdiff_t>(s.k),
                   1,
                   static_cast<std::ptrdiff_t>(s.n),
                   1,
                   static_cast<std::ptrdiff_t>(s.n)};
      dot(left_signed ? DType::i8 : DType::u8, DType::i8, DType::i32)(args);
      EXPECT_EQ(c, expected);
    }
  });
}

TEST(NumericDot, Tf32ModesRoundTheOperandsOnly) {
  on_each_isa([](Isa) {
    const Shape s{8, 24, 20};
    for (auto [precision, mode] : {std::pair{DotPrecision::tf32_truncate, Tf32Mode::truncate},
                                   std::pair{DotPrecision::tf32_nearest_away, Tf32Mode::nearest_away}}) {
      const Operand a = operand(DType::f32, random_values(s.m * s.k, 8)),
                    b = operand(DType::f32, random_values(s.k * s.n, 9));
      Operand rounded_a = a, rounded_b = b;
      for (Operand* o : {&rounded_a, &rounded_b})
        tf32_rounder(mode)(o->bytes.data(), o->bytes.data(), o->values.size());
      Operand c = operand(DType::f32, random_values(s.m * s.n, 10)), expected = c;
      dot(DType::f32, DType::f32, DType::f32, precision)(arguments(a, b, c, s, false, false));
      dot(DType::f32, DType::f32, DType::f32)(arguments(rounded_a, rounded_b, expected, s, false, false));
      EXPECT_EQ(c.bytes, expected.bytes);
      Operand ieee = operand(DType::f32, random_values(s.m * s.n, 10));
      dot(DType::f32, DType::f32, DType::f32)(arguments(a, b, ieee, s, false, false));
      EXPECT_NE(c.bytes, ieee.bytes);
    }
  });
}

TEST(NumericDot, ResultDoesNotDependOnTheBlockingOfTheTile) {
  on_each_isa([](Isa) {
    const Shape whole{48, 80, 33};
    const Operand a = operand(DType::f32, random_values(whole.m * whole.k, 1)),
                  b = operand(DType::f32, random_values(whole.k * whole.n, 2));
    Operand once = operand(DType::f32, std::vector<double>(whole.m * whole.n, 0.0)), pieces = once;
    dot(DType::f32, DType::f32, DType::f32)(arguments(a, b, once, whole, false, false));
    for (std::size_t i = 0; i < whole.m; ++i)
      for (std::size_t j = 0; j < whole.n; ++j) {
        DotArgs args = arguments(a, b, pieces, whole, false, false);
        args.a = a.bytes.data() + i * whole.k * 4;
        args.b = b.bytes.data() + j * 4;
        args.c = pieces.bytes.data() + (i * whole.n + j) * 4;
        args.m = args.n = 1;
        dot(DType::f32, DType::f32, DType::f32)(args);
      }
    EXPECT_EQ(once.bytes, pieces.bytes);
  });
}

TEST(NumericDot, NanAndInfinityPropagate) {
  on_each_isa([](Isa) {
    std::vector<double> a(16 * 16, 1.0), b(16 * 16, 1.0);
    a[3 * 16 + 5] = INFINITY;
    b[5 * 16 + 7] = 0.0;
    b[9 * 16 + 2] = NAN;
    for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
      const Operand left = operand(dtype, a), right = operand(dtype, b);
      Operand c = operand(DType::f32, std::vector<double>(256, 0.0));
      dot(dtype, dtype, DType::f32)(arguments(left, right, c, {16, 16, 16}, false, false));
      const float* out = reinterpret_cast<const float*>(c.bytes.data());
      EXPECT_TRUE(std::isnan(out[3 * 16 + 7]));  // infinity times zero
      EXPECT_TRUE(std::isinf(out[3 * 16 + 0]));
      EXPECT_TRUE(std::isnan(out[0 * 16 + 2]));
      EXPECT_EQ(out[0], 16.0F);
    }
  });
}

TEST(NumericDot, OtherCombinationsAreNull) {
  EXPECT_EQ(dot(DType::f32, DType::f64, DType::f64), nullptr);
  EXPECT_EQ(dot(DType::f32, DType::f32, DType::i32), nullptr);
  EXPECT_EQ(dot(DType::i8, DType::i8, DType::f32), nullptr);
  EXPECT_EQ(dot(DType::i32, DType::i32, DType::i32), nullptr);
  EXPECT_EQ(dot(DType::b8, DType::b8, DType::i32), nullptr);
}

}  // namespace
}  // namespace kgb::vm::numeric::testing
