// SPDX-License-Identifier: Apache-2.0
// Integer operations: the affine and box forms first, spans of elements where those do not hold.
#include "vm/elementwise.hpp"
#include "vm/forms.hpp"
#include "vm/handlers.hpp"

#include <algorithm>
#include <utility>

namespace kgb::vm {
namespace {

using numeric::BinaryOp;

// a + sign * b for affine values, in `out`, which is neither. False if a dimension is a table in one and
// varies in the other too.
bool add_affine(const Value& a, const Value& b, Value& out, const Type& type, std::int64_t sign) {
  const auto base = [&](const Value& value) {
    return value.form == Form::splat ? sign_extend(value.bits, type.storage()) : value.bits;
  };
  std::int64_t other = 0;
  if (__builtin_mul_overflow(base(b), sign, &other) || __builtin_add_overflow(base(a), other, &out.bits))
    return false;
  out.form = Form::affine;
  out.filled = false;
  out.region = a.region;
  out.tables = 0;
  const bool a_line = a.form == Form::affine, b_line = b.form == Form::affine;
  if (type.rank() == 1 && !(a_line && a.tables != 0) && !(b_line && b.tables != 0)) {
    std::int64_t step = 0;
    return !__builtin_mul_overflow(b_line ? b.stride[0] : 0, sign, &step) &&
           !__builtin_add_overflow(a_line ? a.stride[0] : 0, step, &out.stride[0]) && fits(out, type);
  }
  for (int d = 0; d < type.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    const bool a_table = a_line && (a.tables >> d & 1) != 0, b_table = b_line && (b.tables >> d & 1) != 0;
    const std::int64_t a_stride = a_line && !a_table ? a.stride[at] : 0;
    const std::int64_t b_stride = b_line && !b_table ? b.stride[at] : 0;
    std::int64_t scaled = 0;
    if (!a_table && !b_table) {
      if (__builtin_mul_overflow(b_stride, sign, &scaled) ||
          __builtin_add_overflow(a_stride, scaled, &out.stride[at]))
        return false;
      continue;
    }
    if ((a_table && b_table) || a_stride != 0 || b_stride != 0) return false;
    const std::int64_t start = table_start(type, d);
    for (std::int64_t i = 0; i < type.shape[at]; ++i)
      out.table[start + i] = a_table ? a.table[start + i] : sign * b.table[start + i];
    out.tables = static_cast<std::uint8_t>(out.tables | 1u << d);
    out.stride[at] = 0;
  }
  return fits(out, type);
}

bool scale_affine(const Value& a, std::int64_t factor, Value& out, const Type& type) {
  Value scaled = a;
  scaled.data = out.data;
  scaled.table = out.table;
  scaled.filled = false;
  scaled.n = out.n;
  if (__builtin_mul_overflow(a.bits, factor, &scaled.bits)) return false;
  for (int d = 0; d < type.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    if ((a.tables >> d & 1) != 0) {
      const std::int64_t start = table_start(type, d);
      for (std::int64_t i = 0; i < type.shape[at]; ++i)
        if (__builtin_mul_overflow(a.table[start + i], factor, &scaled.table[start + i])) return false;
    } else if (__builtin_mul_overflow(a.stride[at], factor, &scaled.stride[at])) {
      return false;
    }
  }
  if (!fits(scaled, type)) return false;
  out = scaled;
  return true;
}

bool intersect(const Value& a, const Value& b, Value& out, int rank) {
  for (int d = 0; d < rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    out.stride[at] = std::max(a.stride[at], b.stride[at]);
    out.hi[at] = std::min(a.hi[at], b.hi[at]);
  }
  out.form = Form::box;
  out.filled = false;
  return true;
}

// i1 and: boxes intersect, a uniform operand decides.
bool and_boxes(Frame& frame, const Instruction& made) {
  const Value &a = frame.at(made.in[0]), &b = frame.at(made.in[1]);
  Value& out = frame.at(made.out[0]);
  if (a.form == Form::box && b.form == Form::box) return intersect(a, b, out, frame.type(made.out[0]).rank());
  for (const bool swapped : {false, true}) {
    const Value& uniform = swapped ? b : a;
    if (uniform.form != Form::splat) continue;
    if ((uniform.bits & 1) != 0)
      assign(frame, made.out[0], made.in[swapped ? 0 : 1]);
    else
      out.set_splat(0);
    return true;
  }
  return false;
}

// min or max with a uniform value that lies wholly on one side.
bool clip_affine(Frame& frame, const Instruction& made, bool maximum) {
  const Type& type = frame.type(made.out[0]);
  const auto a = range_of(frame.at(made.in[0]), type), b = range_of(frame.at(made.in[1]), type);
  if (!a || !b) return false;
  if (a->high <= b->low)
    assign(frame, made.out[0], made.in[maximum ? 1 : 0]);
  else if (b->high <= a->low)
    assign(frame, made.out[0], made.in[maximum ? 0 : 1]);
  else
    return false;
  return true;
}

bool try_affine(Frame& frame, const Instruction& made) {
  const Value &a = frame.at(made.in[0]), &b = frame.at(made.in[1]);
  Value& out = frame.at(made.out[0]);
  const Type& type = frame.type(made.out[0]);
  switch (static_cast<BinaryOp>(made.imm[0])) {
    case BinaryOp::addi:
      return add_affine(a, b, out, type, 1);
    case BinaryOp::subi:
      return add_affine(a, b, out, type, -1);
    case BinaryOp::muli:
      if (a.form == Form::splat) return scale_affine(b, sign_extend(a.bits, type.storage()), out, type);
      return b.form == Form::splat && scale_affine(a, sign_extend(b.bits, type.storage()), out, type);
    case BinaryOp::shli: {
      const std::int64_t by = sign_extend(b.bits, type.storage());
      return b.form == Form::splat && by >= 0 && by < 31 && scale_affine(a, std::int64_t{1} << by, out, type);
    }
    case BinaryOp::minsi:
      return clip_affine(frame, made, false);
    case BinaryOp::maxsi:
      return clip_affine(frame, made, true);
    default:
      return false;
  }
}

}  // namespace

void handlers::run_integer(Frame& frame, const Instruction& made) {
  const Value &a = frame.at(made.in[0]), &b = frame.at(made.in[1]);
  const bool uniform = a.form == Form::splat && b.form == Form::splat;
  if (!uniform && is_affine(a) && is_affine(b) && try_affine(frame, made)) return;
  run_binary(frame, made);
}

namespace {

void run_and(Frame& frame, const Instruction& made) {
  if (and_boxes(frame, made)) return;
  run_binary(frame, made);
}

bool has_zero(Frame& frame, int id) {
  const Value& value = frame.at(id);
  const std::size_t bytes = frame.info(id).bytes;
  if (value.form == Form::splat) return low_bytes(value.bits, bytes) == 0;
  const std::byte* data = elements(frame, id);
  bool zero = false;
  for (std::int64_t i = 0; i < value.n && !zero; ++i) {
    std::int64_t element = 0;
    std::memcpy(&element, data + static_cast<std::size_t>(i) * bytes, bytes);
    zero = element == 0;
  }
  return zero;
}

// x / d and x % d where 0 <= x < d everywhere.
bool divide_in_range(Frame& frame, const Instruction& made) {
  const Value &a = frame.at(made.in[0]), &b = frame.at(made.in[1]);
  if (a.form != Form::affine || b.form != Form::splat) return false;
  const Type& type = frame.type(made.out[0]);
  const auto range = range_of(a, type);
  const std::int64_t divisor = sign_extend(b.bits, type.storage());
  if (!range || range->low < 0 || divisor <= 0 || range->high >= divisor) return false;
  const auto op = static_cast<BinaryOp>(made.imm[0]);
  if (op == BinaryOp::remsi || op == BinaryOp::remui) {
    assign(frame, made.out[0], made.in[0]);
    return true;
  }
  if (op != BinaryOp::divsi && op != BinaryOp::divui && op != BinaryOp::floordivsi) return false;
  frame.at(made.out[0]).set_splat(0);
  return true;
}

void run_division(Frame& frame, const Instruction& made) {
  if (divide_in_range(frame, made)) return;
  if (frame.options->check_division && has_zero(frame, made.in[1]))
    return frame.report(made, "division_by_zero", "integer division by zero");
  run_binary(frame, made);
}

// The comparison as a box, if the difference of the two varies along one dimension only, in steps.
bool compare_affine(Frame& frame, const Instruction& made) {
  using C = numeric::CompareInt;
  const Value &a = frame.at(made.in[0]), &b = frame.at(made.in[1]);
  const Type& type = frame.type(made.in[0]);
  if (a.tables != 0 && a.form == Form::affine) return false;
  if (b.tables != 0 && b.form == Form::affine) return false;
  auto op = static_cast<C>(made.imm[0]);
  if (op == C::eq || op == C::ne) return false;
  const auto a_range = range_of(a, type), b_range = range_of(b, type);
  if (!a_range || !b_range) return false;
  if (op >= C::ult) {  // equal to the signed comparison where neither is negative
    if (a_range->low < 0 || b_range->low < 0) return false;
    op = static_cast<C>(static_cast<int>(op) - 4);
  }
  // a op b  <=>  base + stride * i >= 0 (or > 0) along `dim`.
  int dim = -1;
  std::int64_t base = 0, stride = 0;
  const bool flip = op == C::slt || op == C::sle;  // b - a
  const std::int64_t a_base = a.form == Form::splat ? a_range->low : a.bits;
  const std::int64_t b_base = b.form == Form::splat ? b_range->low : b.bits;
  if (__builtin_sub_overflow(flip ? b_base : a_base, flip ? a_base : b_base, &base)) return false;
  for (int d = 0; d < type.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    if (type.shape[at] == 1) continue;
    const std::int64_t s = a.form == Form::affine ? a.stride[at] : 0,
                       t = b.form == Form::affine ? b.stride[at] : 0;
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(flip ? t : s, flip ? s : t, &difference)) return false;
    if (difference == 0) continue;
    if (dim >= 0) return false;
    dim = d;
    stride = difference;
  }
  if ((op == C::slt || op == C::sgt) && __builtin_sub_overflow(base, 1, &base)) return false;
  Value& out = frame.at(made.out[0]);
  if (dim < 0) {
    out.set_splat(base >= 0);
    return true;
  }
  set_full_box(out, type);
  const auto at = static_cast<std::size_t>(dim);
  const std::int64_t n = type.shape[at];
  // One more than a quotient, at most n: the quotient can be the largest integer.
  const auto after = [n](std::int64_t quotient) { return quotient >= n ? n : quotient + 1; };
  if (stride > 0) {  // i >= ceil(-base / stride)
    out.stride[at] = base >= 0 ? 0 : after((-(base + 1)) / stride);
  } else {  // i <= floor(base / -stride)
    out.hi[at] = base < 0 ? 0 : after(base / -(stride + (stride == INT64_MIN)));
  }
  if (out.stride[at] == 0 && out.hi[at] == n)
    out.set_splat(1);
  else if (out.stride[at] >= out.hi[at])
    out.set_splat(0);
  return true;
}

void run_compare(Frame& frame, const Instruction& made) {
  const Value &a = frame.at(made.in[0]), &b = frame.at(made.in[1]);
  const bool uniform = a.form == Form::splat && b.form == Form::splat;
  if (made.imm[1] != 0 && !uniform && is_affine(a) && is_affine(b) && compare_affine(frame, made)) return;
  run_binary(frame, made);
}

void run_integer_cast(Frame& frame, const Instruction& made) {
  const Value& in = frame.at(made.in[0]);
  if (in.form == Form::affine) {
    const Type &from = frame.type(made.in[0]), &to = frame.type(made.out[0]);
    const auto range = range_of(in, from);
    const bool is_unsigned = made.imm[0] != 0;
    if (range && (!is_unsigned || range->low >= 0) && fits(in, to))
      return assign(frame, made.out[0], made.in[0]);
  }
  run_unary(frame, made);
}

}  // namespace

