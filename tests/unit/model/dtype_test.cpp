// SPDX-License-Identifier: Apache-2.0
// The dtype table against std::numeric_limits and the definitions of the small formats.
#include "model/dtype.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>
#include <string>

namespace kgb {
namespace {

constexpr DType every_dtype[] = {DType::b8,     DType::u8,  DType::i8,   DType::i16, DType::i32,
                                 DType::i64,    DType::u16, DType::u32,  DType::u64, DType::f8e4m3,
                                 DType::f8e5m2, DType::f16, DType::bf16, DType::f32, DType::f64,
                                 DType::c64,    DType::c128};

TEST(DType, EveryNameIsUniqueAndFindsItsDtype) {
  std::set<std::string_view> names;
  for (DType dtype : every_dtype) {
    EXPECT_TRUE(names.insert(name_of(dtype)).second) << name_of(dtype);
    EXPECT_EQ(dtype_named(name_of(dtype)), dtype);
  }
}

TEST(DType, UnknownNamesAreRefused) {
  for (std::string_view name : {"", "float32", "F32", "f32 ", "f8", "i128"})
    EXPECT_FALSE(dtype_named(name)) << name;
}

TEST(DType, SizesFollowTheName) {
  EXPECT_EQ(size_of(DType::b8), 1u);
  EXPECT_EQ(size_of(DType::f8e4m3), 1u);
  EXPECT_EQ(size_of(DType::f8e5m2), 1u);
  for (DType dtype : {DType::u8, DType::i16, DType::i32, DType::u64, DType::f16, DType::f32, DType::f64,
                      DType::c64, DType::c128}) {
    const std::string digits(name_of(dtype).substr(1));
    EXPECT_EQ(size_of(dtype) * 8, std::stoul(digits)) << name_of(dtype);
  }
  EXPECT_EQ(size_of(DType::bf16), 2u);
}

TEST(DType, EveryDtypeIsOfExactlyOneKind) {
  for (DType dtype : every_dtype) {
    const int kinds = is_float(dtype) + is_complex(dtype) + is_integer(dtype) + (dtype == DType::b8);
    EXPECT_EQ(kinds, 1) << name_of(dtype);
  }
}

template <typename T>
void expect_limits(DType dtype) {
  using L = std::numeric_limits<T>;
  EXPECT_EQ(unit_roundoff(dtype), static_cast<double>(L::epsilon()) / 2);
  EXPECT_EQ(smallest_subnormal(dtype), static_cast<double>(L::denorm_min()));
  EXPECT_EQ(largest_finite(dtype), static_cast<double>(L::max()));
}

TEST(DType, LimitsOfTheNativeFloats) {
  expect_limits<float>(DType::f32);
  expect_limits<double>(DType::f64);
  expect_limits<float>(DType::c64);
  expect_limits<double>(DType::c128);
}

// p bits with the hidden one, emax and emin of the format.
void expect_format(DType dtype, int precision, int smallest_normal_exponent, double largest) {
  EXPECT_EQ(unit_roundoff(dtype), std::exp2(-precision));
  EXPECT_EQ(smallest_subnormal(dtype), std::exp2(smallest_normal_exponent - (precision - 1)));
  EXPECT_EQ(largest_finite(dtype), largest);
}

TEST(DType, LimitsOfTheNarrowFloats) {
  expect_format(DType::f16, 11, -14, 65504);
  expect_format(DType::bf16, 8, -126, (2 - std::exp2(-7)) * std::exp2(127));
  expect_format(DType::f8e4m3, 4, -6, 448);
  expect_format(DType::f8e5m2, 3, -14, 57344);
}

TEST(DType, IntegersHaveNoRoundoff) {
  for (DType dtype : every_dtype)
    if (is_integer(dtype) || dtype == DType::b8) {
      EXPECT_EQ(unit_roundoff(dtype), 0.0);
      EXPECT_EQ(smallest_subnormal(dtype), 0.0);
    }
  EXPECT_EQ(largest_finite(DType::i8), 127.0);
  EXPECT_EQ(largest_finite(DType::u32), 4294967295.0);
}

}  // namespace
}  // namespace kgb
