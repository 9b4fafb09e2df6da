// SPDX-License-Identifier: Apache-2.0
// Execution of PTX steps. The .approx functions are computed to the last place: a GPU's error is not
// reproduced, its flushing of denormals is.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "vm/numeric/scalar.hpp"
#include "vm/ptx/ptx.hpp"

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

namespace {

using std::uint64_t;
__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

uint64_t low(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1);
}
std::int64_t extended(uint64_t value, unsigned bits) {
  return bits >= 64 ? static_cast<std::int64_t>(value)
                    : static_cast<std::int64_t>(value << (64 - bits)) >> (64 - bits);
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

uint64_t write(Kind kind, double value, Round round = Round::nearest) {
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

// a + b in f64, inexact results with the last bit set: rounding once more to a narrower type is then right.
double odd_sum(double a, double b) {
  const double sum = a + b;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  const auto bits = std::bit_cast<uint64_t>(sum);
  if (error == 0 || (bits & 1) != 0) return sum;
  const bool outward = (error > 0) == (sum > 0);
  return std::bit_cast<double>(outward ? bits + 1 : bits - 1);
}

double flushed(double value, bool ftz) {
  return ftz && std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0, value) : value;
}

double smaller(double a, double b, bool keep_nan) {
  if (std::isnan(a) || std::isnan(b))
    return keep_nan || (std::isnan(a) && std::isnan(b)) ? not_a_number : std::isnan(a) ? b : a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

double real_result(const Step& step, const double* x, bool wide) {
  switch (step.op) {
    case Op::add:
      return wide ? x[0] + x[1] : odd_sum(x[0], x[1]);
    case Op::sub:
      return wide ? x[0] - x[1] : odd_sum(x[0], -x[1]);
    case Op::mul:
      return x[0] * x[1];
    case Op::fma:
      return wide ? std::fma(x[0], x[1], x[2]) : odd_sum(x[0] * x[1], x[2]);
    case Op::div:
      return x[0] / x[1];
    case Op::rcp:
      return 1.0 / x[0];
    case Op::sqrt:
      return std::sqrt(x[0]);
    case Op::rsqrt:
      return 1.0 / std::sqrt(x[0]);
    case Op::ex2:
      return std::exp2(x[0]);
    case Op::lg2:
      return std::log2(x[0]);
    case Op::tanh:
      return std::tanh(x[0]);
    case Op::sin:
      return std::sin(x[0]);
    case Op::cos:
      return std::cos(x[0]);
    case Op::min:
      return smaller(x[0], x[1], step.keep_nan);
    default:  // max
      return -smaller(-x[0], -x[1], step.keep_nan);
  }
}

// One lane of a float operation.
uint64_t real(const Step& step, Kind kind, const uint64_t* in) {
  const uint64_t sign = uint64_t{1} << (bits_of(kind) - 1);
  if (step.op == Op::abs) return in[0] & ~sign;
  if (step.op == Op::neg) return in[0] ^ sign;
  if (step.op == Op::copysign) return (in[1] & ~sign) | (in[0] & sign);
  double x[3] = {};
  for (std::size_t i = 0; i < step.in.size() && i < 3; ++i) x[i] = flushed(read(kind, in[i]), step.ftz);
  double value = real_result(step, x, kind == Kind::f64);
  if (step.saturate) value = value > 0 ? std::min(value, 1.0) : 0.0;
  if (step.relu) value = std::isnan(value) ? value : std::max(value, 0.0);
  const uint64_t bits = write(kind, value, step.round);
  return step.ftz ? write(kind, flushed(read(kind, bits), true)) : bits;
}

bool holds(const Step& step, Kind kind, uint64_t a, uint64_t b) {
  int order = 0;  // -1, 0, 1
  if (is_float(kind)) {
    const double x = flushed(read(kind, a), step.ftz), y = flushed(read(kind, b), step.ftz);
    if (std::isnan(x) || std::isnan(y)) return step.unordered;
    if (step.compare == Compare::num) return true;
    if (step.compare == Compare::nan) return false;
    order = x < y ? -1 : x > y;
  } else if (is_signed(kind)) {
    const auto x = extended(a, bits_of(kind)), y = extended(b, bits_of(kind));
    order = x < y ? -1 : x > y;
  } else {
    const uint64_t x = low(a, bits_of(kind)), y = low(b, bits_of(kind));
    order = x < y ? -1 : x > y;
  }
  switch (step.compare) {
    case Compare::eq:
      return order == 0;
    case Compare::ne:
      return order != 0;
    case Compare::lt:
      return order < 0;
    case Compare::le:
      return order <= 0;
    case Compare::gt:
      return order > 0;
    default:
      return order >= 0;
  }
}

uint64_t field(const Step& step, const uint64_t* in) {  // bfe
  const unsigned bits = bits_of(step.type), from = in[1] & 255, length = in[2] & 255;
  if (length == 0) return 0;
  const bool sign = is_signed(step.type) && (in[0] >> std::min({bits - 1, from + length - 1}) & 1) != 0;
  const uint64_t kept = from >= bits ? 0 : low(in[0] >> from, std::min(length, 64U));
  const unsigned have = from >= bits ? 0 : std::min(length, bits - from);
  return sign && have < 64 ? kept | ~uint64_t{0} << have : kept;
}

uint64_t permuted(const uint64_t* in) {
  const uint64_t bytes = low(in[1], 32) << 32 | low(in[0], 32);
  uint64_t out = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned select = in[2] >> (4 * i) & 15;
    uint64_t byte = bytes >> ((select & 7) * 8) & 255;
    if (select > 7) byte = (byte & 128) != 0 ? 255 : 0;
    out |= byte << (8 * i);
  }
  return out;
}

uint64_t looked_up(const uint64_t* in) {
  uint64_t out = 0;
  for (unsigned term = 0; term < 8; ++term) {
    if ((in[3] >> term & 1) == 0) continue;
    out |= ((term & 4) != 0 ? in[0] : ~in[0]) & ((term & 2) != 0 ? in[1] : ~in[1]) &
           ((term & 1) != 0 ? in[2] : ~in[2]);
  }
  return out;
}

uint64_t shifted(const Step& step, const uint64_t* in) {
  const unsigned bits = bits_of(step.type);
  const uint64_t by = low(in[1], 32);
  if (step.op == Op::shl) return by >= bits ? 0 : in[0] << by;
  if (is_signed(step.type))
    return static_cast<uint64_t>(extended(in[0], bits) >> std::min<uint64_t>(by, bits - 1));
  return by >= bits ? 0 : low(in[0], bits) >> by;
}

// Full product of two operands, as signed or unsigned as the type says.
Wide product(Kind kind, uint64_t a, uint64_t b) {
  const unsigned bits = bits_of(kind);
  if (is_signed(kind))
    return static_cast<Wide>(static_cast<SignedWide>(extended(a, bits)) * extended(b, bits));
  return static_cast<Wide>(low(a, bits)) * low(b, bits);
}

uint64_t quotient(const Step& step, uint64_t a, uint64_t b) {
  const unsigned bits = bits_of(step.type);
  const bool remainder = step.op == Op::rem;
  if (low(b, bits) == 0) return remainder ? a : ~uint64_t{0};
  if (!is_signed(step.type)) return remainder ? low(a, bits) % low(b, bits) : low(a, bits) / low(b, bits);
  const auto x = static_cast<SignedWide>(extended(a, bits)), y = static_cast<SignedWide>(extended(b, bits));
  return static_cast<uint64_t>(remainder ? x % y : x / y);
}

uint64_t integer(const Step& step, const uint64_t* in) {
  const unsigned bits = bits_of(step.type);
  const bool sign = is_signed(step.type);
  const auto less = [&](uint64_t a, uint64_t b) {
    return sign ? extended(a, bits) < extended(b, bits) : low(a, bits) < low(b, bits);
  };
  switch (step.op) {
    case Op::mov:
      return in[0];
    case Op::add:
      return in[0] + in[1];
    case Op::sub:
      return in[0] - in[1];
    case Op::mul:
      return in[0] * in[1];
    case Op::mad:
      return in[0] * in[1] + in[2];
    case Op::mul_hi:
      return static_cast<uint64_t>(product(step.type, in[0], in[1]) >> bits);
    case Op::mad_hi:
      return static_cast<uint64_t>(product(step.type, in[0], in[1]) >> bits) + in[2];
    case Op::mul_wide:
      return static_cast<uint64_t>(product(step.type, in[0], in[1]));
    case Op::mad_wide:
      return static_cast<uint64_t>(product(step.type, in[0], in[1])) + in[2];
    case Op::div:
    case Op::rem:
      return quotient(step, in[0], in[1]);
    case Op::min:
      return less(in[0], in[1]) ? in[0] : in[1];
    case Op::max:
      return less(in[0], in[1]) ? in[1] : in[0];
    case Op::abs:
      return extended(in[0], bits) < 0 ? 0 - in[0] : in[0];
    case Op::neg:
      return 0 - in[0];
    case Op::bit_and:
      return in[0] & in[1];
    case Op::bit_or:
      return in[0] | in[1];
    case Op::bit_xor:
      return in[0] ^ in[1];
    case Op::bit_not:
      return ~in[0];
    case Op::shl:
    case Op::shr:
      return shifted(step, in);
    case Op::bfe:
      return field(step, in);
    case Op::bfi: {  // the low bits of the first operand into the second
      const unsigned from = in[2] & 255, length = in[3] & 255;
      if (from >= bits || length == 0) return in[1];
      const uint64_t mask = low(~uint64_t{0}, std::min(length, bits - from)) << from;
      return (in[1] & ~mask) | (in[0] << from & mask);
    }
    case Op::lop3:
      return looked_up(in);
    case Op::prmt:
      return permuted(in);
    case Op::popc:
      return static_cast<uint64_t>(std::popcount(low(in[0], bits)));
    case Op::clz:
      return static_cast<uint64_t>(std::countl_zero(low(in[0], bits))) - (64 - bits);
    case Op::brev: {
      uint64_t out = 0;
      for (unsigned i = 0; i < bits; ++i) out |= (in[0] >> i & 1) << (bits - 1 - i);
      return out;
    }
    default:
      return 0;
  }
}

uint64_t to_e2m1(double value) {
  static constexpr double values[] = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
  if (std::isnan(value)) return 7;
  const double magnitude = std::fabs(value);
  uint64_t best = 0;
  for (uint64_t code = 1; code < 8; ++code) {
    const double gain = std::fabs(values[code] - magnitude) - std::fabs(values[best] - magnitude);
    if (gain < 0 || (gain == 0 && (code & 1) == 0)) best = code;
  }
  return std::signbit(value) ? best | 8 : best;
}

// One element of a packed pair of narrow floats; always saturating to the largest finite value.
uint64_t to_narrow(Kind pair, double value, bool relu) {
  if (relu && value < 0) value = 0.0;
  if (pair == Kind::e2m1x2) return to_e2m1(value);
  if (std::isnan(value)) return 0x7F;
  return pair == Kind::e4m3x2 ? numeric::encode<numeric::F8E4M3>(value, numeric::Rounding::nearest_even,
                                                                 numeric::Fp8Overflow::saturate)
                              : numeric::encode<numeric::F8E5M2>(value, numeric::Rounding::nearest_even,
                                                                 numeric::Fp8Overflow::saturate);
}

double from_narrow(Kind pair, uint64_t bits) {
  static constexpr double values[] = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
  const auto code = static_cast<std::uint8_t>(bits);
  if (pair == Kind::e2m1x2) return (bits & 8) != 0 ? -values[bits & 7] : values[bits & 7];
  return pair == Kind::e4m3x2 ? numeric::decode<numeric::F8E4M3>(code)
                              : numeric::decode<numeric::F8E5M2>(code);
}

double rounded(double value, Round round) {
  switch (round) {
    case Round::zero:
      return std::trunc(value);
    case Round::down:
      return std::floor(value);
    case Round::up:
      return std::ceil(value);
    default:
      return std::nearbyint(value);
  }
}

uint64_t float_to_integer(const Step& step, double value) {
  value = rounded(value, step.integral ? step.round : Round::zero);
  const unsigned bits = bits_of(step.type);
  const bool source_wide = step.from == Kind::f64 || bits == 64;
  if (std::isnan(value)) return source_wide ? uint64_t{1} << (bits - 1) : 0;
  const double top = std::ldexp(1.0, static_cast<int>(is_signed(step.type) ? bits - 1 : bits));
  if (!is_signed(step.type))
    return value <= 0 ? 0 : value >= top ? ~uint64_t{0} : static_cast<uint64_t>(value);
  if (value >= top) return (uint64_t{1} << (bits - 1)) - 1;
  return value <= -top ? uint64_t{1} << (bits - 1) : static_cast<uint64_t>(static_cast<std::int64_t>(value));
}

uint64_t integer_to_integer(const Step& step, uint64_t bits) {
  const auto value = is_signed(step.from) ? static_cast<SignedWide>(extended(bits, bits_of(step.from)))
                                          : static_cast<SignedWide>(low(bits, bits_of(step.from)));
  if (!step.saturate) return static_cast<uint64_t>(value);
  const unsigned width = bits_of(step.type);
  const SignedWide one = 1, top = is_signed(step.type) ? (one << (width - 1)) - 1 : (one << width) - 1;
  const SignedWide bottom = is_signed(step.type) ? -top - 1 : 0;
  return static_cast<uint64_t>(std::clamp(value, bottom, top));
}

uint64_t convert(const Step& step, const uint64_t* in) {
  const Kind to = step.type, from = step.from;
  if (to == Kind::tf32) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(in[0]));
    if (step.round == Round::nearest_away || step.round == Round::zero)
      return std::bit_cast<std::uint32_t>(numeric::to_tf32(
          value, step.round == Round::zero ? numeric::Tf32Mode::truncate : numeric::Tf32Mode::nearest_away));
    const auto bits = std::bit_cast<std::uint32_t>(value);  // nearest, ties to even
    return std::isfinite(value) ? (bits + 0xFFFU + (bits >> 13 & 1U)) & 0xFFFFE000U : bits;
  }
  const bool pair_from = from == Kind::f16x2 || from >= Kind::e4m3x2;
  if (to == Kind::f16x2 || to == Kind::bf16x2 || to >= Kind::e4m3x2) {
    // The first source is the upper half.
    const unsigned half = bits_of(to) / 2;
    double value[2] = {};
    for (unsigned i = 0; i < 2; ++i) {
      if (!pair_from)
        value[i] = flushed(read(Kind::f32, in[1 - i]), step.ftz);
      else if (from == Kind::f16x2)
        value[i] = read(Kind::f16, in[0] >> (16 * i) & 0xFFFF);
      else
        value[i] = from_narrow(from, low(in[0] >> (bits_of(from) / 2 * i), bits_of(from) / 2));
    }
    uint64_t out = 0;
    for (unsigned i = 0; i < 2; ++i) {
      double v = value[i];
      if (to < Kind::e4m3x2) {
        if (step.relu && v < 0) v = 0.0;
        const Kind element = to == Kind::f16x2 ? Kind::f16 : Kind::bf16;
        uint64_t bits = write(element, v, step.round);
        if (step.finite && std::isinf(read(element, bits))) --bits;
        out |= bits << (half * i);
      } else {
        out |= to_narrow(to, v, step.relu) << (half * i);
      }
    }
    return out;
  }
  if (!is_float(from)) {
    if (!is_float(to)) return integer_to_integer(step, in[0]);
    const unsigned bits = bits_of(from);
    if (to == Kind::f32 && step.round == Round::nearest)
      return std::bit_cast<std::uint32_t>(is_signed(from) ? static_cast<float>(extended(in[0], bits))
                                                          : static_cast<float>(low(in[0], bits)));
    return write(
        to,
        is_signed(from) ? static_cast<double>(extended(in[0], bits)) : static_cast<double>(low(in[0], bits)),
        step.round);
  }
  double value = flushed(read(from, in[0]), step.ftz);
  if (!is_float(to)) return float_to_integer(step, value);
  if (step.integral) value = rounded(value, step.round);
  if (step.saturate) value = value > 0 ? std::min(value, 1.0) : 0.0;
  if (step.relu && value < 0) value = 0.0;
  uint64_t bits = write(to, value, step.integral ? Round::nearest : step.round);
  if (step.finite && std::isinf(read(to, bits))) --bits;
  return bits;
}