bool build_integer(Builder& b, int parameter) {
  if (!build_binary(b, parameter) || b.made.run != run_binary) return b.error.empty();
  if (!b.in(0).integral()) return b.malformed("operands must be integers");
  b.made.imm[0] = parameter;
  if (b.combining) return true;
  if (b.in(0).is(DType::b8)) {
    if (static_cast<BinaryOp>(parameter) == BinaryOp::andi && b.in(0).rank() <= kFormRank)
      b.made.run = run_and;
    return true;
  }
  if (static_cast<BinaryOp>(parameter) != BinaryOp::andi && affine_type(b.in(0)) && b.in(0).tensor)
    b.made.run = handlers::run_integer;
  return true;
}

bool build_division(Builder& b, int parameter) {
  if (!build_binary(b, parameter) || b.made.run != run_binary) return b.error.empty();
  if (!b.in(0).integral()) return b.malformed("operands must be integers");
  b.made.imm[0] = parameter;
  b.made.run = run_division;
  return true;
}

bool build_compare_int(Builder& b, int) {
  using C = numeric::CompareInt;
  static constexpr std::pair<std::string_view, C> names[] = {
      {"eq", C::eq},   {"ne", C::ne},   {"slt", C::slt}, {"sle", C::sle}, {"sgt", C::sgt},
      {"sge", C::sge}, {"ult", C::ult}, {"ule", C::ule}, {"ugt", C::ugt}, {"uge", C::uge}};
  if (!b.counts(2, 1) || !same_operands(b, 0, 2)) return false;
  if ((!b.in(0).integral() && !b.in(0).pointer()) || b.op.words.empty())
    return b.malformed("needs a predicate and integers");
  for (const auto& [name, predicate] : names) {
    if (name != b.op.words[0]) continue;
    b.made.kernel.binary = numeric::compare(predicate, b.in(0).storage());
    if (!b.made.kernel.binary) return b.unsupported(std::string(name_of(b.in(0).storage())));
    b.made.imm = {static_cast<std::int64_t>(predicate), b.in(0).integral() && !b.in(0).is(DType::b8) &&
                                                            b.in(0).tensor && affine_type(b.in(0)) &&
                                                            !b.combining};
    b.made.run = run_compare;
    return true;
  }
  return b.malformed("unknown predicate '" + std::string(b.op.words[0]) + "'");
}

bool build_integer_cast(Builder& b, Cast cast) {
  b.made.imm[0] = cast == Cast::extui || cast == Cast::indexui;
  if (!b.combining && affine_type(b.in(0)) && !b.in(0).is(DType::b8) && !b.out().is(DType::b8))
    b.made.run = run_integer_cast;
  return true;
}

}  // namespace kgb::vm
