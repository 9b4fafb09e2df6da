// SPDX-License-Identifier: Apache-2.0
// Operations that make values: constants, ranges, splats, program ids, pointer arithmetic, selection.
#include "vm/elementwise.hpp"
#include "vm/forms.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

namespace kgb::vm {
namespace {

void run_constant(Frame& frame, const Instruction& made) {
  frame.at(made.out[0]).set_splat(made.imm[0]);
}

void run_range(Frame& frame, const Instruction& made) {
  Value& out = frame.at(made.out[0]);
  out.form = Form::affine;
  out.filled = false;
  out.tables = 0;
  out.bits = made.imm[0];
  out.stride = {1, 0, 0, 0};
}

void run_splat(Frame& frame, const Instruction& made) {
  const Value& in = frame.at(made.in[0]);
  Value& out = frame.at(made.out[0]);
  std::int64_t bits = in.bits;
  if (in.form != Form::splat) bits = low_bytes(scalar_int(frame, made.in[0]), frame.info(made.in[0]).bytes);
  out.set_splat(bits);
  out.region = in.region;
}

void run_program_id(Frame& frame, const Instruction& made) {
  const auto axis = static_cast<std::size_t>(made.imm[0]);
  frame.at(made.out[0]).set_splat(low_bytes(made.imm[1] != 0 ? frame.grid[axis] : frame.id[axis], 4));
}

void run_nothing(Frame&, const Instruction&) {}

// pointer + offset * size of the pointee, in bytes from here on.
bool add_pointer_affine(const Value& pointer, const Value& offset, Value& out, const Type& type,
                        const Type& offset_type, std::int64_t size) {
  out.form = Form::affine;
  out.filled = false;
  out.region = pointer.region;
  const std::int64_t base =
      offset.form == Form::splat ? sign_extend(offset.bits, offset_type.storage()) : offset.bits;
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(base, size, &bytes) || __builtin_add_overflow(pointer.bits, bytes, &out.bits))
    return false;
  if (pointer.form == Form::splat && offset.form == Form::splat) {
    out.form = Form::splat;
    return true;
  }
  std::uint8_t tables = 0;
  if (type.rank() == 1 && !(pointer.form == Form::affine && pointer.tables != 0) &&
      !(offset.form == Form::affine && offset.tables != 0)) {
    std::int64_t step = 0;
    out.tables = 0;
    return !__builtin_mul_overflow(offset.form == Form::affine ? offset.stride[0] : 0, size, &step) &&
           !__builtin_add_overflow(pointer.form == Form::affine ? pointer.stride[0] : 0, step,
                                   &out.stride[0]) &&
           line_end(out, type).has_value();
  }
  for (int d = 0; d < type.rank(); ++d) {
    const auto at = static_cast<std::size_t>(d);
    const bool p_affine = pointer.form == Form::affine, o_affine = offset.form == Form::affine;
    const bool p_table = p_affine && (pointer.tables >> d & 1) != 0,
               o_table = o_affine && (offset.tables >> d & 1) != 0;
    const std::int64_t p_stride = p_affine && !p_table ? pointer.stride[at] : 0;
    const std::int64_t o_stride = o_affine && !o_table ? offset.stride[at] : 0;
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(o_stride, size, &scaled)) return false;
    if (!p_table && !o_table) {
      if (__builtin_add_overflow(p_stride, scaled, &out.stride[at])) return false;
      continue;
    }
    if (p_table && o_table) return false;
    const std::int64_t start = table_start(type, d), other = p_table ? scaled : p_stride;
    if (other != 0) return false;
    for (std::int64_t i = 0; i < type.shape[at]; ++i) {
      if (p_table)
        out.table[start + i] = pointer.table[start + i];
      else if (__builtin_mul_overflow(offset.table[start + i], size, &out.table[start + i]))
        return false;
    }
    tables = static_cast<std::uint8_t>(tables | 1u << d);
    out.stride[at] = 0;
  }
  out.tables = tables;
  return range_of(out, type).has_value();
}

