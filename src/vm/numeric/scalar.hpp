// SPDX-License-Identifier: Apache-2.0
// One-element conversions between the float formats and to integers, exact and branch-light.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace kgb::vm::numeric {

enum class Rounding : std::uint8_t { nearest_even, toward_zero };

// What a finite value beyond the fp8 range becomes. Infinity follows the same rule.
//   saturate: the largest finite value, as PTX cvt.satfinite and so Triton on sm_89 and later.
//   ieee: infinity (e5m2) or NaN (e4m3fn has no infinity), as a torch cast does.
enum class Fp8Overflow : std::uint8_t { saturate, ieee };

// A binary format with 1 sign bit, `exponent` bits and `mantissa` bits. finite_only: the top exponent holds
// numbers, and only the all-ones pattern is NaN (e4m3fn).
template <int ExponentBits, int MantissaBits, bool FiniteOnly, typename Storage>
struct Format {
  using Bits = Storage;
  static constexpr int exponent_bits = ExponentBits;
  static constexpr int mantissa_bits = MantissaBits;
  static constexpr bool finite_only = FiniteOnly;
  static constexpr int bias = (1 << (ExponentBits - 1)) - 1;
  static constexpr int min_exponent = 1 - bias;  // of the smallest normal
  static constexpr Bits sign_bit = static_cast<Bits>(Bits{1} << (ExponentBits + MantissaBits));
  static constexpr Bits all_ones = static_cast<Bits>(sign_bit - 1);
  static constexpr Bits infinity = static_cast<Bits>(((Bits{1} << ExponentBits) - 1) << MantissaBits);
  static constexpr Bits largest =
      FiniteOnly ? static_cast<Bits>(all_ones - 1) : static_cast<Bits>(infinity - 1);
  static constexpr Bits quiet_nan =
      FiniteOnly ? all_ones : static_cast<Bits>(infinity | (Bits{1} << (MantissaBits - 1)));
};
using F8E4M3 = Format<4, 3, true, std::uint8_t>;
using F8E5M2 = Format<5, 2, false, std::uint8_t>;
using F16 = Format<5, 10, false, std::uint16_t>;
using BF16 = Format<8, 7, false, std::uint16_t>;
using F32 = Format<8, 23, false, std::uint32_t>;

// The value of a pattern; exact. NaN payloads are not kept.
template <typename F>
constexpr double decode(typename F::Bits bits) {
  const std::uint64_t sign = (bits & F::sign_bit) ? std::uint64_t{1} << 63 : 0;
  const std::uint64_t magnitude = bits & F::all_ones;
  const std::uint64_t exponent = magnitude >> F::mantissa_bits;
  const std::uint64_t mantissa = magnitude & ((std::uint64_t{1} << F::mantissa_bits) - 1);
  if (F::finite_only ? magnitude == F::all_ones : magnitude > F::infinity)
    return std::bit_cast<double>(sign | 0x7FF8000000000000u);
  if (!F::finite_only && magnitude == F::infinity) return std::bit_cast<double>(sign | 0x7FF0000000000000u);
  if (exponent == 0) {
    constexpr double unit =
        std::bit_cast<double>(static_cast<std::uint64_t>(1023 + F::min_exponent - F::mantissa_bits) << 52);
    const double value = static_cast<double>(static_cast<std::int64_t>(mantissa)) * unit;
    return sign ? -value : value;
  }
  const std::uint64_t wide = (exponent + 1023 - F::bias) << 52 | mantissa << (52 - F::mantissa_bits);
  return std::bit_cast<double>(sign | wide);
}

