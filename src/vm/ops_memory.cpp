// SPDX-License-Identifier: Apache-2.0
// tt.load and tt.store.
#include "vm/access.hpp"
#include "vm/elementwise.hpp"
#include "vm/handlers.hpp"

#include <cstring>

namespace kgb::vm {
namespace {

// What the inactive lanes of a load hold: `other`, zero, or the poison pattern.
void fill_other(Frame& frame, const Instruction& made, int other, std::byte* tile, std::int64_t n) {
  const std::size_t bytes = frame.info(made.out[0]).bytes;
  if (other >= 0 && frame.at(other).form != Form::splat) {
    std::memcpy(tile, elements(frame, other), static_cast<std::size_t>(n) * bytes);
    return;
  }
  std::int64_t bits = other >= 0 ? frame.at(other).bits : 0;
  if (other < 0 && frame.options->poison_masked) bits = made.imm[3];
  numeric::fill(tile, &bits, bytes, static_cast<std::size_t>(n));
}

template <typename T>
void gather(const std::uint64_t* addresses, const std::uint8_t* mask, std::byte* tile, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    if (mask == nullptr || mask[i] != 0)
      std::memcpy(tile + i * static_cast<std::int64_t>(sizeof(T)),
                  reinterpret_cast<const void*>(addresses[i]), sizeof(T));
}

template <typename T>
void scatter(const std::uint64_t* addresses, const std::uint8_t* mask, const std::byte* tile,
             std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    if (mask == nullptr || mask[i] != 0)
      std::memcpy(reinterpret_cast<void*>(addresses[i]), tile + i * static_cast<std::int64_t>(sizeof(T)),
                  sizeof(T));
}

// Lane by lane: any pointers, any mask.
void load_lanes(Frame& frame, const Instruction& made, const std::uint8_t* mask, int other) {
  Value& out = frame.at(made.out[0]);
  const std::size_t bytes = frame.info(made.out[0]).bytes;
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(elements(frame, made.in[0]));
  if (!check_lanes(frame, made, Verb::load, frame.at(made.in[0]).region, addresses, mask, out.n, bytes))
    return;
  if (mask != nullptr) fill_other(frame, made, other, out.data, out.n);
  switch (bytes) {
    case 1:
      gather<std::uint8_t>(addresses, mask, out.data, out.n);
      break;
    case 2:
      gather<std::uint16_t>(addresses, mask, out.data, out.n);
      break;
    case 4:
      gather<std::uint32_t>(addresses, mask, out.data, out.n);
      break;
    default:
      gather<std::uint64_t>(addresses, mask, out.data, out.n);
      break;
  }
  out.set_dense();
}

void load_uniform(Frame& frame, const Instruction& made) {
  const Value& pointer = frame.at(made.in[0]);
  Value& out = frame.at(made.out[0]);
  const std::size_t bytes = frame.info(made.out[0]).bytes;
  if (!check_address(frame, made, Verb::load, pointer.region, static_cast<std::uint64_t>(pointer.bits),
                     bytes))
    return;
  std::int64_t bits = 0;
  std::memcpy(&bits, reinterpret_cast<const void*>(pointer.bits), bytes);
  out.set_splat(bits);
}

void clean_booleans(Value& out) {
  if (out.form == Form::splat)
    out.bits = out.bits != 0;
  else
    for (std::int64_t i = 0; i < out.n; ++i) out.data[i] = std::byte{out.data[i] != std::byte{0}};
}

// Fetches now what the next access of this instruction will touch.
void follow_stream(Frame& frame, const Instruction& made, const Value& pointer, const Type& type,
                   std::size_t bytes) {
  if (const std::int64_t step = stream_step(frame, made, pointer)) prefetch(pointer, type, bytes, step);
}
void follow_row(Frame& frame, const Instruction& made, const Value& pointer) {
  if (const std::int64_t step = stream_step(frame, made, pointer))
    prefetch_row<false>(pointer.bits + step, made.row);
}

void leave_in_memory(Value& out, const Value& pointer) {
  out.form = Form::memory;
  out.filled = false;
  out.bits = pointer.bits;
  out.stride = pointer.stride;
  out.tables = 0;
}

void load_tile(Frame& frame, const Instruction& made, int mask, int other, const Active& active) {
  Value &pointer = frame.at(made.in[0]), &out = frame.at(made.out[0]);
  const Type& type = frame.type(made.in[0]);
  const std::size_t bytes = frame.info(made.out[0]).bytes;
  if (pointer.form == Form::dense || type.rank() > kFormRank ||
      check_affine(frame, pointer, type, active, bytes, Verb::load) < 0)
    return load_lanes(frame, made, mask_bytes(frame, mask, active), other);
  follow_stream(frame, made, pointer, type, bytes);
  if (active.kind == Active::Kind::lanes) {
    // The whole tile lies inside its buffer, so inactive lanes may be read; `other` then replaces them.
    load_box(pointer, type, whole_box(type), out.data, bytes);
    std::int64_t bits = other < 0 && frame.options->poison_masked ? made.imm[3] : 0;
    const bool dense_other = other >= 0 && frame.at(other).form != Form::splat;
    if (other >= 0 && !dense_other) bits = frame.at(other).bits;
    const auto kernel = dense_other ? made.kernel.select.vv : made.kernel.select.vs;
    kernel(active.mask, out.data, dense_other ? static_cast<const void*>(elements(frame, other)) : &bits,
           out.data, static_cast<std::size_t>(out.n));
  } else if (active.all && made.imm[5] != 0 && pointer.form == Form::affine && pointer.tables == 0) {
    return leave_in_memory(out, pointer);
  } else {
    if (!active.all) fill_other(frame, made, other, out.data, out.n);
    load_box(pointer, type, active, out.data, bytes);
  }
  out.set_dense();
}

}  // namespace

void handlers::run_load(Frame& frame, const Instruction& made) {
  if (made.imm[5] != 0) {  // a tile that may stay where it lies
    const Value& pointer = frame.at(made.in[0]);
    const std::size_t bytes = frame.info(made.out[0]).bytes;
    const Value* only = made.imm[0] != 0 ? &frame.at(made.in[1]) : nullptr;
    if (whole_row(frame, pointer, only, made.row, bytes, Verb::load) != nullptr) {
      Value& out = frame.at(made.out[0]);
      out.region = kAnyRegion;
      follow_row(frame, made, pointer);
      return leave_in_memory(out, pointer);
    }
  }
  const int mask = made.imm[0] != 0 ? made.in[1] : -1, other = made.imm[1] != 0 ? made.in[2] : -1;
  Value& out = frame.at(made.out[0]);
  const Active active = active_lanes(frame, mask, frame.type(made.in[0]));
  out.region = kAnyRegion;
  if (active.kind == Active::Kind::none) {
    if (other >= 0)
      assign(frame, made.out[0], other);
    else
      out.set_splat(frame.options->poison_masked ? made.imm[3] : 0);
    return;
  }
  if (frame.at(made.in[0]).form == Form::splat && active.all)
    load_uniform(frame, made);
  else
    load_tile(frame, made, mask, other, active);
  if (made.imm[2] != 0 && !frame.trapped) clean_booleans(out);
}

namespace {

void store_lanes(Frame& frame, const Instruction& made, const std::uint8_t* mask) {
  const std::size_t bytes = frame.info(made.in[1]).bytes;
  const std::int64_t n = frame.at(made.in[1]).n;
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(elements(frame, made.in[0]));
  const std::byte* tile = elements(frame, made.in[1]);
  if (!check_lanes(frame, made, Verb::store, frame.at(made.in[0]).region, addresses, mask, n, bytes)) return;
  switch (bytes) {
    case 1:
      return scatter<std::uint8_t>(addresses, mask, tile, n);
    case 2:
      return scatter<std::uint16_t>(addresses, mask, tile, n);
    case 4:
      return scatter<std::uint32_t>(addresses, mask, tile, n);
    default:
      return scatter<std::uint64_t>(addresses, mask, tile, n);
  }
}

}  // namespace

void handlers::run_store(Frame& frame, const Instruction& made) {
  const int mask = made.imm[0] != 0 ? made.in[2] : -1;
  const Value &pointer = frame.at(made.in[0]), &value = frame.at(made.in[1]);
  const Type& type = frame.type(made.in[0]);
  const std::size_t bytes = frame.info(made.in[1]).bytes;
  const Value* only = mask < 0 ? nullptr : &frame.at(mask);
  if (std::byte* to = whole_row(frame, pointer, only, made.row, bytes, Verb::store)) {
    const std::byte* tile = elements(frame, made.in[1]);
    if (past_caches(frame, pointer.region, made.row))
      return copy_past_caches(to, tile, static_cast<std::size_t>(made.row));
    std::memmove(to, tile, static_cast<std::size_t>(made.row));
    if (const std::int64_t step = stream_step(frame, made, pointer))
      prefetch_row<true>(pointer.bits + step, made.row);
    return;
  }
  const Active active = active_lanes(frame, mask, type);
  if (active.kind == Active::Kind::none) return;
  if (value.n == 1 && pointer.form == Form::splat && value.form == Form::splat && active.all) {
    if (check_address(frame, made, Verb::store, pointer.region, static_cast<std::uint64_t>(pointer.bits),
                      bytes))
      std::memcpy(reinterpret_cast<void*>(pointer.bits), &value.bits, bytes);
    return;
  }
  if (active.kind == Active::Kind::lanes || pointer.form == Form::dense || type.rank() > kFormRank ||
      check_affine(frame, pointer, type, active, bytes, Verb::store) < 0)
    return store_lanes(frame, made, mask_bytes(frame, mask, active));
  follow_stream(frame, made, pointer, type, bytes);
  store_box(pointer, type, active, elements(frame, made.in[1]), bytes);
}

namespace {

bool pointee_like(const Type& pointer, const Type& value) {
  // A pointer to pointers has i64 for its element.
  const bool fits = value.kind == Type::Kind::value ? pointer.dtype == value.dtype
                                                    : value.pointer() && pointer.dtype == DType::i64;
  return pointer.pointer() && fits && pointer.same_shape(value);
}

// Poison: a quiet NaN for floats, 0x5A5A.. for integers.
std::int64_t poison_bits(const Type& type) {
  if (!type.floating()) return low_bytes(0x5A5A5A5A5A5A5A5A, type.element_bytes());
  const double nan = __builtin_nan("");
  std::int64_t bits = 0;
  numeric::converter(DType::f64, type.dtype)(&nan, &bits, 1);
  return bits;
}

}  // namespace

bool build_load(Builder& b, int) {
  if (b.inputs() < 1 || b.inputs() > 3 || b.outputs() != 1)
    return b.malformed("wrong number of operands or results");
  if (!pointee_like(b.in(0), b.out())) return b.malformed("needs a pointer to the result's type");
  if (b.inputs() > 1 && (!b.in(1).is(DType::b8) || !b.in(1).same_shape(b.out())))
    return b.malformed("the mask does not fit");
  if (b.inputs() > 2 && !like(b.in(2), b.out())) return b.malformed("`other` does not fit");
  b.made.kernel.select = numeric::select(b.out().element_bytes());
  b.made.imm = {b.inputs() > 1, b.inputs() > 2, b.out().is(DType::b8),
                b.out().is(DType::b8) ? 1 : poison_bits(b.out()), b.program.streams++};
  b.made.row = row_bytes(b.out(), b.out().element_bytes());
  b.made.run = handlers::run_load;
  return true;
}

bool build_store(Builder& b, int) {
  if (b.inputs() < 2 || b.inputs() > 3 || b.outputs() != 0)
    return b.malformed("wrong number of operands or results");
  if (!pointee_like(b.in(0), b.in(1))) return b.malformed("needs a pointer to the value's type");
  if (b.inputs() > 2 && (!b.in(2).is(DType::b8) || !b.in(2).same_shape(b.in(1))))
    return b.malformed("the mask does not fit");
  b.made.imm = {b.inputs() > 2, 0, 0, 0, b.program.streams++};
  b.made.row = row_bytes(b.in(1), b.in(1).element_bytes());
  b.made.run = handlers::run_store;
  return true;
}

}  // namespace kgb::vm