void run_addptr(Frame& frame, const Instruction& made) {
  const Value &pointer = frame.at(made.in[0]), &offset = frame.at(made.in[1]);
  Value& out = frame.at(made.out[0]);
  const Type& type = frame.type(made.out[0]);
  const Type& offset_type = frame.type(made.in[1]);
  if (is_affine(pointer) && is_affine(offset) && affine_type(type) &&
      add_pointer_affine(pointer, offset, out, type, offset_type, made.imm[0]))
    return;
  const auto* from = reinterpret_cast<const std::uint64_t*>(elements(frame, made.in[0]));
  const std::byte* offsets = elements(frame, made.in[1]);
  auto* to = reinterpret_cast<std::uint64_t*>(out.data);
  const auto size = static_cast<std::uint64_t>(made.imm[0]);
  if (offset_type.storage() == DType::i32) {
    const auto* o = reinterpret_cast<const std::int32_t*>(offsets);
    for (std::int64_t i = 0; i < out.n; ++i)
      to[i] = from[i] + static_cast<std::uint64_t>(std::int64_t{o[i]}) * size;
  } else if (offset_type.storage() == DType::i64) {
    const auto* o = reinterpret_cast<const std::uint64_t*>(offsets);
    for (std::int64_t i = 0; i < out.n; ++i) to[i] = from[i] + o[i] * size;
  } else {
    const std::size_t bytes = offset_type.element_bytes();
    for (std::int64_t i = 0; i < out.n; ++i) {
      std::int64_t bits = 0;
      std::memcpy(&bits, offsets + static_cast<std::size_t>(i) * bytes, bytes);
      to[i] = from[i] + static_cast<std::uint64_t>(sign_extend(bits, offset_type.storage())) * size;
    }
  }
  out.region = pointer.region;
  out.set_dense();
}

// Rows inside the box from a, the rest from b.
void select_box(Frame& frame, const Instruction& made) {
  const Value& box = frame.at(made.in[0]);
  Value& out = frame.at(made.out[0]);
  const Type& type = frame.type(made.out[0]);
  const std::size_t bytes = frame.info(made.out[0]).bytes;
  const int last = type.rank() - 1;
  const auto l = static_cast<std::size_t>(last);
  const std::int64_t inner = type.shape[l], from = box.stride[l], to = box.hi[l];
  const Value &a = frame.at(made.in[1]), &b = frame.at(made.in[2]);
  const std::byte* yes = a.form == Form::splat ? nullptr : elements(frame, made.in[1]);
  const std::byte* no = b.form == Form::splat ? nullptr : elements(frame, made.in[2]);
  const auto put = [&](std::int64_t start, std::int64_t count, const std::byte* source, const Value& value) {
    if (count <= 0) return;
    std::byte* at = out.data + static_cast<std::size_t>(start) * bytes;
    if (source != nullptr)
      std::memcpy(at, source + static_cast<std::size_t>(start) * bytes,
                  static_cast<std::size_t>(count) * bytes);
    else
      numeric::fill(at, &value.bits, bytes, static_cast<std::size_t>(count));
  };
  std::array<std::int64_t, kFormRank> at{};
  for (std::int64_t row = 0; row < type.count; row += inner) {
    bool inside = true;
    for (int d = 0; d < last; ++d) {
      const auto e = static_cast<std::size_t>(d);
      inside = inside && at[e] >= box.stride[e] && at[e] < box.hi[e];
    }
    if (inside) {
      put(row, from, no, b);
      put(row + from, to - from, yes, a);
      put(row + to, inner - to, no, b);
    } else {
      put(row, inner, no, b);
    }
    for (int d = last - 1; d >= 0; --d) {
      if (++at[static_cast<std::size_t>(d)] < type.shape[static_cast<std::size_t>(d)]) break;
      at[static_cast<std::size_t>(d)] = 0;
    }
  }
  out.set_dense();
}

void run_select(Frame& frame, const Instruction& made) {
  Value &condition = frame.at(made.in[0]), &a = frame.at(made.in[1]), &b = frame.at(made.in[2]);
  Value& out = frame.at(made.out[0]);
  const int region = a.region == b.region ? a.region : kAnyRegion;
  if (condition.form == Form::splat || made.imm[1] != 0)
    return assign(frame, made.out[0], made.in[scalar_bool(frame, made.in[0]) ? 1 : 2]);
  if (condition.form == Form::box && made.imm[0] != 0 && !condition.filled &&
      !box_empty(condition, frame.type(made.in[0]).rank())) {
    select_box(frame, made);
  } else {
    const bool a_one = a.form == Form::splat, b_one = b.form == Form::splat;
    const auto kernel = a_one ? (b_one ? made.kernel.select.ss : made.kernel.select.sv)
                              : (b_one ? made.kernel.select.vs : made.kernel.select.vv);
    kernel(elements(frame, made.in[0]),
           a_one ? static_cast<const void*>(&a.bits) : elements(frame, made.in[1]),
           b_one ? static_cast<const void*>(&b.bits) : elements(frame, made.in[2]), out.data,
           static_cast<std::size_t>(out.n));
    out.set_dense();
  }
  out.region = region;
}

