// SPDX-License-Identifier: Apache-2.0
// Functions of one argument: error in ulps over the whole f32 range, exact cases, f64, f16 and bf16,
// integers.
#include "numeric_support.hpp"

namespace kgb::vm::numeric::testing {
namespace {

struct Case {
  const char* name;
  UnaryOp op;
  double (*exact)(double);
  double limit;  // ulp
};

double reciprocal_root(double x) {
  return x == 0 ? std::copysign(INFINITY, x) : 1.0 / std::sqrt(x);
}
// clang-format off
const Case cases[] = {
    {"exp", UnaryOp::exp, std::exp, 0.95},      {"exp2", UnaryOp::exp2, std::exp2, 0.85},
    {"expm1", UnaryOp::expm1, std::expm1, 0.51}, {"log", UnaryOp::log, std::log, 0.51},
    {"log2", UnaryOp::log2, std::log2, 0.51},    {"log10", UnaryOp::log10, std::log10, 0.51},
    {"log1p", UnaryOp::log1p, std::log1p, 0.51}, {"sin", UnaryOp::sin, std::sin, 0.51},
    {"cos", UnaryOp::cos, std::cos, 0.51},       {"tan", UnaryOp::tan, std::tan, 0.51},
    {"sinh", UnaryOp::sinh, std::sinh, 0.51},    {"cosh", UnaryOp::cosh, std::cosh, 0.51},
    {"tanh", UnaryOp::tanh, std::tanh, 0.51},    {"erf", UnaryOp::erf, std::erf, 0.51},
    {"erfc", UnaryOp::erfc, std::erfc, 0.51},    {"atan", UnaryOp::atan, std::atan, 0.51},
    {"asin", UnaryOp::asin, std::asin, 0.51},    {"acos", UnaryOp::acos, std::acos, 0.51},
    {"asinh", UnaryOp::asinh, std::asinh, 0.51}, {"acosh", UnaryOp::acosh, std::acosh, 0.51},
    {"atanh", UnaryOp::atanh, std::atanh, 0.51}, {"cbrt", UnaryOp::cbrt, std::cbrt, 0.51},
    {"sqrt", UnaryOp::sqrt, std::sqrt, 0.5},     {"rsqrt", UnaryOp::rsqrt, reciprocal_root, 0.51},
};
// clang-format on

TEST(NumericMath, F32IsWithinItsBoundOverTheWholeRange) {
  const std::vector<float> x = f32_samples(20011);
  on_each_isa([&x](Isa) {
    for (const Case& c : cases) {
      const auto y = run<float>(unary(c.op, DType::f32), x.data(), x.size());
      double worst = 0;
      float at = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double error = ulps(y[i], c.exact(static_cast<double>(x[i])));
        if (error > worst) worst = error, at = x[i];
      }
      EXPECT_LE(worst, c.limit) << c.name << " at " << std::hexfloat << at;
    }
  });
}

// Where the functions do their work, more closely than by patterns.
TEST(NumericMath, F32IsWithinItsBoundOnDenseIntervals) {
  std::vector<float> x;
  std::mt19937 random(7);
  for (float width : {0.01F, 1.0F, 4.0F, 20.0F, 110.0F, 2000.0F, 1.0e6F})
    for (int i = 0; i < 20000; ++i) x.push_back(std::uniform_real_distribution<float>(-width, width)(random));
  for (float centre : {1.0F, 3.14159274F, 1.57079637F, 0.5F, 2.0F, 88.0F, -103.9F, 0x1p20F})
    for (int i = 0; i < 5000; ++i)
      x.push_back(centre * (1 + 1e-4F * std::uniform_real_distribution<float>(-1, 1)(random)));
  on_each_isa([&x](Isa) {
    for (const Case& c : cases) {
      const auto y = run<float>(unary(c.op, DType::f32), x.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double error = ulps(y[i], c.exact(static_cast<double>(x[i])));
        ASSERT_LE(error, c.limit) << c.name << " at " << std::hexfloat << x[i] << " gives " << y[i];
      }
    }
  });
}

TEST(NumericMath, SignOfZeroIsKeptByOddFunctions) {
  on_each_isa([](Isa) {
    const float zeros[] = {0.0F, -0.0F};
    for (UnaryOp op :
         {UnaryOp::sin, UnaryOp::tan, UnaryOp::tanh, UnaryOp::erf, UnaryOp::expm1, UnaryOp::log1p,
          UnaryOp::sqrt, UnaryOp::asin, UnaryOp::atan, UnaryOp::sinh, UnaryOp::cbrt, UnaryOp::floor,
          UnaryOp::ceil, UnaryOp::trunc, UnaryOp::roundeven, UnaryOp::round}) {
      const auto y = run<float>(unary(op, DType::f32), zeros, 2);
      EXPECT_TRUE(same(y[0], 0.0) && same(y[1], -0.0)) << static_cast<int>(op);
    }
    const auto y = run<float>(unary(UnaryOp::rsqrt, DType::f32), zeros, 2);
    EXPECT_EQ(y[0], INFINITY);
    EXPECT_EQ(y[1], -INFINITY);
  });
}

TEST(NumericMath, PowersOfTwoAndTenAreExact) {
  on_each_isa([](Isa) {
    for (int e = -149; e < 128; ++e) {
      const float x = std::ldexp(1.0F, e), exponent = static_cast<float>(e);
      EXPECT_EQ(run<float>(unary(UnaryOp::log2, DType::f32), &x, 1)[0], exponent);
      EXPECT_EQ(run<float>(unary(UnaryOp::exp2, DType::f32), &exponent, 1)[0], x);
    }
    for (int e = 0; e <= 10; ++e) {
      const float x = static_cast<float>(std::pow(10.0, e));
      EXPECT_EQ(run<float>(unary(UnaryOp::log10, DType::f32), &x, 1)[0], static_cast<float>(e));
    }
  });
}

// Spans of every length: the last lanes of a vector are computed as the others.
TEST(NumericMath, ExpHasTheSameBitsOnEachInstructionSet) {
  const std::vector<float> x = f32_samples(20011);
  for (const UnaryOp op : {UnaryOp::exp, UnaryOp::exp2}) {
    std::vector<float> first;
    on_each_isa([&](Isa) {
      const auto y = run<float>(unary(op, DType::f32), x.data(), x.size());
      if (first.empty()) first = y;
      for (std::size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(same(y[i], first[i])) << x[i];
      for (std::size_t n = 0; n < 40; ++n) {
        const auto few = run<float>(unary(op, DType::f32), x.data() + 5000, n);
        for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(same(few[i], y[5000 + i])) << n;
      }
    });
  }
}

TEST(NumericMath, RoundingFunctions) {
  on_each_isa([](Isa) {
    const float x[] = {0.5F,        1.5F,       2.5F,  -0.5F, -1.5F,     -2.5F,
                       0.49999997F, 8388609.0F, -3.7F, 1e30F, 4194304.5F};
    const std::size_t n = std::size(x);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_TRUE(same(run<float>(unary(UnaryOp::floor, DType::f32), x, n)[i], std::floor(x[i])));
      EXPECT_TRUE(same(run<float>(unary(UnaryOp::ceil, DType::f32), x, n)[i], std::ceil(x[i])));
      EXPECT_TRUE(same(run<float>(unary(UnaryOp::trunc, DType::f32), x, n)[i], std::trunc(x[i])));
      EXPECT_TRUE(same(run<float>(unary(UnaryOp::roundeven, DType::f32), x, n)[i], std::rint(x[i]))) << x[i];
      EXPECT_TRUE(same(run<float>(unary(UnaryOp::round, DType::f32), x, n)[i], std::round(x[i])));
    }
  });
}

TEST(NumericMath, F64IsLibm) {
  std::mt19937 random(3);
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(std::uniform_real_distribution<double>(-3, 3)(random));
  on_each_isa([&x](Isa) {
    for (const Case& c : cases) {
      const auto y = run<double>(unary(c.op, DType::f64), x.data(), x.size());
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double exact = c.exact(x[i]);
        ASSERT_TRUE(same(y[i], exact) || std::abs(y[i] - exact) <= 4e-16 * std::abs(exact))
            << c.name << " " << x[i];
      }
    }
  });
}

