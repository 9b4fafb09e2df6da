// SPDX-License-Identifier: Apache-2.0
// Tables of special values by element type, and their placing.
#include "model/generate_special.hpp"

#include <array>
#include <cstdint>
#include <cstring>

namespace kgb::generating {
namespace {

struct Format {
  int mantissa, exponent;  // bits
  bool infinity;
  [[nodiscard]] std::uint64_t sign() const { return std::uint64_t{1} << (mantissa + exponent); }
  [[nodiscard]] std::uint64_t smallest_normal() const { return std::uint64_t{1} << mantissa; }
  [[nodiscard]] std::uint64_t one() const { return ((std::uint64_t{1} << (exponent - 1)) - 1) << mantissa; }
  [[nodiscard]] std::uint64_t infinity_bits() const {
    return ((std::uint64_t{1} << exponent) - 1) << mantissa;
  }
  // e4m3 uses its top exponent for numbers; all ones is its only NaN, and stands in for infinity.
  [[nodiscard]] std::uint64_t nan() const {
    return infinity ? infinity_bits() | smallest_normal() >> 1 : sign() - 1;
  }
  [[nodiscard]] std::uint64_t largest() const { return infinity ? infinity_bits() - 1 : sign() - 2; }
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3:
      return {3, 4, false};
    case DType::f8e5m2:
      return {2, 5, true};
    case DType::f16:
      return {10, 5, true};
    case DType::bf16:
      return {7, 8, true};
    case DType::f64:
      return {52, 11, true};
    default:
      return {23, 8, true};
  }
}

using Table = std::array<std::uint64_t, 16>;

Table integer_table(DType dtype) {
  const int bits = static_cast<int>(size_of(dtype)) * 8;
  const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  const bool natural = dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32 ||
                       dtype == DType::u64 || dtype == DType::b8;
  if (dtype == DType::b8) return {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
  const std::uint64_t low = natural ? 0 : std::uint64_t{1} << (bits - 1);
  const std::uint64_t high = natural ? all : low - 1;
  const std::uint64_t minus = natural ? 2 : all;  // -1 where there is one
  return {0, 1, low, high, minus, 2, low + 1, high - 1, 0, 1, low, high, minus, 3, high / 2, high / 2 + 1};
}

Table special_table(DType dtype) {
  if (!is_float(dtype)) return integer_table(dtype);
  const Format f = format_of(dtype);
  const std::uint64_t s = f.sign(), inf = f.infinity ? f.infinity_bits() : f.nan();
  const std::uint64_t middle = f.smallest_normal() / 2 + 1;
  return {0,          s,           inf,
          s | inf,    f.nan(),     inf,
          1,          s | 1,       middle,
          s | middle, f.largest(), s | f.largest(),
          f.one(),    s | f.one(), f.smallest_normal(),
          s | inf};
}

Table finite_table(DType dtype) {
  if (!is_float(dtype)) {
    const bool natural = !is_integer(dtype) || integer_table(dtype)[2] == 0;
    Table table{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    if (!natural) table[3] = table[7] = table[11] = integer_table(dtype)[4];
    return table;
  }
  const Format f = format_of(dtype);
  const std::uint64_t s = f.sign(), middle = f.smallest_normal() / 2 + 1, edge = f.smallest_normal();
  return {
      0,    s,        0,       s,           1,       s | 1,      middle, s | middle, edge - 1, s | (edge - 1),
      edge, s | edge, f.one(), s | f.one(), f.one(), s | f.one()};
}

void put_bits(DType dtype, std::uint64_t bits, std::size_t i, std::byte* to) {
  const std::size_t size = size_of(dtype);
  std::memcpy(to + i * size, &bits, size);  // little-endian, as all supported hosts are
}

void replace_from(const Table& table, DType dtype, const Words& words, std::size_t count, std::byte* to) {
  for (std::size_t i = 0; i < count; ++i) {
    if ((words.word[2][i] & 7u) == 0) put_bits(dtype, table[words.word[3][i] & 15u], i, to);
  }
}

}  // namespace

void replace_special(DType dtype, const Words& words, std::size_t count, std::byte* to) {
  replace_from(special_table(dtype), dtype, words, count, to);
}

void replace_finite(DType dtype, const Words& words, std::size_t count, std::byte* to) {
  replace_from(finite_table(dtype), dtype, words, count, to);
}

void replace_subnormal(DType dtype, const Words& words, std::size_t count, std::byte* to) {
  if (!is_float(dtype)) return;
  const Format f = format_of(dtype);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t random = std::uint64_t{words.word[1][i]} << 32 | words.word[0][i];
    std::uint64_t bits = random & (f.smallest_normal() - 1);
    if ((words.word[2][i] & 7u) == 0) bits = 0;
    if ((words.word[3][i] & 1u) != 0) bits |= f.sign();
    put_bits(dtype, bits, i, to);
  }
}

}  // namespace kgb::generating
