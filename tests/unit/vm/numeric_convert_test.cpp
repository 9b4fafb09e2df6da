// SPDX-License-Identifier: Apache-2.0
// Conversions: every pattern of the narrow formats, nearest value by search, casts to integers as PTX does
// them.
#include <algorithm>
#include <map>

#include "numeric_support.hpp"

namespace kgb::vm::numeric::testing {
namespace {

std::vector<std::uint16_t> all_patterns(const NarrowFormat& format) {
  std::vector<std::uint16_t> bits(format.patterns());
  for (std::uint32_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  return bits;
}

// Runs `fn` on patterns of one or two bytes each.
template <typename To>
std::vector<To> widen_all(UnaryFn fn, const NarrowFormat& format) {
  const auto bits = all_patterns(format);
  if (size_of(format.dtype) == 2) return run<To>(fn, bits.data(), bits.size());
  std::vector<std::uint8_t> bytes(bits.begin(), bits.end());
  return run<To>(fn, bytes.data(), bytes.size());
}

std::vector<std::uint16_t> narrow_all(const NarrowFormat& format, DType from, const void* in, std::size_t n,
                                      ConvertOptions options) {
  const UnaryFn fn = converter(from, format.dtype, options);
  if (size_of(format.dtype) == 2) return run<std::uint16_t>(fn, in, n);
  const auto bytes = run<std::uint8_t>(fn, in, n);
  return {bytes.begin(), bytes.end()};
}

TEST(NumericConvert, EveryNarrowPatternWidensToItsValue) {
  on_each_isa([](Isa) {
    for (const NarrowFormat& format : narrow_formats) {
      const auto f32 = widen_all<float>(converter(format.dtype, DType::f32), format);
      const auto f64 = widen_all<double>(converter(format.dtype, DType::f64), format);
      for (std::uint32_t bits = 0; bits < format.patterns(); ++bits) {
        ASSERT_TRUE(same(f32[bits], format.value(bits)))
            << name_of(format.dtype) << " 0x" << std::hex << bits;
        ASSERT_TRUE(same(f64[bits], format.value(bits)))
            << name_of(format.dtype) << " 0x" << std::hex << bits;
      }
    }
  });
}

TEST(NumericConvert, EveryNarrowPatternSurvivesTheWayThroughF32AndF64) {
  on_each_isa([](Isa) {
    for (const NarrowFormat& format : narrow_formats) {
      for (DType wide : {DType::f32, DType::f64}) {
        const ConvertOptions options{Rounding::nearest_even, Fp8Overflow::ieee};
        const auto values = widen_all<double>(converter(format.dtype, DType::f64), format);
        std::vector<float> singles(values.begin(), values.end());
        const void* in = wide == DType::f32 ? static_cast<const void*>(singles.data()) : values.data();
        const auto back = narrow_all(format, wide, in, values.size(), options);
        for (std::uint32_t bits = 0; bits < format.patterns(); ++bits) {
          const bool survived =
              std::isnan(values[bits]) ? std::isnan(format.value(back[bits])) : back[bits] == bits;
          ASSERT_TRUE(survived) << name_of(format.dtype) << " 0x" << std::hex << bits;
        }
      }
    }
  });
}

// The finite values of a format in order, positive half, with their patterns.
std::vector<std::pair<double, std::uint32_t>> ladder(const NarrowFormat& format) {
  std::vector<std::pair<double, std::uint32_t>> steps;
  for (std::uint32_t bits = 0; bits < format.patterns() / 2; ++bits)
    if (std::isfinite(format.value(bits))) steps.emplace_back(format.value(bits), bits);
  std::ranges::sort(steps);
  return steps;
}

// Nearest by search over all values: ties go to the even pattern, the range ends half a step above the
// largest.
std::uint32_t nearest_by_search(const std::vector<std::pair<double, std::uint32_t>>& steps, double magnitude,
                                std::uint32_t beyond) {
  const auto above = std::ranges::lower_bound(steps, magnitude, {}, &std::pair<double, std::uint32_t>::first);
  if (above == steps.end()) {
    const double last = steps.back().first, step = last - steps[steps.size() - 2].first;
    const double half = last + step / 2;
    const bool last_is_even = steps.back().second % 2 == 0;
    return magnitude < half || (magnitude == half && last_is_even) ? steps.back().second : beyond;
  }
  if (above->first == magnitude || above == steps.begin()) return above->second;
  const auto below = above - 1;
  const double up = above->first - magnitude, down = magnitude - below->first;  // exact: neighbours
  if (up == down) return above->second % 2 == 0 ? above->second : below->second;
  return up < down ? above->second : below->second;
}

std::uint32_t beyond_pattern(const NarrowFormat& format, Fp8Overflow overflow) {
  const std::uint32_t all_ones = format.patterns() / 2 - 1;
  if (format.dtype == DType::f8e4m3) return overflow == Fp8Overflow::saturate ? all_ones - 1 : all_ones;
  const std::uint32_t infinity = all_ones & ~((1u << format.mantissa_bits) - 1);
  return format.dtype == DType::f8e5m2 && overflow == Fp8Overflow::saturate ? infinity - 1 : infinity;
}

// Magnitudes around every value and every midpoint of a format, and far outside.
std::vector<double> awkward(const NarrowFormat& format) {
  std::vector<double> values = {0.0, 1e-300, 1e300, 1e38, 3e38};
  const auto steps = ladder(format);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double here = steps[i].first;
    const double next = i + 1 < steps.size() ? steps[i + 1].first : here + (here - steps[i - 1].first);
    for (double x : {here, (here + next) / 2}) {
      values.push_back(x);
      values.push_back(static_cast<double>(std::nextafter(static_cast<float>(x), INFINITY)));
      values.push_back(static_cast<double>(std::nextafter(static_cast<float>(x), 0.0F)));
      values.push_back(std::nextafter(x, INFINITY));
      values.push_back(std::nextafter(x, 0.0));
    }
  }
  return values;
}

void expect_nearest(const NarrowFormat& format, DType from, Fp8Overflow overflow) {
  std::vector<double> values = awkward(format);
  const auto steps = ladder(format);
  const std::uint32_t sign = format.patterns() / 2;
  if (from == DType::f32)
    for (double& x : values) x = static_cast<double>(static_cast<float>(x));
  const std::size_t count = values.size();
  for (std::size_t i = 0; i < count; ++i) values.push_back(-values[i]);
  std::vector<float> singles(values.begin(), values.end());
  const void* in = from == DType::f32 ? static_cast<const void*>(singles.data()) : values.data();
  const auto bits = narrow_all(format, from, in, values.size(), {Rounding::nearest_even, overflow});
  const std::uint32_t beyond = beyond_pattern(format, overflow);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t expected =
        (std::isinf(values[i]) ? beyond : nearest_by_search(steps, std::abs(values[i]), beyond)) |
        (std::signbit(values[i]) ? sign : 0);
    ASSERT_EQ(bits[i], expected) << name_of(format.dtype) << " of " << std::hexfloat << values[i];
  }
}

TEST(NumericConvert, NarrowingTakesTheNearestValueAndTiesGoToEven) {
  on_each_isa([](Isa) {
    for (const NarrowFormat& format : narrow_formats)
      for (DType from : {DType::f32, DType::f64})
        for (Fp8Overflow overflow : {Fp8Overflow::saturate, Fp8Overflow::ieee})
          expect_nearest(format, from, overflow);
  });
}

TEST(NumericConvert, TowardZeroTakesTheLargestValueNotAbove) {
  on_each_isa([](Isa) {
    for (const NarrowFormat& format : narrow_formats) {
      const auto steps = ladder(format);
      const auto values = awkward(format);
      const auto bits = narrow_all(format, DType::f64, values.data(), values.size(), {Rounding::toward_zero});
      for (std::size_t i = 0; i < values.size(); ++i) {
        auto above = std::ranges::upper_bound(steps, values[i], {}, &std::pair<double, std::uint32_t>::first);
        ASSERT_EQ(bits[i], (above - 1)->second)
            << name_of(format.dtype) << " of " << std::hexfloat << values[i];
      }
    }
  });
}

TEST(NumericConvert, NanStaysNanInEveryFloatFormat) {
  on_each_isa([](Isa) {
    const float in[] = {f32_of(0x7FC00000), f32_of(0xFFC00000), f32_of(0x7F800001), f32_of(0x7FFFFFFF)};
    for (const NarrowFormat& format : narrow_formats)
      for (Rounding rounding : {Rounding::nearest_even, Rounding::toward_zero})
        for (std::uint16_t bits : narrow_all(format, DType::f32, in, 4, {rounding}))
          EXPECT_TRUE(std::isnan(format.value(bits))) << name_of(format.dtype);
  });
}

TEST(NumericConvert, F64RoundsOnceNotThroughF32) {
  // Just above a bf16 midpoint: through f32 it would become the midpoint and then go to even.
  const double in[] = {1.0 + std::exp2(-8) + std::exp2(-40)};
  const auto bits = run<std::uint16_t>(converter(DType::f64, DType::bf16), in, 1);
  EXPECT_EQ(bits[0], 0x3F81);
}

template <typename Float, typename Int>
void expect_saturation(DType from, DType to) {
  const Float infinity = std::numeric_limits<Float>::infinity();
  const Float nan = std::numeric_limits<Float>::quiet_NaN();
  const Float in[] = {Float{0}, Float{-0.0F}, Float{1.99F},  Float{-1.99F}, Float{1e30F}, Float{-1e30F},
                      infinity, -infinity,    Float{100.5F}, Float{-0.99F}, nan};
  const auto out = run<Int>(converter(from, to), in, std::size(in));
  using L = std::numeric_limits<Int>;
  const Int low = L::min(), high = L::max();
  const std::vector<Int> expected = {0,   0,   1, static_cast<Int>(L::is_signed ? -1 : 0), high, low, high,
                                     low, 100, 0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(+out[i], +expected[i]) << name_of(from) << " to " << name_of(to) << " of " << in[i];
  const bool top_bit = sizeof(Float) == 8 || sizeof(Int) == 8;
  const Int expected_nan =
      top_bit ? static_cast<Int>(std::make_unsigned_t<Int>{1} << (sizeof(Int) * 8 - 1)) : Int{0};
  EXPECT_EQ(+out[10], +expected_nan) << name_of(from) << " to " << name_of(to);
}

TEST(NumericConvert, FloatToIntegerTruncatesAndSaturates) {
  on_each_isa([](Isa) {
    expect_saturation<float, std::int32_t>(DType::f32, DType::i32);
    expect_saturation<float, std::uint32_t>(DType::f32, DType::u32);
    expect_saturation<float, std::int64_t>(DType::f32, DType::i64);
    expect_saturation<float, std::uint64_t>(DType::f32, DType::u64);
    expect_saturation<double, std::int32_t>(DType::f64, DType::i32);
    expect_saturation<double, std::uint32_t>(DType::f64, DType::u32);
    expect_saturation<double, std::int64_t>(DType::f64, DType::i64);
    expect_saturation<double, std::uint64_t>(DType::f64, DType::u64);
    expect_saturation<float, std::int16_t>(DType::f32, DType::i16);
    expect_saturation<float, std::uint16_t>(DType::f32, DType::u16);
  });
}

TEST(NumericConvert, FloatToIntegerIsRightNextToTheLimits) {
  on_each_isa([](Isa) {
    const float in[] = {2147483520.0F, 2147483648.0F, -2147483648.0F, -2147483904.0F, 4294967040.0F};
    const auto i32 = run<std::int32_t>(converter(DType::f32, DType::i32), in, 5);
    EXPECT_EQ(i32, (std::vector<std::int32_t>{2147483520, INT32_MAX, INT32_MIN, INT32_MIN, INT32_MAX}));
    const auto u32 = run<std::uint32_t>(converter(DType::f32, DType::u32), in, 5);
    EXPECT_EQ(u32, (std::vector<std::uint32_t>{2147483520u, 2147483648u, 0, 0, 4294967040u}));
  });
}

TEST(NumericConvert, FloatToEightBitsSaturatesAtSixteenAndKeepsTheLowByte) {
  on_each_isa([](Isa) {
    const float in[] = {1.9F, -1.9F, 300.0F, -300.0F, 1e9F, -1e9F, NAN};
    EXPECT_EQ(run<std::int8_t>(converter(DType::f32, DType::i8), in, 7),
              (std::vector<std::int8_t>{1, -1, 44, -44, -1, 0, 0}));
    EXPECT_EQ(run<std::uint8_t>(converter(DType::f32, DType::u8), in, 7),
              (std::vector<std::uint8_t>{1, 0, 44, 0, 255, 0, 0}));
  });
}

// Through f32 each of these would first become a midpoint between two bf16 values.
template <typename Int>
void expect_single_rounding(DType dtype) {
  std::vector<Int> in;
  for (int top = 26; top < std::numeric_limits<Int>::digits; ++top)
    for (Int low : {Int{0}, Int{1}, Int{2}})
      for (int sign : {1, -1}) {
        const Int midpoint = static_cast<Int>((Int{1} << top) + (Int{1} << (top - 8)));
        in.push_back(static_cast<Int>(midpoint + low * sign));
        if (std::is_signed_v<Int>) in.push_back(static_cast<Int>(-(midpoint + low * sign)));
      }
  const auto out = run<std::uint16_t>(converter(dtype, DType::bf16), in.data(), in.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const long double exact = static_cast<long double>(in[i]);
    const long double got = bf16_to_f32(out[i]);
    const long double step = std::ldexp(1.0L, std::ilogb(exact) - 7);
    ASSERT_LE(std::abs(got - exact), step / 2) << in[i];
    if (std::abs(got - exact) == step / 2) {
      ASSERT_EQ(out[i] % 2, 0) << in[i];
    }
  }
}

TEST(NumericConvert, IntegersBecomeBf16InOneRounding) {
  on_each_isa([](Isa) {
    expect_single_rounding<std::int32_t>(DType::i32);
    expect_single_rounding<std::uint32_t>(DType::u32);
    expect_single_rounding<std::int64_t>(DType::i64);
    expect_single_rounding<std::uint64_t>(DType::u64);
  });
}

TEST(NumericConvert, IntegersExtendBySignOfTheDtypeAndTruncateByBits) {
  on_each_isa([](Isa) {
    std::vector<std::uint8_t> bytes(256);
    for (int i = 0; i < 256; ++i) bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
    const auto sign_extended = run<std::int32_t>(converter(DType::i8, DType::i32), bytes.data(), 256);
    const auto zero_extended = run<std::int64_t>(converter(DType::u8, DType::i64), bytes.data(), 256);
    for (int i = 0; i < 256; ++i) {
      EXPECT_EQ(sign_extended[static_cast<std::size_t>(i)], i < 128 ? i : i - 256);
      EXPECT_EQ(zero_extended[static_cast<std::size_t>(i)], i);
    }
    const std::int64_t wide[] = {0x123456789ABCDEF0, -1, INT64_MIN, 255, 2};
    EXPECT_EQ(run<std::uint16_t>(converter(DType::i64, DType::u16), wide, 5),
              (std::vector<std::uint16_t>{0xDEF0, 0xFFFF, 0, 255, 2}));
    EXPECT_EQ(run<std::uint8_t>(converter(DType::i64, DType::b8), wide, 5),
              (std::vector<std::uint8_t>{0, 1, 0, 1, 0}));
  });
}

TEST(NumericConvert, BooleansAreOneUnsignedAndMinusOneSigned) {
  on_each_isa([](Isa) {
    const std::uint8_t in[] = {0, 1, 1, 0};
    EXPECT_EQ(run<std::int32_t>(converter(DType::b8, DType::i32), in, 4),
              (std::vector<std::int32_t>{0, 1, 1, 0}));
    EXPECT_EQ(run<std::int32_t>(signed_bool_converter(DType::i32), in, 4),
              (std::vector<std::int32_t>{0, -1, -1, 0}));
    EXPECT_EQ(run<float>(converter(DType::b8, DType::f32), in, 4), (std::vector<float>{0, 1, 1, 0}));
    EXPECT_EQ(run<float>(signed_bool_converter(DType::f32), in, 4), (std::vector<float>{0, -1, -1, 0}));
    EXPECT_EQ(run<std::uint16_t>(signed_bool_converter(DType::bf16), in, 4)[1], 0xBF80);
    EXPECT_EQ(run<std::uint8_t>(signed_bool_converter(DType::b8), in, 4),
              (std::vector<std::uint8_t>{0, 1, 1, 0}));
  });
}

TEST(NumericConvert, IntegersToFloatsRoundToNearestEven) {
  on_each_isa([](Isa) {
    const std::int32_t in[] = {0, 1, -1, 16777217, 16777219, INT32_MAX, INT32_MIN, 65505, 65520, 257};
    const auto f32 = run<float>(converter(DType::i32, DType::f32), in, std::size(in));
    for (std::size_t i = 0; i < std::size(in); ++i) EXPECT_EQ(f32[i], static_cast<float>(in[i]));
    const auto f16 = run<std::uint16_t>(converter(DType::i32, DType::f16), in, std::size(in));
    EXPECT_EQ(f16[7], 0x7BFF);
    EXPECT_EQ(f16[8], 0x7C00);
    const auto bf16 = run<std::uint16_t>(converter(DType::i32, DType::bf16), in, std::size(in));
    EXPECT_EQ(bf16[9], 0x4380);  // 257 is a tie between 256 and 258
    const std::uint64_t large[] = {UINT64_MAX, 0x8000008000000001u, 0x8000008000000000u};
    const auto from_u64 = run<float>(converter(DType::u64, DType::f32), large, 3);
    EXPECT_EQ(from_u64[0], 18446744073709551616.0F);
    EXPECT_EQ(from_u64[1], 9223373136366403584.0F);
    EXPECT_EQ(from_u64[2], 9223372036854775808.0F);
  });
}

TEST(NumericConvert, EveryPairOfRealDtypesHasAKernelAndComplexHasNone) {
  const DType real[] = {DType::b8,   DType::u8,     DType::i8,     DType::i16, DType::i32,
                        DType::i64,  DType::u16,    DType::u32,    DType::u64, DType::f16,
                        DType::bf16, DType::f8e4m3, DType::f8e5m2, DType::f32, DType::f64};
  for (DType from : real) {
    for (DType to : real) {
      EXPECT_NE(converter(from, to), nullptr);
      // 0 and 1 survive every conversion.
      const std::uint8_t zero_one[] = {0, 1};
      std::vector<std::uint64_t> a(2), b(2);
      converter(DType::b8, from)(zero_one, a.data(), 2);
      converter(from, to)(a.data(), b.data(), 2);
      EXPECT_EQ(run<double>(converter(to, DType::f64), b.data(), 2), (std::vector<double>{0, 1}))
          << name_of(from) << " to " << name_of(to);
    }
    EXPECT_EQ(converter(from, DType::c64), nullptr);
    EXPECT_EQ(converter(DType::c128, from), nullptr);
  }
}

TEST(NumericConvert, Tf32KeepsTenMantissaBits) {
  on_each_isa([](Isa) {
    const float in[] = {1.0F + std::exp2(-11.0F), 1.0F + std::exp2(-12.0F), -1.0F - std::exp2(-11.0F), 3.0F,
                        f32_of(0x7F800000),       f32_of(0x7F7FFFFF)};
    const auto away = run<float>(tf32_rounder(Tf32Mode::nearest_away), in, 6);
    EXPECT_EQ(away[0], 1.0F + std::exp2(-10.0F));
    EXPECT_EQ(away[1], 1.0F);
    EXPECT_EQ(away[2], -1.0F - std::exp2(-10.0F));
    EXPECT_EQ(away[3], 3.0F);
    EXPECT_TRUE(std::isinf(away[4]));
    EXPECT_TRUE(std::isinf(away[5]));
    const auto cut = run<float>(tf32_rounder(Tf32Mode::truncate), in, 6);
    EXPECT_EQ(cut[0], 1.0F);
    EXPECT_EQ(cut[5], f32_of(0x7F7FE000));
    const auto nan =
        run<float>(tf32_rounder(Tf32Mode::truncate), std::vector<float>{f32_of(0x7F800001)}.data(), 1);
    EXPECT_TRUE(std::isnan(nan[0]));
  });
}

TEST(NumericConvert, ScalarHelpersAgreeWithTheSpans) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    ASSERT_TRUE(same(f16_to_f32(half), value_of(bits, 5, 10, false)));
    ASSERT_TRUE(same(bf16_to_f32(half), value_of(bits, 8, 7, false)));
    if (!std::isnan(f16_to_f32(half))) {
      ASSERT_EQ(f32_to_f16(f16_to_f32(half)), half);
    }
    if (!std::isnan(bf16_to_f32(half))) {
      ASSERT_EQ(f32_to_bf16(bf16_to_f32(half)), half);
    }
  }
}

}  // namespace
}  // namespace kgb::vm::numeric::testing
