// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 (Salmon et al., 2011): four random words as a pure function of a counter and a key.
#pragma once

#include <array>
#include <cstdint>

namespace kgb {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox4x32(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xd2511f53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xcd9e8d57} * counter[2];
    counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
               static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + 0x9e3779b9, key[1] + 0xbb67ae85};
  }
  return counter;
}

// Counter and key given as 64-bit numbers, low word first; the counter's high half is 0.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox4x32(std::uint64_t counter, std::uint64_t key) {
  return philox4x32(
      PhiloxCounter{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32), 0, 0},
      PhiloxKey{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)});
}

}  // namespace kgb
