// SPDX-License-Identifier: Apache-2.0
// Two- and three-operand kernels: narrow floats against f64, NaN and zero rules, integers at their limits.
#include <functional>

#include "numeric_support.hpp"

namespace kgb::vm::numeric::testing {
namespace {

template <typename T>
std::vector<T> run_pair(const BinaryKernel& k, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> out(a.size());
  k.vv(a.data(), b.data(), out.data(), a.size());
  return out;
}

const double nan = std::numeric_limits<double>::quiet_NaN();
const double inf = std::numeric_limits<double>::infinity();

// Every pattern of the first operand with a rotation of the patterns as the second.
void expect_like_f64(DType dtype, BinaryOp op, const std::function<double(double, double)>& exact) {
  for (std::uint32_t stride : {1u, 257u, 12345u, 40503u}) {
    std::vector<std::uint16_t> a(65536), b(65536);
    for (std::uint32_t i = 0; i < a.size(); ++i) {
      a[i] = static_cast<std::uint16_t>(i);
      b[i] = static_cast<std::uint16_t>(i * stride + 977);
    }
    const auto x = run<double>(converter(dtype, DType::f64), a.data(), a.size());
    const auto y = run<double>(converter(dtype, DType::f64), b.data(), b.size());
    std::vector<double> wide(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) wide[i] = exact(x[i], y[i]);
    const auto expected = run<std::uint16_t>(converter(DType::f64, dtype), wide.data(), wide.size());
    const auto actual = run_pair(binary(op, dtype), a, b);
    const auto expected_value = run<double>(converter(dtype, DType::f64), expected.data(), a.size());
    const auto actual_value = run<double>(converter(dtype, DType::f64), actual.data(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_TRUE(same(actual_value[i], expected_value[i]))
          << name_of(dtype) << " op " << static_cast<int>(op) << ": " << x[i] << ", " << y[i] << " gives "
          << actual_value[i];
  }
}

TEST(NumericElementwise, NarrowArithmeticRoundsOnce) {
  on_each_isa([](Isa) {
    for (DType dtype : {DType::f16, DType::bf16}) {
      expect_like_f64(dtype, BinaryOp::addf, std::plus<>());
      expect_like_f64(dtype, BinaryOp::subf, std::minus<>());
      expect_like_f64(dtype, BinaryOp::mulf, std::multiplies<>());
      expect_like_f64(dtype, BinaryOp::divf, std::divides<>());
    }
  });
}

std::vector<double> as_doubles(DType dtype, const void* in, std::size_t n) {
  return run<double>(converter(dtype, DType::f64), in, n);
}

TEST(NumericElementwise, MinimaAndMaximaFollowTheirNanAndZeroRules) {
  struct Row {
    double a, b, min_num, max_num, minimum, maximum;
  };
  const std::vector<Row> rows = {{1, 2, 1, 2, 1, 2},
                                 {2, 1, 1, 2, 1, 2},
                                 {nan, 1, 1, 1, nan, nan},
                                 {1, nan, 1, 1, nan, nan},
                                 {nan, nan, nan, nan, nan, nan},
                                 {0.0, -0.0, -0.0, 0.0, -0.0, 0.0},
                                 {-0.0, 0.0, -0.0, 0.0, -0.0, 0.0},
                                 {inf, -inf, -inf, inf, -inf, inf},
                                 {nan, -inf, -inf, -inf, nan, nan}};
  on_each_isa([&rows](Isa) {
    for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        // A long span so that vector code and remainder both see the row.
        const std::vector<double> a(37, rows[i].a), b(37, rows[i].b);
        std::vector<std::uint64_t> x(37), y(37), out(37);
        converter(DType::f64, dtype)(a.data(), x.data(), 37);
        converter(DType::f64, dtype)(b.data(), y.data(), 37);
        const std::pair<BinaryOp, double> expected[] = {{BinaryOp::minnumf, rows[i].min_num},
                                                        {BinaryOp::maxnumf, rows[i].max_num},
                                                        {BinaryOp::minimumf, rows[i].minimum},
                                                        {BinaryOp::maximumf, rows[i].maximum}};
        for (const auto& [op, value] : expected) {
          binary(op, dtype).vv(x.data(), y.data(), out.data(), 37);
          for (double actual : as_doubles(dtype, out.data(), 37))
            ASSERT_TRUE(same(actual, value))
                << name_of(dtype) << " op " << static_cast<int>(op) << " row " << i;
        }
      }
    }
  });
}

template <typename T>
std::vector<T> awkward_integers() {
  using L = std::numeric_limits<T>;
  std::vector<T> out = {0,
                        1,
                        2,
                        3,
                        7,
                        L::max(),
                        static_cast<T>(L::max() - 1),
                        L::min(),
                        static_cast<T>(L::min() + 1),
                        static_cast<T>(-1),
                        static_cast<T>(-2),
                        static_cast<T>(L::max() / 2 + 1)};
  std::mt19937_64 random(11);
  for (int i = 0; i < 60; ++i) out.push_back(static_cast<T>(random()));
  return out;
}

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

template <typename T>
void expect_integer(BinaryOp op, DType dtype, const std::function<Wide(Wide, Wide)>& exact) {
  const std::vector<T> values = awkward_integers<T>();
  std::vector<T> a, b;
  for (T x : values)
    for (T y : values) a.push_back(x), b.push_back(y);
  const auto actual = run_pair(binary(op, dtype), a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const T expected = static_cast<T>(exact(a[i], b[i]));
    ASSERT_EQ(+actual[i], +expected) << name_of(dtype) << " op " << static_cast<int>(op) << ": " << +a[i]
                                     << ", " << +b[i];
  }
}

// Floor and ceiling of a quotient, and division as the header fixes it at 0.
Wide floor_of(Wide a, Wide b) {
  return a / b - ((a % b != 0) && ((a < 0) != (b < 0)));
}
Wide ceil_of(Wide a, Wide b) {
  return a / b + ((a % b != 0) && ((a < 0) == (b < 0)));
}

template <typename S>
void expect_signed_and_unsigned(DType s, DType u) {
  using U = std::make_unsigned_t<S>;
  constexpr int bits = sizeof(S) * 8;
  expect_integer<S>(BinaryOp::addi, s, std::plus<>());
  expect_integer<U>(BinaryOp::subi, u, std::minus<>());
  expect_integer<S>(BinaryOp::muli, s, [](Wide a, Wide b) {
    // Unsigned: the product of two 64-bit patterns does not fit a signed 128-bit integer.
    return static_cast<Wide>(UnsignedWide{static_cast<U>(a)} * UnsignedWide{static_cast<U>(b)});
  });
  expect_integer<S>(BinaryOp::divsi, s, [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a / b; });
  expect_integer<U>(BinaryOp::divui, u, [](Wide a, Wide b) { return b == 0 ? Wide{-1} : a / b; });
  expect_integer<S>(BinaryOp::remsi, s, [](Wide a, Wide b) { return b == 0 ? a : a % b; });
  expect_integer<U>(BinaryOp::remui, u, [](Wide a, Wide b) { return b == 0 ? a : a % b; });
  expect_integer<S>(BinaryOp::minsi, s, [](Wide a, Wide b) { return a < b ? a : b; });
  expect_integer<S>(BinaryOp::maxsi, s, [](Wide a, Wide b) { return a > b ? a : b; });
  expect_integer<U>(BinaryOp::minui, u, [](Wide a, Wide b) { return a < b ? a : b; });
  expect_integer<U>(BinaryOp::maxui, u, [](Wide a, Wide b) { return a > b ? a : b; });
  expect_integer<S>(BinaryOp::xori, s, [](Wide a, Wide b) { return a ^ b; });
  expect_integer<S>(BinaryOp::mulhisi, s, [](Wide a, Wide b) { return (a * b) >> bits; });
  expect_integer<S>(BinaryOp::floordivsi, s,
                    [](Wide a, Wide b) { return b == 0 ? Wide{-1} : floor_of(a, b); });
  expect_integer<S>(BinaryOp::ceildivsi, s, [](Wide a, Wide b) { return b == 0 ? Wide{-1} : ceil_of(a, b); });
  const auto count = [](Wide b) {
    return static_cast<U>(b) < bits ? static_cast<int>(static_cast<U>(b)) : bits;
  };
  expect_integer<U>(BinaryOp::shli, u,
                    [count](Wide a, Wide b) { return count(b) == bits ? Wide{0} : a << count(b); });
  expect_integer<U>(BinaryOp::shrui, u,
                    [count](Wide a, Wide b) { return count(b) == bits ? Wide{0} : a >> count(b); });
  expect_integer<S>(BinaryOp::shrsi, s, [count](Wide a, Wide b) { return a >> count(b); });
}

TEST(NumericElementwise, IntegersWrapAndDivideSafelyAtTheirLimits) {
  on_each_isa([](Isa) {
    expect_signed_and_unsigned<std::int8_t>(DType::i8, DType::u8);
    expect_signed_and_unsigned<std::int16_t>(DType::i16, DType::u16);
    expect_signed_and_unsigned<std::int32_t>(DType::i32, DType::u32);
    expect_signed_and_unsigned<std::int64_t>(DType::i64, DType::u64);
    expect_integer<std::uint32_t>(BinaryOp::mulhiui, DType::u32,
                                  [](Wide a, Wide b) { return (a * b) >> 32; });
    expect_integer<std::uint8_t>(BinaryOp::mulhiui, DType::u8, [](Wide a, Wide b) { return (a * b) >> 8; });
  });
}

TEST(NumericElementwise, ScalarOperandsGiveWhatSpansOfThemGive) {
  on_each_isa([](Isa) {
    for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      std::vector<double> values(700);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.01 * static_cast<double>(i) - 2;
      std::vector<std::uint64_t> a(700), b(700), vv(700), other(700);
      converter(DType::f64, dtype)(values.data(), a.data(), 700);
      const std::vector<double> scalar(700, 1.25);
      converter(DType::f64, dtype)(scalar.data(), b.data(), 700);
      for (BinaryOp op : {BinaryOp::subf, BinaryOp::divf, BinaryOp::maxnumf, BinaryOp::remf}) {
        const BinaryKernel k = binary(op, dtype);
        k.vv(a.data(), b.data(), vv.data(), 700);
        k.vs(a.data(), b.data(), other.data(), 700);
        EXPECT_EQ(vv, other) << name_of(dtype);
        k.vv(b.data(), a.data(), vv.data(), 700);
        k.sv(b.data(), a.data(), other.data(), 700);
        EXPECT_EQ(vv, other) << name_of(dtype);
      }
    }
  });
}

TEST(NumericElementwise, BooleansAreOneBitIntegers) {
  on_each_isa([](Isa) {
    const std::vector<std::uint8_t> a = {0, 0, 1, 1}, b = {0, 1, 0, 1};
    using V = std::vector<std::uint8_t>;
    EXPECT_EQ(run_pair(binary(BinaryOp::addi, DType::b8), a, b), (V{0, 1, 1, 0}));
    EXPECT_EQ(run_pair(binary(BinaryOp::muli, DType::b8), a, b), (V{0, 0, 0, 1}));
    EXPECT_EQ(run_pair(binary(BinaryOp::minsi, DType::b8), a, b), (V{0, 1, 1, 1}));  // true is -1
    EXPECT_EQ(run_pair(binary(BinaryOp::maxui, DType::b8), a, b), (V{0, 1, 1, 1}));
    EXPECT_EQ(run_pair(compare(CompareInt::slt, DType::b8), a, b), (V{0, 0, 1, 0}));
    EXPECT_EQ(run_pair(compare(CompareInt::ult, DType::b8), a, b), (V{0, 1, 0, 0}));
    EXPECT_FALSE(binary(BinaryOp::divsi, DType::b8));
  });
}

// less, equal, greater, unordered -> expected bit of every float predicate, in the order of the enum.
TEST(NumericCompare, FloatPredicatesOnAllFourRelations) {
  const char* table[] = {"0000", "0100", "0010", "0110", "1000", "1100", "1010", "1110",
                         "0101", "0011", "0111", "1001", "1101", "1011", "0001", "1111"};
  const double a[] = {1, -0.0, 2, nan}, b[] = {2, 0.0, 1, 1};
  on_each_isa([&](Isa) {
    for (DType dtype : {DType::f8e4m3, DType::f8e5m2, DType::f16, DType::bf16, DType::f32, DType::f64}) {
      for (int relation = 0; relation < 4; ++relation) {
        const std::vector<double> left(29, a[relation]), right(29, b[relation]);
        std::vector<std::uint64_t> x(29), y(29);
        converter(DType::f64, dtype)(left.data(), x.data(), 29);
        converter(DType::f64, dtype)(right.data(), y.data(), 29);
        for (int p = 0; p < 16; ++p) {
          const BinaryKernel k = compare(static_cast<CompareFloat>(p), dtype);
          for (BinaryFn form : {k.vv, k.vs, k.sv}) {
            std::vector<std::uint8_t> out(29, 7);
            form(x.data(), y.data(), out.data(), 29);
            const auto expected = static_cast<std::uint8_t>(table[p][relation] - '0');
            ASSERT_EQ(out, std::vector<std::uint8_t>(29, expected))
                << name_of(dtype) << " predicate " << p << " relation " << relation;
          }
        }
      }
    }
  });
}

template <typename S>
void expect_int_predicates(DType s) {
  using U = std::make_unsigned_t<S>;
  const std::vector<S> values = awkward_integers<S>();
  std::vector<S> a, b;
  for (S x : values)
    for (S y : values) a.push_back(x), b.push_back(y);
  const std::function<bool(S, S)> exact[] = {[](S x, S y) { return x == y; },
                                             [](S x, S y) { return x != y; },
                                             [](S x, S y) { return x < y; },
                                             [](S x, S y) { return x <= y; },
                                             [](S x, S y) { return x > y; },
                                             [](S x, S y) { return x >= y; },
                                             [](S x, S y) { return static_cast<U>(x) < static_cast<U>(y); },
                                             [](S x, S y) { return static_cast<U>(x) <= static_cast<U>(y); },
                                             [](S x, S y) { return static_cast<U>(x) > static_cast<U>(y); },
                                             [](S x, S y) { return static_cast<U>(x) >= static_cast<U>(y); }};
  for (int p = 0; p < 10; ++p) {
    std::vector<std::uint8_t> out(a.size());
    compare(static_cast<CompareInt>(p), s).vv(a.data(), b.data(), out.data(), a.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      ASSERT_EQ(out[i], exact[p](a[i], b[i])) << p << ' ' << +a[i] << ' ' << +b[i];
  }
}

TEST(NumericCompare, IntegerPredicatesAtTheLimits) {
  on_each_isa([](Isa) {
    expect_int_predicates<std::int8_t>(DType::i8);
    expect_int_predicates<std::int16_t>(DType::i16);
    expect_int_predicates<std::int32_t>(DType::i32);
    expect_int_predicates<std::int64_t>(DType::i64);
  });
}

template <typename T>
void expect_select() {
  std::vector<std::uint8_t> condition(101);
  std::vector<T> a(101), b(101), out(101);
  for (std::size_t i = 0; i < 101; ++i)
    condition[i] = i % 3 == 0, a[i] = static_cast<T>(i), b[i] = static_cast<T>(200 - i);
  const SelectKernel k = select(sizeof(T));
  const std::tuple<TernaryFn, bool, bool> forms[] = {
      {k.vv, true, true}, {k.vs, true, false}, {k.sv, false, true}, {k.ss, false, false}};
  for (const auto& [form, span_a, span_b] : forms) {
    form(condition.data(), a.data() + 1 - span_a, b.data() + 1 - span_b, out.data(), 101);
    for (std::size_t i = 0; i < 101; ++i)
      ASSERT_EQ(out[i], condition[i] ? a[span_a ? i : 1] : b[span_b ? i : 1]);
  }
}

TEST(NumericSelect, TakesSpansAndScalarsOfEveryWidth) {
  on_each_isa([](Isa) {
    expect_select<std::uint8_t>();
    expect_select<std::uint16_t>();
    expect_select<std::uint32_t>();
    expect_select<std::uint64_t>();
  });
  EXPECT_FALSE(select(3));
}

TEST(NumericTernary, FmaRoundsOnce) {
  on_each_isa([](Isa) {
    const float a[] = {1.0F + 0x1p-12F}, b[] = {1.0F - 0x1p-12F}, c[] = {-1.0F};
    float out[1];
    ternary(TernaryOp::fma, DType::f32)(a, b, c, out, 1);
    EXPECT_EQ(out[0], -0x1p-24F);  // two roundings would give 0
    // bf16: the product is a midpoint between neighbours, the tiny addend decides.
    const std::uint16_t x[] = {f32_to_bf16(1.0F + 0x1p-7F), f32_to_bf16(1.0F + 0x1p-7F)};
    const std::uint16_t y[] = {f32_to_bf16(1.5F), f32_to_bf16(1.5F)};
    const std::uint16_t z[] = {f32_to_bf16(0x1p-100F), f32_to_bf16(-0x1p-100F)};
    std::uint16_t sum[2];
    ternary(TernaryOp::fma, DType::bf16)(x, y, z, sum, 2);
    EXPECT_EQ(bf16_to_f32(sum[0]), 1.5F + 0x1p-6F);
    EXPECT_EQ(bf16_to_f32(sum[1]), 1.5F + 0x1p-7F);
  });
}

TEST(NumericTernary, F16FmaMatchesLongDouble) {
  std::vector<std::uint16_t> a(65536), b(65536), c(65536), out(65536);
  for (std::uint32_t i = 0; i < 65536; ++i) {
    a[i] = static_cast<std::uint16_t>(i), b[i] = static_cast<std::uint16_t>(i * 40503u),
    c[i] = static_cast<std::uint16_t>(i * 3 + 1);
  }
  for (DType dtype : {DType::f16, DType::bf16}) {
    ternary(TernaryOp::fma, dtype)(a.data(), b.data(), c.data(), out.data(), out.size());
    const auto x = as_doubles(dtype, a.data(), 65536), y = as_doubles(dtype, b.data(), 65536);
    const auto z = as_doubles(dtype, c.data(), 65536), r = as_doubles(dtype, out.data(), 65536);
    for (std::size_t i = 0; i < 65536; ++i) {
      const long double exact = static_cast<long double>(x[i]) * y[i] + z[i];
      if (std::isnan(static_cast<double>(exact)) || std::isinf(r[i])) continue;
      const double tiny = smallest_subnormal(dtype) / 2;
      ASSERT_LE(std::abs(r[i] - exact),
                std::max<long double>(tiny, std::abs(exact) * unit_roundoff(dtype) * 1.0000001L))
          << i;
    }
  }
}

TEST(NumericTernary, ClampDropsOrKeepsNan) {
  on_each_isa([](Isa) {
    const float x[] = {-5, 0.5F, 5, NAN}, lo[] = {-1, -1, -1, -1}, hi[] = {1, 1, 1, 1};
    float out[4];
    ternary(TernaryOp::clamp_drop_nan, DType::f32)(x, lo, hi, out, 4);
    EXPECT_EQ(std::vector<float>(out, out + 4), (std::vector<float>{-1, 0.5F, 1, -1}));
    ternary(TernaryOp::clamp_keep_nan, DType::f32)(x, lo, hi, out, 4);
    EXPECT_EQ(out[0], -1.0F);
    EXPECT_TRUE(std::isnan(out[3]));
  });
}

TEST(NumericPow, FollowsLibmIncludingItsSpecialCases) {
  std::vector<float> special = {0.0F,
                                -0.0F,
                                1,
                                -1,
                                2,
                                -2,
                                0.5F,
                                -0.5F,
                                3,
                                -3,
                                16777216.0F,
                                16777215.0F,
                                1e30F,
                                -1e30F,
                                1e-40F,
                                f32_of(0x7F800000),
                                f32_of(0xFF800000),
                                f32_of(0x7FC00000),
                                33.0F,
                                -2.5F,
                                8388607.5F};
  std::mt19937 random(2);
  for (int i = 0; i < 60; ++i) special.push_back(std::uniform_real_distribution<float>(-20, 20)(random));
  std::vector<float> x, y;
  for (float a : special)
    for (float b : special) x.push_back(a), y.push_back(b);
  for (int i = 0; i < 50000; ++i) {
    x.push_back(std::exp(std::uniform_real_distribution<float>(-20, 20)(random)));
    y.push_back(std::uniform_real_distribution<float>(-6, 6)(random));
  }
  on_each_isa([&](Isa) {
    const auto out = run_pair(binary(BinaryOp::powf, DType::f32), x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = std::pow(static_cast<double>(x[i]), static_cast<double>(y[i]));
      ASSERT_LE(ulps(out[i], exact), 0.6) << x[i] << " ^ " << y[i] << " gives " << out[i] << " not " << exact;
      if (exact == 0) {
        ASSERT_EQ(std::signbit(out[i]), std::signbit(exact)) << x[i] << " ^ " << y[i];
      }
    }
  });
}

TEST(NumericFill, RepeatsAnElement) {
  for (std::size_t n : {0u, 1u, 2u, 3u, 100u}) {
    std::vector<std::uint32_t> out(n + 1, 7);
    const std::uint32_t value = 0xDEADBEEF;
    fill(out.data(), &value, 4, n);
    for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(out[i], value);
    EXPECT_EQ(out[n], 7u);
  }
}

}  // namespace
}  // namespace kgb::vm::numeric::testing
