// SPDX-License-Identifier: Apache-2.0
// Inner loops of generate(), shaped for the vectoriser; integers and IEEE + - * only, so that all machines
// agree.
#include "model/generate_words.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

// One clone per instruction set: the loops are many times faster with wide multiplies. Sanitizers cannot
// follow the resolver that runs before their start.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define KGB_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define KGB_CLONES
#endif

namespace kgb::generating {
namespace {

constexpr std::size_t kGroup = 16;  // lanes whose state stays in registers

// Rounds a float to a narrower one of M mantissa bits and exponent bias B, to nearest even. The input is
// within the narrow type's range or not finite.
template <int M, int B>
std::uint32_t narrow(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  constexpr int shift = 23 - M;
  constexpr std::uint32_t smallest_normal = static_cast<std::uint32_t>(127 + 1 - B) << 23;
  // Adding a float whose unit in the last place is the narrow type's subnormal step rounds there.
  constexpr std::uint32_t step = static_cast<std::uint32_t>(127 + 23 + 1 - B - M) << 23;
  const std::uint32_t small =
      std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(step)) - step;
  const std::uint32_t rounded = magnitude + ((1u << (shift - 1)) - 1) + ((magnitude >> shift) & 1u);
  const std::uint32_t normal = (rounded - (static_cast<std::uint32_t>(127 - B) << 23)) >> shift;
  return magnitude < smallest_normal ? small : normal;
}

template <typename T>
void put(std::byte* to, std::size_t i, T value) {
  std::memcpy(to + i * sizeof(T), &value, sizeof(T));
}

// Finite values stay finite: an overflow to infinity would be a special value that nobody asked for.
inline double within(double value, double largest) {
  const double low = value < -largest ? -largest : value;
  const double both = low > largest ? largest : low;
  return std::abs(value) <= std::numeric_limits<double>::max() ? both : value;
}

KGB_CLONES void store_f32(const double* values, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    put(to, i, static_cast<float>(within(values[i], static_cast<double>(std::numeric_limits<float>::max()))));
  }
}

KGB_CLONES void store_bf16(const double* values, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(within(values[i], 0x1.fep127));
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const bool nan = (bits & 0x7fffffffu) > 0x7f800000u;
    put(to, i, static_cast<std::uint16_t>(nan ? sign | 0x7fc0u : rounded));
  }
}

KGB_CLONES void store_f16(const double* values, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(within(values[i], 65504.0));
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t sign = (bits >> 16) & 0x8000u;
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t special = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;
    put(to, i,
        static_cast<std::uint16_t>(sign | (magnitude >= 0x7f800000u ? special : narrow<10, 15>(value))));
  }
}

template <int M, int B>
void store_f8(const double* values, std::size_t count, double largest, std::uint32_t infinity,
              std::uint32_t nan, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    const float value = static_cast<float>(within(values[i], largest));
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t special = magnitude > 0x7f800000u ? nan : infinity;
    const std::uint32_t code = magnitude >= 0x7f800000u ? special : narrow<M, B>(value);
    put(to, i, static_cast<std::uint8_t>((bits >> 24 & 0x80u) | code));
  }
}

template <typename T>
void store_integer(const double* values, std::size_t count, std::byte* to) {
  // 2^digits: the first double above the type's range.
  const double above = std::ldexp(1.0, std::numeric_limits<T>::digits);
  const double lowest = static_cast<double>(std::numeric_limits<T>::lowest());
  for (std::size_t i = 0; i < count; ++i) {
    const double value = std::floor(values[i]);
    T stored = std::numeric_limits<T>::max();
    if (value < above) stored = value < lowest ? std::numeric_limits<T>::lowest() : static_cast<T>(value);
    put(to, i, stored);
  }
}

}  // namespace

