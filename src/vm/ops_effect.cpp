// SPDX-License-Identifier: Apache-2.0
// Tensor descriptors, tt.assert and tt.print.
#include "vm/descriptor.hpp"
#include "vm/elementwise.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>

namespace kgb::vm {
namespace {

// A descriptor's table: sizes, then strides in elements, then the padding kind (0 zero, 1 NaN).
void run_descriptor(Frame& frame, const Instruction& made) {
  Value& out = frame.at(made.out[0]);
  const Value& base = frame.at(made.in[0]);
  out.set_splat(base.bits);
  out.region = base.region;
  for (std::size_t i = 1; i < made.in.size(); ++i) out.table[i - 1] = scalar_int(frame, made.in[i]);
  out.table[made.in.size() - 1] = made.imm[0];
}

}  // namespace

bool descriptor_block_at(Frame& frame, const Instruction& made, std::span<const std::int64_t> starts,
                         Value& pointer, Active& active) {
  const Type& type = frame.type(made.in[0]);
  const Value& descriptor = frame.at(made.in[0]);
  const int rank = type.rank();
  pointer.form = Form::affine;
  pointer.bits = descriptor.bits;
  pointer.region = descriptor.region;
  pointer.stride = {};
  active.all = true;
  for (int d = 0; d < rank; ++d) {
    const auto at = static_cast<std::size_t>(d);
    const std::int64_t start = starts[at];
    const std::int64_t size = descriptor.table[d], block = type.shape[at];
    std::int64_t stride = 0, offset = 0;
    if (__builtin_mul_overflow(descriptor.table[rank + d], static_cast<std::int64_t>(bytes_of(type.dtype)),
                               &stride) ||
        __builtin_mul_overflow(stride, start, &offset) ||
        __builtin_add_overflow(pointer.bits, offset, &pointer.bits)) {
      frame.report(made, "malformed", "a tensor descriptor whose strides overflow");
      return false;
    }
    pointer.stride[at] = stride;
    active.from[at] = start >= 0 ? 0 : start < -block ? block : -start;
    std::int64_t left = 0;  // from the start to the end of the tensor
    if (__builtin_sub_overflow(size, start, &left)) left = start < 0 ? block : 0;
    active.to[at] = std::clamp<std::int64_t>(left, 0, block);
    if (active.from[at] >= active.to[at]) active.kind = Active::Kind::none;
    active.all = active.all && active.from[at] == 0 && active.to[at] == block;
  }
  return true;
}

bool descriptor_block(Frame& frame, const Instruction& made, std::size_t first_index, Value& pointer,
                      Active& active) {
  std::array<std::int64_t, kFormRank> starts{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(frame.type(made.in[0]).rank()); ++d)
    starts[d] = scalar_int(frame, made.in[first_index + d]);
  return descriptor_block_at(frame, made, starts, pointer, active);
}

bool check_block(Frame& frame, const Instruction& made, const Value& pointer, const Type& type,
                 const Active& active, Verb verb) {
  const std::size_t bytes = bytes_of(type.dtype);
  if (check_affine(frame, pointer, type, active, bytes, verb) >= 0) return true;
  std::array<std::int64_t, kFormRank> at = active.from;
  while (true) {
    std::int64_t address = pointer.bits;
    for (int d = 0; d < type.rank(); ++d)
      address += pointer.stride[static_cast<std::size_t>(d)] * at[static_cast<std::size_t>(d)];
    if (!check_address(frame, made, verb, pointer.region, static_cast<std::uint64_t>(address), bytes))
      return false;
    int d = type.rank() - 1;
    for (; d >= 0; --d) {
      if (++at[static_cast<std::size_t>(d)] < active.to[static_cast<std::size_t>(d)]) break;
      at[static_cast<std::size_t>(d)] = active.from[static_cast<std::size_t>(d)];
    }
    if (d < 0) return true;
  }
}

std::int64_t padding_bits(Frame& frame, const Instruction& made) {
  const Type& type = frame.type(made.in[0]);
  std::int64_t bits = 0;
  const double value = __builtin_nan("");
  if (frame.at(made.in[0]).table[2 * type.rank()] != 0 && is_floating(type.dtype))
    numeric::converter(DType::f64, type.dtype)(&value, &bits, 1);
  return bits;
}

bool indices_fit(Builder& b, std::size_t from, std::size_t count) {
  for (std::size_t i = from; i < from + count; ++i)
    if (i >= b.inputs() || !b.in(i).integral() || b.in(i).tensor)
      return b.malformed("indices must be integers");
  return true;
}

bool block_like(const Type& descriptor, const Type& tile) {
  return tile.kind == Type::Kind::value && tile.dtype == descriptor.dtype && tile.tensor &&
         tile.count == std::accumulate(descriptor.shape.begin(), descriptor.shape.end(), std::int64_t{1},
                                       std::multiplies<>());
}

namespace {

void run_descriptor_load(Frame& frame, const Instruction& made) {
  Value pointer;
  Active active;
  if (!descriptor_block(frame, made, 1, pointer, active)) return;
  const Type& type = frame.type(made.in[0]);
  Value& out = frame.at(made.out[0]);
  const std::size_t bytes = bytes_of(type.dtype);
  if (!active.all || active.kind == Active::Kind::none) {
    const std::int64_t bits = padding_bits(frame, made);
    numeric::fill(out.data, &bits, bytes, static_cast<std::size_t>(out.n));
  }
  if (active.kind != Active::Kind::none) {
    if (!check_block(frame, made, pointer, type, active, Verb::load)) return;
    load_box(pointer, type, active, out.data, bytes);
  }
  out.set_dense();
}

void run_descriptor_store(Frame& frame, const Instruction& made) {
  Value pointer;
  Active active;
  if (!descriptor_block(frame, made, 1, pointer, active) || active.kind == Active::Kind::none) return;
  const Type& type = frame.type(made.in[0]);
  if (!check_block(frame, made, pointer, type, active, Verb::store)) return;
  store_box(pointer, type, active, elements(frame, made.in.back()), bytes_of(type.dtype));
}

void run_assert(Frame& frame, const Instruction& made) {
  const Value& value = frame.at(made.in[0]);
  std::int64_t failed = -1;
  if (value.form == Form::splat) {
    if ((value.bits & 1) == 0) failed = 0;
  } else {
    const std::byte* data = elements(frame, made.in[0]);
    const std::byte* end = data + value.n;
    const std::byte* found = std::find(data, end, std::byte{0});
    if (found != end) failed = found - data;
  }
  if (failed >= 0)
    frame.report(made, "assert",
                 "assertion failed: " + made.extra->text + " (element " + std::to_string(failed) + ")", {},
                 failed);
}

std::string printed(const std::byte* data, const Type& type, bool is_signed, bool hex) {
  std::int64_t bits = 0;
  std::memcpy(&bits, data, type.element_bytes());
  char text[400];  // the largest f64 has 309 digits before the point
  if (hex || type.pointer()) {
    std::snprintf(text, sizeof text, "0x%0*llx", static_cast<int>(type.element_bytes() * 2),
                  static_cast<unsigned long long>(bits));
  } else if (type.floating()) {
    double value = 0;
    numeric::converter(type.dtype, DType::f64)(data, &value, 1);
    std::snprintf(text, sizeof text, "%f", value);
  } else if (is_signed) {
    std::snprintf(text, sizeof text, "%lld", static_cast<long long>(sign_extend(bits, type.dtype)));
  } else {
    std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(bits));
  }
  return text;
}

// One line per element, as Triton prints on a GPU: "pid (0, 0, 0) idx (3) v: 1.5".
void run_print(Frame& frame, const Instruction& made) {
  std::string text;
  const std::string head = "pid (" + std::to_string(frame.id[0]) + ", " + std::to_string(frame.id[1]) + ", " +
                           std::to_string(frame.id[2]) + ") idx (";
  for (std::size_t k = 0; k < std::max<std::size_t>(made.in.size(), 1); ++k) {
    if (made.in.empty()) {
      text += head + ")" + made.extra->text + "\n";
      break;
    }
    const Type& type = frame.type(made.in[k]);
    const std::byte* data = elements(frame, made.in[k]);
    const bool is_signed = k >= made.extra->flags.size() || made.extra->flags[k] != 0;
    for (std::int64_t i = 0; i < type.count && text.size() < frame.options->max_printed; ++i) {
      text += head;
      std::int64_t rest = i;
      std::string index;
      for (int d = type.rank() - 1; d >= 0; --d) {
        const std::int64_t dim = type.shape[static_cast<std::size_t>(d)];
        index = std::to_string(rest % dim) + (index.empty() ? "" : ", ") + index;
        rest /= dim;
      }
      text += index + ")" + made.extra->text +
              printed(data + static_cast<std::size_t>(i) * type.element_bytes(), type, is_signed,
                      made.imm[0] != 0) +
              "\n";
    }
  }
  const std::lock_guard lock(frame.state->mutex);
  if (frame.state->printed.size() < frame.options->max_printed) frame.state->printed += text;
}

}  // namespace