// The bits of "1.0e+00", "0x7FC0", "-5", "true" in a type. Decimals are shortest forms: parse in the right
// width.
bool literal_bits(std::string_view text, const Type& type, std::int64_t& bits) {
  bits = 0;
  if (text == "true" || text == "false") {
    bits = text == "true" ? 1 : 0;
    return type.is(DType::b8);
  }
  if (text.starts_with("0x") || !type.floating()) {
    const bool hex = text.starts_with("0x"), negative = text.starts_with('-');
    std::uint64_t magnitude = 0;
    const std::string_view digits = text.substr(hex ? 2 : negative ? 1 : 0);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, hex ? 16 : 10);
    if (error != std::errc{} || end != digits.data() + digits.size()) return false;
    bits = low_bytes(static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude), type.element_bytes());
    if (type.is(DType::b8)) bits &= 1;
    return true;
  }
  const std::string copy(text);
  char* end = nullptr;
  if (type.dtype == DType::f64) {
    const double value = std::strtod(copy.c_str(), &end);
    std::memcpy(&bits, &value, sizeof value);
  } else {
    const float value = std::strtof(copy.c_str(), &end);
    numeric::converter(DType::f32, type.dtype)(&value, &bits, 1);
  }
  return end != nullptr && *end == '\0';
}

}  // namespace

bool build_constant(Builder& b, int) {
  if (!b.counts(0, 1)) return false;
  std::string_view text = b.op.literal;
  if (text.starts_with("dense<") && text.ends_with('>')) text = text.substr(6, text.size() - 7);
  if (b.out().kind != Type::Kind::value) return b.unsupported("constant of type " + b.out().text);
  if (text.starts_with('[') || text.starts_with('"')) return b.unsupported("constant that is not uniform");
  if (!literal_bits(text, b.out(), b.made.imm[0]))
    return b.malformed("no constant of type " + b.out().text + ": " + std::string(text.substr(0, 40)));
  b.made.run = run_constant;
  return true;
}

// Any value is allowed; a NaN or pattern would only make runs differ from a GPU's, which picks 0 as well.
bool build_poison(Builder& b, int) {
  if (!b.counts(0, 1)) return false;
  b.made.run = run_constant;
  return true;
}

bool build_range(Builder& b, int) {
  const auto start = b.integer_attribute("start"), end = b.integer_attribute("end");
  if (!b.counts(0, 1)) return false;
  if (!start || !end || b.out().rank() != 1 || !b.out().is(DType::i32) || *end - *start != b.out().count ||
      *start < INT32_MIN || *end > INT32_MAX)
    return b.malformed("start and end do not fit the type");
  b.made.imm[0] = *start;
  b.made.run = run_range;
  return true;
}

bool build_splat(Builder& b, int parameter) {
  if (!b.counts(1, 1)) return false;
  const Type &in = b.in(0), &out = b.out();
  if (in.kind != out.kind || in.dtype != out.dtype || in.kind == Type::Kind::descriptor ||
      (parameter == 0 ? in.tensor : in.count != 1))
    return b.malformed("operand and result do not fit");
  b.made.run = run_splat;
  return true;
}

bool build_program_id(Builder& b, int parameter) {
  if (!b.counts(0, 1) || !b.out().is(DType::i32) || b.out().tensor || b.op.words.empty())
    return b.malformed("needs an axis and an i32 result");
  const std::string_view axis = b.op.words[0];
  if (axis != "x" && axis != "y" && axis != "z") return b.malformed("no axis '" + std::string(axis) + "'");
  b.made.imm = {axis[0] - 'x', parameter};
  b.made.run = run_program_id;
  return true;
}

bool build_nothing(Builder& b, int) {
  if (b.outputs() != 0) return b.malformed("has no results");
  b.made.run = run_nothing;
  return true;
}

bool build_addptr(Builder& b, int) {
  if (!b.counts(2, 1)) return false;
  if (!b.in(0).pointer() || !b.in(1).integral() || !b.in(0).same_shape(b.in(1)) || !like(b.in(0), b.out()))
    return b.malformed("needs a pointer and an integer of one shape");
  b.made.imm[0] = static_cast<std::int64_t>(bytes_of(b.in(0).dtype));
  b.made.run = run_addptr;
  return true;
}

bool build_select(Builder& b, int) {
  if (!b.counts(3, 1) || !same_operands(b, 1, 2)) return false;
  const Type &condition = b.in(0), &out = b.out();
  if (!condition.is(DType::b8) || !like(b.in(1), out) || out.kind == Type::Kind::descriptor ||
      (condition.tensor && !condition.same_shape(out)))
    return b.malformed("condition, operands and result do not fit");
  if (!condition.tensor && out.tensor) b.made.imm[1] = 1;
  b.made.kernel.select = numeric::select(out.element_bytes());
  if (!b.made.kernel.select) return b.unsupported();
  b.made.imm[0] = out.tensor && condition.tensor && out.rank() <= kFormRank && !b.combining;
  b.made.run = run_select;
  b.made.spans = true;
  return true;
}

}  // namespace kgb::vm
