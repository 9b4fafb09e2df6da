// SPDX-License-Identifier: Apache-2.0
// Makes a tensor's values from a seed: the one implementation, the same bytes on every machine
// (docs/contracts/values.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/philox.hpp"
#include "base/result.hpp"
#include "model/call.hpp"

namespace kgb {

// Fills `storage` (exactly spec.storage_bytes() bytes) for one tensor of one call of one trial.
// `path` is the tensor's path as in tensors_of(): "self", "A[0]".
void generate(const TensorSpec& spec, std::string_view path, std::uint64_t seed, int trial, int call,
              std::span<std::byte> storage);

// The key of a tensor's stream: the first 8 bytes of SHA-256 of "seed/trial/call/path", the seed as
// seed_text().
[[nodiscard]] PhiloxKey stream_key(std::string_view path, std::uint64_t seed, int trial, int call);

// A domain's kind is known, the number of its parameters fits, and each is in range.
[[nodiscard]] Status check_domain(const Domain& domain);
// All kinds of domains, for "did you mean".
[[nodiscard]] std::vector<std::string> domain_kinds();

// Seeds as text: 16 lower-case hexadecimal digits.
[[nodiscard]] std::string seed_text(std::uint64_t seed);
// 1 to 16 hexadecimal digits, "0x" allowed in front.
[[nodiscard]] std::optional<std::uint64_t> seed_from_text(std::string_view text);

}  // namespace kgb