TEST(NumericMath, EveryF16AndBf16PatternIsTheRoundedF32Result) {
  std::vector<std::uint16_t> bits(65536);
  for (std::uint32_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  on_each_isa([&bits](Isa) {
    for (DType dtype : {DType::f16, DType::bf16}) {
      const auto x = run<float>(converter(dtype, DType::f32), bits.data(), bits.size());
      for (UnaryOp op :
           {UnaryOp::exp, UnaryOp::log, UnaryOp::sin, UnaryOp::sqrt, UnaryOp::floor, UnaryOp::negf}) {
        const auto y = run<std::uint16_t>(unary(op, dtype), bits.data(), bits.size());
        const auto wide = run<float>(unary(op, DType::f32), x.data(), x.size());
        const auto expected = run<std::uint16_t>(converter(DType::f32, dtype), wide.data(), wide.size());
        ASSERT_EQ(y, expected) << name_of(dtype) << " " << static_cast<int>(op);
      }
    }
  });
}

TEST(NumericMath, NegationAndAbsoluteValueOnlyTouchTheSign) {
  on_each_isa([](Isa) {
    const float x[] = {0.0F, -0.0F, 1.5F, -INFINITY, f32_of(0xFFC01234)};
    const auto negated = run<std::uint32_t>(unary(UnaryOp::negf, DType::f32), x, 5);
    const auto positive = run<std::uint32_t>(unary(UnaryOp::absf, DType::f32), x, 5);
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_EQ(negated[i], std::bit_cast<std::uint32_t>(x[i]) ^ 0x80000000u);
      EXPECT_EQ(positive[i], std::bit_cast<std::uint32_t>(x[i]) & 0x7FFFFFFFu);
    }
  });
}

