// SPDX-License-Identifier: Apache-2.0
// Straight-line PTX, as tt.elementwise_inline_asm carries it: read once, then run per group of elements.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgb::vm::ptx {

enum class Kind : std::uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f32,
  f64,
  f16x2,
  bf16x2,
  e4m3x2,
  e5m2x2,
  e2m1x2,
  tf32,
};

enum class Op : std::uint8_t {
  mov,
  add,
  sub,
  mul,
  mul_hi,
  mul_wide,
  mad,
  mad_hi,
  mad_wide,
  fma,
  div,
  rem,
  rcp,
  sqrt,
  rsqrt,
  ex2,
  lg2,
  tanh,
  sin,
  cos,
  min,
  max,
  abs,
  neg,
  bit_and,
  bit_or,
  bit_xor,
  bit_not,
  shl,
  shr,
  bfe,
  bfi,
  lop3,
  prmt,
  popc,
  clz,
  brev,
  selp,
  setp,
  copysign,
  cvt,
  pack,    // mov.b32 d, {a, b}
  unpack,  // mov.b32 {a, b}, d
  nothing,
};

// nearest_away is cvt.rna; the integer roundings are of cvt to or between integral values.
enum class Round : std::uint8_t { nearest, zero, down, up, nearest_away };
enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge, num, nan };

struct Operand {
  int index = -1;           // register; -1: the immediate
  std::uint64_t value = 0;  // bits
};

struct Step {
  Op op = Op::nothing;
  Kind type = Kind::none, from = Kind::none;  // from: of cvt
  Round round = Round::nearest;
  bool integral = false;  // cvt: round to an integral value
  bool ftz = false, saturate = false, finite = false, relu = false, keep_nan = false;
  Compare compare = Compare::eq;
  bool unordered = false;  // compare: true if either is NaN
  int predicate = -1;      // runs only where this register is not 0
  bool negated = false;    // ... or is 0
  std::vector<Operand> in;
  std::vector<int> out;  // -1: "_", dropped
};

struct Assembly {
  std::vector<Step> steps;
  int registers = 0;  // $0, $1, .. first
};

// Reads the text. `operands`: how many $k there are. Nullopt with `refused` naming the instruction or word
// that the machine does not execute.
[[nodiscard]] std::optional<Assembly> parse(std::string_view text, int operands, std::string& refused);

// Runs all steps over one group's registers.
void run(const Assembly& assembly, std::uint64_t* registers);

[[nodiscard]] unsigned bits_of(Kind kind);
[[nodiscard]] bool is_float(Kind kind);  // f16 .. f64
[[nodiscard]] bool is_signed(Kind kind);
// A decimal constant as bits of a float kind.
[[nodiscard]] std::uint64_t float_bits(Kind kind, double value);

}  // namespace kgb::vm::ptx
