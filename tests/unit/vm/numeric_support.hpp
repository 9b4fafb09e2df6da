// SPDX-License-Identifier: Apache-2.0
// Shared by the tests of the VM's numerics: runs a check on every instruction set, and formats by definition.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "vm/numeric/numeric.hpp"

namespace kgb::vm::numeric::testing {

// Calls check(isa) with each supported instruction set active, then restores the first.
template <typename Check>
void on_each_isa(Check check) {
  const Isa before = active_isa();
  for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    if (!use_isa(isa)) continue;
    SCOPED_TRACE(::testing::Message() << "isa " << name_of(isa));
    check(isa);
  }
  use_isa(before);
}

// The value of a bit pattern, by the definition of the format and ldexp.
inline double value_of(std::uint32_t bits, int exponent_bits, int mantissa_bits, bool finite_only) {
  const std::uint32_t mantissa = bits & ((1u << mantissa_bits) - 1);
  const std::uint32_t exponent = (bits >> mantissa_bits) & ((1u << exponent_bits) - 1);
  const bool negative = (bits >> (exponent_bits + mantissa_bits)) & 1;
  const std::uint32_t top = (1u << exponent_bits) - 1;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  double magnitude = 0;
  if (exponent == top && !finite_only) {
    magnitude =
        mantissa == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  } else if (finite_only && exponent == top && mantissa == (1u << mantissa_bits) - 1) {
    magnitude = std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(mantissa, 1 - bias - mantissa_bits);
  } else {
    magnitude = std::ldexp(static_cast<double>(mantissa + (1u << mantissa_bits)),
                           static_cast<int>(exponent) - bias - mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

struct NarrowFormat {
  DType dtype;
  int exponent_bits, mantissa_bits;
  bool finite_only;
  [[nodiscard]] std::uint32_t patterns() const { return 2u << (exponent_bits + mantissa_bits); }
  [[nodiscard]] double value(std::uint32_t bits) const {
    return value_of(bits, exponent_bits, mantissa_bits, finite_only);
  }
};
inline constexpr NarrowFormat narrow_formats[] = {{DType::f8e4m3, 4, 3, true},
                                                  {DType::f8e5m2, 5, 2, false},
                                                  {DType::f16, 5, 10, false},
                                                  {DType::bf16, 8, 7, false}};

inline bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

template <typename T>
std::vector<T> run(UnaryFn fn, const void* in, std::size_t n) {
  std::vector<T> out(n);
  fn(in, out.data(), n);
  return out;
}

// Distance in units in the last place of the f32 nearest to `exact`.
inline double ulps(float actual, long double exact) {
  if (std::isnan(actual) && std::isnan(exact)) return 0;
  if (std::isnan(actual) || std::isnan(exact)) return std::numeric_limits<double>::infinity();
  if (std::isinf(actual)) {
    // Infinity is right from half a unit above the largest finite value on.
    const bool right = std::isinf(exact) || std::abs(exact) >= 0x1.FFFFFFp127L;
    return right && std::signbit(actual) == std::signbit(exact) ? 0 : std::numeric_limits<double>::infinity();
  }
  const int exponent = exact == 0 ? -126 : std::max(-126, std::ilogb(exact));
  return static_cast<double>(std::abs(actual - exact) / std::ldexp(1.0L, exponent - 23));
}

inline float f32_of(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

// Every `step`-th f32 pattern, so all exponents, both signs, infinities and NaN, plus awkward values.
inline std::vector<float> f32_samples(std::uint32_t step) {
  std::vector<float> samples = {0.0F,
                                -0.0F,
                                1.0F,
                                -1.0F,
                                0.5F,
                                -0.5F,
                                1e-45F,
                                -1e-45F,
                                1.17549435e-38F,
                                1.17549421e-38F,
                                3.40282347e38F,
                                -3.40282347e38F,
                                f32_of(0x7F800000),
                                f32_of(0xFF800000),
                                f32_of(0x7FC00000)};
  for (std::uint64_t bits = 0; bits < (std::uint64_t{1} << 32); bits += step)
    samples.push_back(f32_of(static_cast<std::uint32_t>(bits)));
  return samples;
}

}  // namespace kgb::vm::numeric::testing
