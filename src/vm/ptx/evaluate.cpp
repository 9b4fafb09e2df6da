// SPDX-License-Identifier: Apache-2.0
// Execution of PTX steps. The .approx functions are computed to the last place: a GPU's error is not
// reproduced, its flushing of denormals is.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "vm/ptx/values.hpp"

namespace kgb::vm::ptx {

namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

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

void run(const Assembly& assembly, std::uint64_t* registers) {
  for (const Step& step : assembly.steps)
    if (step.predicate < 0 || (registers[step.predicate] != 0) != step.negated) execute(step, registers);
}

}  // namespace kgb::vm::ptx