TEST(NumericMath, IntegerBitOperations) {
  on_each_isa([](Isa) {
    const std::uint32_t x[] = {0, 1, 0x80000000u, 0xFFFFFFFFu, 0x00F0u};
    EXPECT_EQ(run<std::uint32_t>(unary(UnaryOp::ctlz, DType::i32), x, 5),
              (std::vector<std::uint32_t>{32, 31, 0, 0, 24}));
    EXPECT_EQ(run<std::uint32_t>(unary(UnaryOp::cttz, DType::i32), x, 5),
              (std::vector<std::uint32_t>{32, 0, 31, 0, 4}));
    EXPECT_EQ(run<std::uint32_t>(unary(UnaryOp::ctpop, DType::i32), x, 5),
              (std::vector<std::uint32_t>{0, 1, 1, 32, 4}));
    EXPECT_EQ(run<std::uint32_t>(unary(UnaryOp::noti, DType::u32), x, 5),
              (std::vector<std::uint32_t>{0xFFFFFFFFu, 0xFFFFFFFEu, 0x7FFFFFFFu, 0, 0xFFFFFF0Fu}));
    const std::int8_t bytes[] = {-128, -1, 0, 127};
    EXPECT_EQ(run<std::int8_t>(unary(UnaryOp::absi, DType::i8), bytes, 4),
              (std::vector<std::int8_t>{-128, 1, 0, 127}));
    const std::uint8_t flags[] = {0, 1};
    EXPECT_EQ(run<std::uint8_t>(unary(UnaryOp::noti, DType::b8), flags, 2),
              (std::vector<std::uint8_t>{1, 0}));
  });
}

TEST(NumericMath, UndefinedCombinationsAreNull) {
  EXPECT_EQ(unary(UnaryOp::exp, DType::i32), nullptr);
  EXPECT_EQ(unary(UnaryOp::exp, DType::f8e4m3), nullptr);
  EXPECT_EQ(unary(UnaryOp::ctlz, DType::f32), nullptr);
  EXPECT_EQ(unary(UnaryOp::sin, DType::b8), nullptr);
}

TEST(NumericMath, ResultMayOverwriteTheArgument) {
  on_each_isa([](Isa) {
    for (UnaryOp op : {UnaryOp::exp, UnaryOp::sin, UnaryOp::rsqrt, UnaryOp::tan}) {
      std::vector<float> x(1500);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.37F * static_cast<float>(i);
      x[700] = 1e20F;  // one large angle among small ones
      const auto apart = run<float>(unary(op, DType::f32), x.data(), x.size());
      unary(op, DType::f32)(x.data(), x.data(), x.size());
      EXPECT_EQ(x, apart);
    }
  });
}

}  // namespace
}  // namespace kgb::vm::numeric::testing
