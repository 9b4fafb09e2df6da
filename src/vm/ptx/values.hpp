// SPDX-License-Identifier: Apache-2.0
// Register bits as numbers of a kind, and back.
#pragma once

#include <cstdint>

#include "vm/ptx/ptx.hpp"

namespace kgb::vm::ptx {

using std::uint64_t;
__extension__ typedef __int128 SignedWide;

inline uint64_t low(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}
inline std::int64_t extended(uint64_t value, unsigned bits) {
  return bits >= 64 ? static_cast<std::int64_t>(value)
                    : static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
}

// Of f16, bf16, f32, f64. PTX's canonical NaN is all ones without the sign.
[[nodiscard]] double read(Kind kind, uint64_t bits);
[[nodiscard]] uint64_t write(Kind kind, double value, Round round = Round::nearest);
// A denormal f32 as zero of its sign.
[[nodiscard]] double flushed(double value, bool ftz);
// cvt.
[[nodiscard]] uint64_t convert(const Step& step, const uint64_t* in);

}  // namespace kgb::vm::ptx
