// SPDX-License-Identifier: Apache-2.0
// The instruction cvt: between integers and floats, and packs of narrow floats.
#include <algorithm>
#include <bit>
#include <cmath>

#include "vm/numeric/scalar.hpp"
#include "vm/ptx/values.hpp"

namespace kgb::vm::ptx {
namespace {

uint64_t to_e2m1(double value) {
  static constexpr double values[] = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
  if (std::isnan(value)) return 7;
  const double magnitude = std::fabs(value);
  uint64_t best = 0;
  for (uint64_t code = 1; code < 8; ++code) {
    const double gain = std::fabs(values[code] - magnitude) - std::fabs(values[best] - magnitude);
    if (gain < 0 || (gain == 0 && (code & 1) == 0)) best = code;
  }
  return std::signbit(value) ? best | 8 : best;
}

// One element of a packed pair of narrow floats; always saturating to the largest finite value.
uint64_t to_narrow(Kind pair, double value, bool relu) {
  if (relu && value < 0) value = 0.0;
  if (pair == Kind::e2m1x2) return to_e2m1(value);
  if (std::isnan(value)) return 0x7F;
  return pair == Kind::e4m3x2 ? numeric::encode<numeric::F8E4M3>(value, numeric::Rounding::nearest_even,
                                                                 numeric::Fp8Overflow::saturate)
                              : numeric::encode<numeric::F8E5M2>(value, numeric::Rounding::nearest_even,
                                                                 numeric::Fp8Overflow::saturate);
}

double from_narrow(Kind pair, uint64_t bits) {
  static constexpr double values[] = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
  const auto code = static_cast<std::uint8_t>(bits);
  if (pair == Kind::e2m1x2) return (bits & 8) != 0 ? -values[bits & 7] : values[bits & 7];
  return pair == Kind::e4m3x2 ? numeric::decode<numeric::F8E4M3>(code)
                              : numeric::decode<numeric::F8E5M2>(code);
}

double rounded(double value, Round round) {
  switch (round) {
    case Round::zero:
      return std::trunc(value);
    case Round::down:
      return std::floor(value);
    case Round::up:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

uint64_t float_to_integer(const Step& step, double value) {
  value = rounded(value, step.integral ? step.round : Round::zero);
  const unsigned bits = bits_of(step.type);
  const bool source_wide = step.from == Kind::f64 || bits == 64;
  if (std::isnan(value)) return source_wide ? uint64_t{1} << (bits - 1) : 0;
  const double top = std::ldexp(1.0, static_cast<int>(is_signed(step.type) ? bits - 1 : bits));
  if (!is_signed(step.type))
    return value <= 0 ? 0 : value >= top ? ~uint64_t{0} : static_cast<uint64_t>(value);
  if (value >= top) return (uint64_t{1} << (bits - 1)) - 1;
  return value <= -top ? uint64_t{1} << (bits - 1) : static_cast<uint64_t>(static_cast<std::int64_t>(value));
}

uint64_t integer_to_integer(const Step& step, uint64_t bits) {
  const auto value = is_signed(step.from) ? static_cast<SignedWide>(extended(bits, bits_of(step.from)))
                                          : static_cast<SignedWide>(low(bits, bits_of(step.from)));
  if (!step.saturate) return static_cast<uint64_t>(value);
  const unsigned width = bits_of(step.type);
  const SignedWide one = 1, top = is_signed(step.type) ? (one << (width - 1)) - 1 : (one << width) - 1;
  const SignedWide bottom = is_signed(step.type) ? -top - 1 : 0;
  return static_cast<uint64_t>(std::clamp(value, bottom, top));
}

}  // namespace

uint64_t convert(const Step& step, const uint64_t* in) {
  const Kind to = step.type, from = step.from;
  if (to == Kind::tf32) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(in[0]));
    if (step.round == Round::nearest_away || step.round == Round::zero)
      return std::bit_cast<std::uint32_t>(numeric::to_tf32(
          value, step.round == Round::zero ? numeric::Tf32Mode::truncate : numeric::Tf32Mode::nearest_away));
    const auto bits = std::bit_cast<std::uint32_t>(value);  // nearest, ties to even
    return std::isfinite(value) ? (bits + 0xFFFU + (bits >> 13 & 1U)) & 0xFFFFE000U : bits;
  }
  const bool pair_from = from == Kind::f16x2 || from >= Kind::e4m3x2;
  if (to == Kind::f16x2 || to == Kind::bf16x2 || to >= Kind::e4m3x2) {
    // The first source is the upper half.
    const unsigned half = bits_of(to) / 2;
    double value[2] = {};
    for (unsigned i = 0; i < 2; ++i) {
      if (!pair_from)
        value[i] = flushed(read(Kind::f32, in[1 - i]), step.ftz);
      else if (from == Kind::f16x2)
        value[i] = read(Kind::f16, in[0] >> (16 * i) & 0xFFFF);
      else
        value[i] = from_narrow(from, low(in[0] >> (bits_of(from) / 2 * i), bits_of(from) / 2));
    }
    uint64_t out = 0;
    for (unsigned i = 0; i < 2; ++i) {
      double v = value[i];
      if (to < Kind::e4m3x2) {
        if (step.relu && v < 0) v = 0.0;
        const Kind element = to == Kind::f16x2 ? Kind::f16 : Kind::bf16;
        uint64_t bits = write(element, v, step.round);
        if (step.finite && std::isinf(read(element, bits))) --bits;
        out |= bits << (half * i);
      } else {
        out |= to_narrow(to, v, step.relu) << (half * i);
      }
    }
    return out;
  }
  if (!is_float(from)) {
    if (!is_float(to)) return integer_to_integer(step, in[0]);
    const unsigned bits = bits_of(from);
    if (to == Kind::f32 && step.round == Round::nearest)
      return std::bit_cast<std::uint32_t>(is_signed(from) ? static_cast<float>(extended(in[0], bits))
                                                          : static_cast<float>(low(in[0], bits)));
    return write(
        to,
        is_signed(from) ? static_cast<double>(extended(in[0], bits)) : static_cast<double>(low(in[0], bits)),
        step.round);
  }
  double value = flushed(read(from, in[0]), step.ftz);
  if (!is_float(to)) return float_to_integer(step, value);
  if (step.integral) value = rounded(value, step.round);
  if (step.saturate) value = value > 0 ? std::min(value, 1.0) : 0.0;
  if (step.relu && value < 0) value = 0.0;
  uint64_t bits = write(to, value, step.integral ? Round::nearest : step.round);
  if (step.finite && std::isinf(read(to, bits))) --bits;
  return bits;
}

}  // namespace kgb::vm::ptx