KGB_CLONES void random_words(std::uint64_t first, std::uint32_t block, PhiloxKey key, Words& words) {
  for (std::size_t base = 0; base < kLanes; base += kGroup) {
    std::uint32_t c0[kGroup], c1[kGroup], c2[kGroup], c3[kGroup];
    for (std::size_t i = 0; i < kGroup; ++i) {
      const std::uint64_t counter = first + base + i;
      c0[i] = static_cast<std::uint32_t>(counter);
      c1[i] = static_cast<std::uint32_t>(counter >> 32);
      c2[i] = block;
      c3[i] = 0;
    }
    std::uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; ++round) {
      for (std::size_t i = 0; i < kGroup; ++i) {
        const std::uint64_t a = std::uint64_t{0xd2511f53} * c0[i];
        const std::uint64_t b = std::uint64_t{0xcd9e8d57} * c2[i];
        c0[i] = static_cast<std::uint32_t>(b >> 32) ^ c1[i] ^ k0;
        c1[i] = static_cast<std::uint32_t>(b);
        c2[i] = static_cast<std::uint32_t>(a >> 32) ^ c3[i] ^ k1;
        c3[i] = static_cast<std::uint32_t>(a);
      }
      k0 += 0x9e3779b9u;
      k1 += 0xbb67ae85u;
    }
    for (std::size_t i = 0; i < kGroup; ++i) {
      words.word[0][base + i] = c0[i];
      words.word[1][base + i] = c1[i];
      words.word[2][base + i] = c2[i];
      words.word[3][base + i] = c3[i];
    }
  }
}

KGB_CLONES void unit_reals(const Words& words, double* out) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::uint64_t bits = (std::uint64_t{words.word[1][i]} << 32 | words.word[0][i]) >> 12;
    out[i] = std::bit_cast<double>(bits | 0x3ff0000000000000u) - 1.0;
  }
}

KGB_CLONES void unit_normals(const Words& a, const Words& b, double* out) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    std::uint32_t sum = 0;
    for (int k = 0; k < 4; ++k) sum += (a.word[k][i] & 0xffffu) + (a.word[k][i] >> 16);
    for (int k = 0; k < 2; ++k) sum += (b.word[k][i] & 0xffffu) + (b.word[k][i] >> 16);
    out[i] = static_cast<double>(static_cast<std::int32_t>(sum) - 393210) * 0x1p-16;
  }
}

KGB_CLONES void affine(double low, double scale, double* out) {
  for (std::size_t i = 0; i < kLanes; ++i) out[i] = low + scale * out[i];
}

void store_values(const double* values, std::size_t count, DType dtype, std::byte* to) {
  switch (dtype) {
    case DType::f32:
      return store_f32(values, count, to);
    case DType::f16:
      return store_f16(values, count, to);
    case DType::bf16:
      return store_bf16(values, count, to);
    case DType::f8e4m3:
      return store_f8<3, 7>(values, count, 448.0, 0x7f, 0x7f, to);
    case DType::f8e5m2:
      return store_f8<2, 15>(values, count, 57344.0, 0x7c, 0x7e, to);
    case DType::i8:
      return store_integer<std::int8_t>(values, count, to);
    case DType::u8:
      return store_integer<std::uint8_t>(values, count, to);
    case DType::i16:
      return store_integer<std::int16_t>(values, count, to);
    case DType::u16:
      return store_integer<std::uint16_t>(values, count, to);
    case DType::i32:
      return store_integer<std::int32_t>(values, count, to);
    case DType::u32:
      return store_integer<std::uint32_t>(values, count, to);
    case DType::i64:
      return store_integer<std::int64_t>(values, count, to);
    case DType::u64:
      return store_integer<std::uint64_t>(values, count, to);
    case DType::b8:
      for (std::size_t i = 0; i < count; ++i) put(to, i, static_cast<std::uint8_t>(values[i] > 0 ? 1 : 0));
      return;
    case DType::f64:
      if (count > 0) std::memcpy(to, values, count * sizeof(double));
      return;
    case DType::c64:
      return store_f32(values, count, to);  // components
    case DType::c128:
      return store_values(values, count, DType::f64, to);
  }
}

}  // namespace kgb::generating