// Rounds once from f64 (so from any narrower type too). Toward zero never overflows to infinity.
template <typename F>
constexpr typename F::Bits encode(double value, Rounding rounding = Rounding::nearest_even,
                                  Fp8Overflow overflow = Fp8Overflow::ieee) {
  using Bits = typename F::Bits;
  const std::uint64_t raw = std::bit_cast<std::uint64_t>(value);
  const Bits sign = (raw >> 63) ? F::sign_bit : Bits{0};
  const std::uint64_t magnitude = raw & ~(std::uint64_t{1} << 63);
  constexpr std::uint64_t wide_infinity = 0x7FF0000000000000u;
  if (magnitude > wide_infinity) return static_cast<Bits>(sign | F::quiet_nan);
  constexpr Bits over = F::finite_only ? F::all_ones : F::infinity;
  const Bits beyond = overflow == Fp8Overflow::saturate ? F::largest : over;
  if (magnitude == wide_infinity) return static_cast<Bits>(sign | beyond);
  const int biased = static_cast<int>(magnitude >> 52);
  const int exponent = (biased == 0 ? 1 : biased) - 1023;
  std::uint64_t mantissa = magnitude & 0xFFFFFFFFFFFFFu;
  if (biased != 0) mantissa |= std::uint64_t{1} << 52;
  int shift = 52 - F::mantissa_bits;
  std::uint64_t base = 0;
  if (exponent < F::min_exponent) {
    shift += F::min_exponent - exponent;
    if (shift > 60) shift = 60;
  } else {
    base = static_cast<std::uint64_t>(exponent - F::min_exponent) << F::mantissa_bits;
  }
  std::uint64_t kept = mantissa >> shift;
  const std::uint64_t rest = mantissa & ((std::uint64_t{1} << shift) - 1);
  const std::uint64_t half = std::uint64_t{1} << (shift - 1);
  if (rounding == Rounding::nearest_even && (rest > half || (rest == half && (kept & 1)))) ++kept;
  const std::uint64_t result = base + kept;
  if (result <= F::largest) return static_cast<Bits>(sign | result);
  return static_cast<Bits>(sign | (rounding == Rounding::toward_zero ? F::largest : beyond));
}

constexpr float bf16_to_f32(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}
// Nearest even; NaN becomes 0x7FFF with its sign, as PTX cvt.rn.bf16.f32 does but for the sign.
constexpr std::uint16_t f32_to_bf16(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16;
  const bool nan = (bits & 0x7FFFFFFFu) > 0x7F800000u;
  return static_cast<std::uint16_t>(nan ? (bits >> 16) | 0x7FFFu : rounded);
}
constexpr float f16_to_f32(std::uint16_t bits) {
  return static_cast<float>(decode<F16>(bits));
}
constexpr std::uint16_t f32_to_f16(float value) {
  return encode<F16>(value);
}
constexpr float f8e4m3_to_f32(std::uint8_t bits) {
  return static_cast<float>(decode<F8E4M3>(bits));
}
constexpr float f8e5m2_to_f32(std::uint8_t bits) {
  return static_cast<float>(decode<F8E5M2>(bits));
}
constexpr std::uint8_t f32_to_f8e4m3(float value, Fp8Overflow overflow = Fp8Overflow::saturate) {
  return encode<F8E4M3>(value, Rounding::nearest_even, overflow);
}
constexpr std::uint8_t f32_to_f8e5m2(float value, Fp8Overflow overflow = Fp8Overflow::saturate) {
  return encode<F8E5M2>(value, Rounding::nearest_even, overflow);
}

// How a tensor core reads an f32 operand: truncation is what the hardware does with raw f32 bits, rna is what
// cvt.rna.tf32.f32 gives (nearest, ties away from zero). NaN and infinity stay.
enum class Tf32Mode : std::uint8_t { truncate, nearest_away };
constexpr float to_tf32(float value, Tf32Mode mode) {
  std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const bool finite = (bits & 0x7F800000u) != 0x7F800000u;
  if (!finite) return value;
  if (mode == Tf32Mode::nearest_away) bits += 0x1000u;
  return std::bit_cast<float>(bits & 0xFFFFE000u);
}

// PTX cvt.rzi: saturates. NaN gives 0, but 1 << (bits - 1) when the source is f64 or the result has 64 bits.
template <typename Int, typename Float>
constexpr Int float_to_int(Float value) {
  using Limits = std::numeric_limits<Int>;
  if (value != value) {
    constexpr bool top_bit = sizeof(Float) == 8 || sizeof(Int) == 8;
    return top_bit ? static_cast<Int>(std::make_unsigned_t<Int>{1} << (sizeof(Int) * 8 - 1)) : Int{0};
  }
  // 2^digits is exact in every float type, unlike max().
  constexpr Float above = static_cast<Float>(std::uint64_t{1} << (Limits::digits - 1)) * Float{2};
  if (value >= above) return Limits::max();
  if (value <= static_cast<Float>(Limits::min())) return Limits::min();
  return static_cast<Int>(value);
}

}  // namespace kgb::vm::numeric
