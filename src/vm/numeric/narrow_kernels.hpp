// SPDX-License-Identifier: Apache-2.0
// Spans of 8- and 16-bit floats to f32 and back. Included per instruction set (see for_each_isa.hpp).
namespace {

// Chunk that the narrow formats are widened in: it and its two operands stay in L1.
constexpr std::size_t chunk_size = 512;

struct NarrowF16 {
  using Bits = std::uint16_t;
  using F = F16;
};
struct NarrowBF16 {
  using Bits = std::uint16_t;
  using F = BF16;
};
struct NarrowE4M3 {
  using Bits = std::uint8_t;
  using F = F8E4M3;
};
struct NarrowE5M2 {
  using Bits = std::uint8_t;
  using F = F8E5M2;
};

// Pattern of an f16 as f32 without F16C: the exponent is moved, subnormals are made by one exact subtraction.
inline float widen_f16_bits(std::uint32_t bits) {
  const std::uint32_t shifted = (bits & 0x7FFFu) << 13;
  const std::uint32_t exponent = shifted & 0x0F800000u;
  const std::uint32_t normal = shifted + (112u << 23);
  const std::uint32_t special = shifted + (224u << 23);
  const float subnormal = std::bit_cast<float>(shifted + (113u << 23)) - std::bit_cast<float>(113u << 23);
  const std::uint32_t picked = exponent == 0x0F800000u ? special : normal;
  const std::uint32_t magnitude = exponent == 0 ? std::bit_cast<std::uint32_t>(subnormal) : picked;
  return std::bit_cast<float>(magnitude | (bits & 0x8000u) << 16);
}

[[gnu::noinline, maybe_unused]] void widen(NarrowF16, const std::uint16_t* in, float* out, std::size_t n) {
  std::size_t i = 0;
#if KGB_ISA_LEVEL == 3
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(
        out + i, _mm512_maskz_cvtph_ps(0xFFFF, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(in + i))));
#elif KGB_ISA_LEVEL == 2
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(in + i))));
#endif
  KGB_INDEPENDENT
  for (std::size_t j = i; j < n; ++j) out[j] = widen_f16_bits(in[j]);
}

[[gnu::noinline, maybe_unused]] void widen(NarrowBF16, const std::uint16_t* in, float* out, std::size_t n) {
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(in[i]) << 16);
}

[[gnu::noinline, maybe_unused]] void widen(NarrowE5M2, const std::uint8_t* in, float* out, std::size_t n) {
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = widen_f16_bits(static_cast<std::uint32_t>(in[i]) << 8);
}

[[gnu::noinline, maybe_unused]] void widen(NarrowE4M3, const std::uint8_t* in, float* out, std::size_t n) {
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t magnitude = in[i] & 0x7Fu;
    // As bits of an f32 with exponent bias 7 moved to 127; subnormals by one exact subtraction.
    const std::uint32_t shifted = magnitude << 20;
    const float subnormal = std::bit_cast<float>(shifted + (121u << 23)) - std::bit_cast<float>(121u << 23);
    const std::uint32_t finite =
        magnitude < 8 ? std::bit_cast<std::uint32_t>(subnormal) : shifted + (120u << 23);
    const std::uint32_t value = magnitude == 0x7Fu ? 0x7FC00000u : finite;
    out[i] = std::bit_cast<float>(value | (in[i] & 0x80u) << 24);
  }
}

// f32 to a narrower format, nearest even. `beyond` is the magnitude for what exceeds the range.
template <typename F>
inline std::uint32_t narrow_bits(float value, std::uint32_t beyond) {
  constexpr int drop = 23 - F::mantissa_bits;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - F::bias) << F::mantissa_bits;
  const std::uint32_t rounded = magnitude + ((1u << (drop - 1)) - 1u) + ((magnitude >> drop) & 1u);
  const std::uint32_t normal = (rounded >> drop) - rebias;
  // Adding 2^(23 + exponent of the last place) leaves the rounded subnormal in the low bits.
  constexpr std::uint32_t magic = static_cast<std::uint32_t>(127 + F::min_exponent - F::mantissa_bits + 23)
                                  << 23;
  const float moved = std::bit_cast<float>(magnitude) + std::bit_cast<float>(magic);
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(moved) - magic;
  constexpr std::uint32_t smallest_normal = static_cast<std::uint32_t>(127 + F::min_exponent) << 23;
  std::uint32_t result = magnitude < smallest_normal ? subnormal : normal;
  constexpr std::uint32_t top = static_cast<std::uint32_t>(127 + F::bias + 2) << 23;  // safely out of range
  result = (magnitude >= top || result > F::largest) ? beyond : result;
  result = magnitude > 0x7F800000u ? static_cast<std::uint32_t>(F::quiet_nan) : result;
  return result | (bits >> 31) * static_cast<std::uint32_t>(F::sign_bit);
}

template <typename Narrow>
inline void narrow_span(const float* in, typename Narrow::Bits* out, std::size_t n, std::uint32_t beyond) {
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i)
    out[i] = static_cast<typename Narrow::Bits>(narrow_bits<typename Narrow::F>(in[i], beyond));
}

[[gnu::noinline, maybe_unused]] void narrow(NarrowF16, const float* in, std::uint16_t* out, std::size_t n) {
  std::size_t i = 0;
#if KGB_ISA_LEVEL == 3
  for (; i + 16 <= n; i += 16)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + i),
                        _mm512_maskz_cvtps_ph(0xFFFF, _mm512_loadu_ps(in + i),
                                              _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
#elif KGB_ISA_LEVEL == 2
  for (; i + 8 <= n; i += 8)
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#endif
  narrow_span<NarrowF16>(in + i, out + i, n - i, F16::infinity);
}

[[gnu::noinline, maybe_unused]] void narrow(NarrowBF16, const float* in, std::uint16_t* out, std::size_t n) {
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = f32_to_bf16(in[i]);
}

}  // namespace
