// SPDX-License-Identifier: Apache-2.0
// Base64 (RFC 4648, section 4, with padding).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgb {

[[nodiscard]] std::string base64_encode(std::span<const std::byte> bytes);
// nullopt for anything but the one canonical form: wrong length, foreign characters, bits left over.
[[nodiscard]] std::optional<std::vector<std::byte>> base64_decode(std::string_view text);

}  // namespace kgb
