// SPDX-License-Identifier: Apache-2.0
// Base64 (RFC 4648, section 4, with padding).
#include "base/base64.hpp"

#include <array>
#include <cstdint>

namespace kgb {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> make_values() {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return values;
}
constexpr std::array<std::int8_t, 256> kValues = make_values();

}  // namespace

std::string base64_encode(std::span<const std::byte> bytes) {
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t word = 0;
    for (std::size_t k = 0; k < 3; ++k)
      word = word << 8 | (k < count ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) out += k <= count ? kAlphabet[word >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

std::optional<std::vector<std::byte>> base64_decode(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  std::vector<std::byte> out;
  out.reserve(text.size() / 4 * 3);
  std::uint32_t word = 0;
  const std::size_t digits = text.size() - padding;
  for (std::size_t i = 0; i < digits; ++i) {
    const int value = kValues[static_cast<unsigned char>(text[i])];
    if (value < 0) return std::nullopt;
    word = word << 6 | static_cast<std::uint32_t>(value);
    if (i % 4 == 3) {
      for (const int shift : {16, 8, 0}) out.push_back(static_cast<std::byte>(word >> shift & 255));
      word = 0;
    }
  }
  if (padding == 1) {
    if ((word & 3) != 0) return std::nullopt;
    out.push_back(static_cast<std::byte>(word >> 10 & 255));
    out.push_back(static_cast<std::byte>(word >> 2 & 255));
  } else if (padding == 2) {
    if ((word & 15) != 0) return std::nullopt;
    out.push_back(static_cast<std::byte>(word >> 4 & 255));
  }
  return out;
}

}  // namespace kgb
