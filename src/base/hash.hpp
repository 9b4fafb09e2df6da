// SPDX-License-Identifier: Apache-2.0
// SHA-256 (FIPS 180-4), whole or piecewise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kgb {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  Sha256& update(std::span<const std::byte> bytes);
  Sha256& update(std::string_view text);
  // The digest of all that was put in. The object is spent afterwards.
  [[nodiscard]] Digest finish();

 private:
  void block(const std::uint8_t* bytes);

  std::array<std::uint32_t, 8> state_;
  std::array<std::uint8_t, 64> pending_{};
  std::uint64_t total_ = 0;  // bytes put in so far
};

[[nodiscard]] Digest sha256(std::span<const std::byte> bytes);
[[nodiscard]] Digest sha256(std::string_view text);
[[nodiscard]] std::string hex(std::span<const std::uint8_t> bytes);  // lower case
[[nodiscard]] std::string sha256_hex(std::span<const std::byte> bytes);
[[nodiscard]] std::string sha256_hex(std::string_view text);

}  // namespace kgb