bool build_descriptor(Builder& b, int) {
  if (b.outputs() != 1 || b.inputs() < 1 || !b.in(0).pointer() || b.in(0).tensor ||
      b.out().kind != Type::Kind::descriptor)
    return b.malformed("needs a pointer and gives a descriptor");
  const auto rank = static_cast<std::size_t>(b.out().rank());
  if (b.in(0).dtype != b.out().dtype || b.inputs() != 1 + 2 * rank || !indices_fit(b, 1, 2 * rank))
    return b.malformed("sizes and strides do not fit the block");
  if (rank > kFormRank) return b.unsupported("rank above 4");
  const std::string_view* padding = b.op.attribute("padding");
  b.made.imm[0] = padding != nullptr && (*padding == "nan" || *padding == "2" || padding->starts_with("2 "));
  b.made.run = run_descriptor;
  return true;
}

bool build_descriptor_load(Builder& b, int) {
  if (b.inputs() < 1 || b.outputs() != 1 || b.in(0).kind != Type::Kind::descriptor)
    return b.malformed("needs a descriptor");
  const auto rank = static_cast<std::size_t>(b.in(0).rank());
  if (b.inputs() != 1 + rank || !indices_fit(b, 1, rank) || !block_like(b.in(0), b.out()))
    return b.malformed("the block does not fit");
  if (rank > kFormRank) return b.unsupported("rank above 4");
  b.made.run = run_descriptor_load;
  return true;
}

