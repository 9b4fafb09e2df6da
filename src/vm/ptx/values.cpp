// SPDX-License-Identifier: Apache-2.0
// Kinds of PTX and their encodings.
#include "vm/ptx/values.hpp"

#include <cmath>
#include <limits>

#include "vm/numeric/scalar.hpp"

namespace kgb::vm::ptx {

unsigned bits_of(Kind kind) {
  switch (kind) {
    case Kind::pred:
      return 1;
    case Kind::b8:
    case Kind::u8:
    case Kind::s8:
    case Kind::e2m1x2:
      return 8;
    case Kind::b16:
    case Kind::u16:
    case Kind::s16:
    case Kind::f16:
    case Kind::bf16:
    case Kind::e4m3x2:
    case Kind::e5m2x2:
      return 16;
    case Kind::b64:
    case Kind::u64:
    case Kind::s64:
    case Kind::f64:
      return 64;
    default:
      return 32;
  }
}

bool is_float(Kind kind) {
  return kind >= Kind::f16 && kind <= Kind::f64;
}
bool is_signed(Kind kind) {
  return kind >= Kind::s8 && kind <= Kind::s64;
}

double read(Kind kind, uint64_t bits) {
  switch (kind) {
    case Kind::f16:
      return numeric::decode<numeric::F16>(static_cast<std::uint16_t>(bits));
    case Kind::bf16:
      return numeric::decode<numeric::BF16>(static_cast<std::uint16_t>(bits));
    case Kind::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    default:
      return std::bit_cast<double>(bits);
  }
}

namespace {

template <typename F>
uint64_t encoded(double value, Round round) {
  using numeric::Rounding;
  if (std::isnan(value)) return F::all_ones;  // PTX's canonical NaN
  if (round == Round::nearest) return numeric::encode<F>(value);
  auto bits = numeric::encode<F>(value, Rounding::toward_zero);
  const bool away = round == (value < 0 ? Round::down : Round::up);
  if (away && std::isfinite(value) && numeric::decode<F>(bits) != value) ++bits;
  return bits;
}

}  // namespace

uint64_t write(Kind kind, double value, Round round) {
  switch (kind) {
    case Kind::f16:
      return encoded<numeric::F16>(value, round);
    case Kind::bf16:
      return encoded<numeric::BF16>(value, round);
    case Kind::f32:
      return encoded<numeric::F32>(value, round);
    default:
      return std::bit_cast<uint64_t>(value);
  }
}

double flushed(double value, bool ftz) {
  return ftz && std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0, value) : value;
}

std::uint64_t float_bits(Kind kind, double value) {
  return write(kind, value);
}

}  // namespace kgb::vm::ptx