uint64_t compute(const Step& step, const uint64_t* in) {
  if (step.op == Op::cvt) return convert(step, in);
  if (step.op == Op::selp) return in[2] != 0 ? in[0] : in[1];
  if (step.op == Op::mov) return in[0];
  if (is_float(step.type)) return real(step, step.type, in);
  if (step.type != Kind::f16x2 && step.type != Kind::bf16x2) return integer(step, in);
  const Kind half = step.type == Kind::f16x2 ? Kind::f16 : Kind::bf16;
  uint64_t out = 0;
  for (unsigned i = 0; i < 2; ++i) {
    uint64_t parts[4] = {};
    for (std::size_t k = 0; k < step.in.size() && k < 4; ++k) parts[k] = in[k] >> (16 * i) & 0xFFFF;
    out |= real(step, half, parts) << (16 * i);
  }
  return out;
}

unsigned result_bits(const Step& step) {
  if (step.op == Op::setp) return 1;
  if (step.op == Op::popc || step.op == Op::clz) return 32;
  const unsigned bits = bits_of(step.type);
  return step.op == Op::mul_wide || step.op == Op::mad_wide ? 2 * bits : bits;
}

void execute(const Step& step, uint64_t* registers) {
  uint64_t in[8] = {};
  for (std::size_t i = 0; i < step.in.size() && i < 8; ++i)
    in[i] = step.in[i].index < 0 ? step.in[i].value : registers[step.in[i].index];
  const auto set = [&](std::size_t k, uint64_t value) {
    if (k < step.out.size() && step.out[k] >= 0) registers[step.out[k]] = value;
  };
  const bool pairs = step.type == Kind::f16x2 || step.type == Kind::bf16x2;
  if (step.op == Op::unpack) {
    const unsigned bits = bits_of(step.type) / static_cast<unsigned>(step.out.size());
    for (std::size_t k = 0; k < step.out.size(); ++k) set(k, low(in[0] >> (bits * k), bits));
  } else if (step.op == Op::pack) {
    const unsigned bits = bits_of(step.type) / static_cast<unsigned>(step.in.size());
    uint64_t out = 0;
    for (std::size_t k = 0; k < step.in.size(); ++k) out |= low(in[k], bits) << (bits * k);
    set(0, out);
  } else if (step.op == Op::setp && pairs) {
    const Kind half = step.type == Kind::f16x2 ? Kind::f16 : Kind::bf16;
    for (std::size_t k = 0; k < 2; ++k)
      set(k, holds(step, half, in[0] >> (16 * k) & 0xFFFF, in[1] >> (16 * k) & 0xFFFF) ? 1 : 0);
  } else if (step.op == Op::setp) {
    const bool value = holds(step, step.type, in[0], in[1]);
    set(0, value ? 1 : 0);
    set(1, value ? 0 : 1);
  } else {
    set(0, low(compute(step, in), result_bits(step)));
  }
}

}  // namespace

std::uint64_t float_bits(Kind kind, double value) {
  return write(kind, value);
}

void run(const Assembly& assembly, std::uint64_t* registers) {
  for (const Step& step : assembly.steps)
    if (step.predicate < 0 || (registers[step.predicate] != 0) != step.negated) execute(step, registers);
}

}  // namespace kgb::vm::ptx