bool build_descriptor_store(Builder& b, int) {
  if (b.inputs() < 2 || b.outputs() != 0 || b.in(0).kind != Type::Kind::descriptor)
    return b.malformed("needs a descriptor");
  const auto rank = static_cast<std::size_t>(b.in(0).rank());
  if (b.inputs() != 2 + rank || !indices_fit(b, 1, rank) || !block_like(b.in(0), b.in(1 + rank)))
    return b.malformed("the block does not fit");
  if (rank > kFormRank) return b.unsupported("rank above 4");
  b.made.run = run_descriptor_store;
  return true;
}

bool build_assert(Builder& b, int) {
  if (!b.counts(1, 0) || !b.in(0).is(DType::b8)) return b.malformed("needs an i1");
  b.extra().text = std::string(b.op.literal);
  b.made.run = run_assert;
  return true;
}

bool build_print(Builder& b, int) {
  if (b.outputs() != 0) return b.malformed("has no results");
  for (std::size_t i = 0; i < b.inputs(); ++i)
    if (b.in(i).kind == Type::Kind::descriptor) return b.unsupported("of a descriptor");
  Extra& extra = b.extra();
  extra.text = std::string(b.op.literal);
  for (const std::int64_t flag : b.list_attribute("isSigned")) extra.flags.push_back(flag != 0);
  const std::string_view* hex = b.op.attribute("hex");
  b.made.imm[0] = hex != nullptr && *hex == "true";
  b.made.run = run_print;
  return true;
}

}  // namespace kgb::vm
