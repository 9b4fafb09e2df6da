// SPDX-License-Identifier: Apache-2.0
// Decoding of float formats in loops that vectorise, and one-step rounding from double.
#include "model/element.hpp"

#include <algorithm>
#include <array>

#include "model/simd.hpp"

namespace kgb {
namespace {

template <typename T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// A 16-bit pattern with 5 exponent bits moved into f32's place and scaled: subnormals come out right, and the
// top exponent is moved to f32's own.
inline float half_to_float(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t magnitude = (bits & 0x7FFFu) << 13;
  const float scaled = std::bit_cast<float>(magnitude) * 0x1p112f;
  const std::uint32_t top = (bits & 0x7C00u) == 0x7C00u ? 0x7F800000u : 0u;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | top | sign);
}

double e4m3(unsigned bits) {
  const double sign = bits & 0x80 ? -1.0 : 1.0;
  const unsigned exponent = bits >> 3 & 15, mantissa = bits & 7;
  if (exponent == 15 && mantissa == 7) return std::nan("");
  if (exponent == 0) return sign * mantissa * 0x1p-9;
  return sign * std::ldexp(8 + mantissa, static_cast<int>(exponent) - 10);
}

const std::array<double, 256>& e4m3_table() {
  static const std::array<double, 256> table = [] {
    std::array<double, 256> t{};
    for (unsigned i = 0; i < 256; ++i) t[i] = e4m3(i);
    return t;
  }();
  return table;
}

KGB_SIMD void decode_f16(const std::byte* bytes, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = half_to_float(load<std::uint16_t>(bytes + 2 * i));
}
KGB_SIMD void decode_bf16(const std::byte* bytes, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(load<std::uint16_t>(bytes + 2 * i)) << 16);
}
KGB_SIMD void decode_f32(const std::byte* bytes, double* out, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) out[i] = load<float>(bytes + 4 * i);
}

template <typename T>
void widen(const std::byte* bytes, std::span<std::int64_t> out) {
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<std::int64_t>(load<T>(bytes + sizeof(T) * i));
}

struct Format {
  int precision;     // bits with the hidden one
  int min_exponent;  // of the smallest normal
};
Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3:
      return {4, -6};
    case DType::f8e5m2:
      return {3, -14};
    case DType::f16:
      return {11, -14};
    case DType::bf16:
      return {8, -126};
    case DType::f32:
      return {24, -126};
    default:
      return {53, -1022};
  }
}

}  // namespace

void decode_reals(DType dtype, const std::byte* bytes, std::span<double> out) {
  const std::size_t n = out.size();
  switch (component_of(dtype)) {
    case DType::f32:
      return decode_f32(bytes, out.data(), n);
    case DType::f16:
      return decode_f16(bytes, out.data(), n);
    case DType::bf16:
      return decode_bf16(bytes, out.data(), n);
    case DType::f8e4m3: {
      const auto& table = e4m3_table();
      for (std::size_t i = 0; i < n; ++i) out[i] = table[std::to_integer<unsigned>(bytes[i])];
      return;
    }
    case DType::f8e5m2:
      for (std::size_t i = 0; i < n; ++i)
        out[i] = half_to_float(std::to_integer<std::uint32_t>(bytes[i]) << 8);
      return;
    default:
      if (n > 0) std::memcpy(out.data(), bytes, n * sizeof(double));
  }
}

void decode_integers(DType dtype, const std::byte* bytes, std::span<std::int64_t> out) {
  switch (dtype) {
    case DType::b8:
    case DType::u8:
      return widen<std::uint8_t>(bytes, out);
    case DType::i8:
      return widen<std::int8_t>(bytes, out);
    case DType::i16:
      return widen<std::int16_t>(bytes, out);
    case DType::u16:
      return widen<std::uint16_t>(bytes, out);
    case DType::i32:
      return widen<std::int32_t>(bytes, out);
    case DType::u32:
      return widen<std::uint32_t>(bytes, out);
    default:
      return widen<std::int64_t>(bytes, out);
  }
}

double overflow_threshold(DType dtype) {
  const DType part = component_of(dtype);
  if (part == DType::f64) return std::numeric_limits<double>::infinity();
  const double largest = largest_finite(part);
  return largest + std::ldexp(unit_roundoff(part), std::ilogb(largest));
}

double round_to_dtype(double value, DType dtype) {
  const DType part = component_of(dtype);
  if (!is_float(part) || part == DType::f64 || !std::isfinite(value)) {
    const bool no_infinity = part == DType::f8e4m3 && std::isinf(value);
    return no_infinity ? std::nan("") : value;
  }
  if (part == DType::f32) return static_cast<double>(static_cast<float>(value));
  if (value == 0) return value;
  const auto [precision, min_exponent] = format_of(part);
  const int exponent = std::max(std::ilogb(value), min_exponent);
  const int unit = exponent - precision + 1;  // exponent of the last place; scaling by it is exact
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  if (std::abs(rounded) <= largest_finite(part)) return rounded;
  return part == DType::f8e4m3 ? std::nan("") : std::copysign(std::numeric_limits<double>::infinity(), value);
}

}  // namespace kgb
