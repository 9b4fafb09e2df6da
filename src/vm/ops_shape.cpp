// SPDX-License-Identifier: Apache-2.0
// Operations that give elements another shape or order.
#include "vm/elementwise.hpp"
#include "vm/forms.hpp"
#include "vm/handlers.hpp"
#include "vm/strided.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace kgb::vm {
namespace handlers {

// Moves dimension `from[d]` of the source's form to dimension d; from[d] < 0: a new dimension of size 1.
void permute_form(Frame& frame, int out_id, int in_id, std::span<const int> from) {
  const Value& in = frame.at(in_id);
  Value& out = frame.at(out_id);
  const Type &in_type = frame.type(in_id), &type = frame.type(out_id);
  out.form = in.form;
  out.bits = in.bits;
  out.region = in.region;
  out.tables = 0;
  out.filled = false;
  for (std::size_t d = 0; d < from.size(); ++d) {
    const int source = from[d];
    const auto s = static_cast<std::size_t>(std::max(source, 0));
    out.stride[d] = source < 0 ? 0 : in.stride[s];
    out.hi[d] = source < 0 ? 1 : in.hi[s];
    if (source < 0 || in.form != Form::affine || (in.tables >> source & 1) == 0) continue;
    std::memcpy(out.table + table_start(type, static_cast<int>(d)), in.table + table_start(in_type, source),
                static_cast<std::size_t>(type.shape[d]) * 8);
    out.tables = static_cast<std::uint8_t>(out.tables | 1u << d);
  }
}

void share_elements(Frame& frame, int out_id, int in_id) {
  Value& out = frame.at(out_id);
  const Value& in = frame.at(in_id);
  out.data = elements(frame, in_id);
  out.region = in.region;
  out.set_dense();
}

}  // namespace handlers

namespace {

void run_view(Frame& frame, const Instruction& made) {
  const Value& in = frame.at(made.in[0]);
  Value& out = frame.at(made.out[0]);
  if (in.form == Form::splat) {
    out.data = in.data;
    out.set_splat(in.bits);
    out.region = in.region;
    return;
  }
  if (in.form != Form::dense && made.imm[0] != 0) {
    std::array<int, kFormRank> from{};
    const int rank = frame.type(made.out[0]).rank();
    for (int d = 0; d < rank; ++d)
      from[static_cast<std::size_t>(d)] = static_cast<int>(made.imm[1] >> (8 * d) & 0xFF) - 1;
    out.data = in.data;
    handlers::permute_form(frame, made.out[0], made.in[0],
                           std::span(from).first(static_cast<std::size_t>(rank)));
    out.filled = in.filled;
    return;
  }
  handlers::share_elements(frame, made.out[0], made.in[0]);
}

}  // namespace

void handlers::run_broadcast(Frame& frame, const Instruction& made) {
  const Value& in = frame.at(made.in[0]);
  Value& out = frame.at(made.out[0]);
  const Type &in_type = frame.type(made.in[0]), &type = frame.type(made.out[0]);
  if (in.form == Form::splat) {
    out.set_splat(in.bits);
    out.region = in.region;
    return;
  }
  if (in.form == Form::affine || in.form == Form::box) {
    const bool empty = in.form == Form::box && box_empty(in, in_type.rank());
    if (empty) return out.set_splat(0);
    // Tables keep their place in the dimension order, but sizes before them may grow.
    const Value source = in;
    out.form = source.form;
    out.bits = source.bits;
    out.region = source.region;
    out.filled = false;
    out.tables = source.form == Form::affine ? source.tables : 0;
    for (int d = 0; d < type.rank(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      const bool grown = in_type.shape[at] == 1;
      out.stride[at] = grown ? 0 : source.stride[at];
      out.hi[at] = grown ? type.shape[at] : source.hi[at];
      if ((out.tables >> d & 1) != 0)
        std::memcpy(out.table + table_start(type, d), source.table + table_start(in_type, d),
                    static_cast<std::size_t>(type.shape[at]) * 8);
    }
    return;
  }
  if (made.imm[0] != 0 && table_from_elements(frame, made.out[0], made.in[0], in_type)) return;
  copy_strided(out.data, elements(frame, made.in[0]), frame.info(made.out[0]).bytes, made.extra->sizes,
               made.extra->strides);
  out.region = in.region;
  out.set_dense();
}

namespace {

void run_trans(Frame& frame, const Instruction& made) {
  const Value& in = frame.at(made.in[0]);
  Value& out = frame.at(made.out[0]);
  const Type& type = frame.type(made.out[0]);
  if (in.form == Form::splat) {
    out.set_splat(in.bits);
    out.region = in.region;
    return;
  }
  if (in.form != Form::dense && type.rank() <= kFormRank) {
    std::array<int, kFormRank> from{};
    for (int d = 0; d < type.rank(); ++d)
      from[static_cast<std::size_t>(d)] = static_cast<int>(made.imm[1] >> (8 * d) & 0xFF) - 1;
    handlers::permute_form(frame, made.out[0], made.in[0],
                           std::span(from).first(static_cast<std::size_t>(type.rank())));
    return;
  }
  copy_strided(out.data, elements(frame, made.in[0]), frame.info(made.out[0]).bytes, made.extra->sizes,
               made.extra->strides);
  out.region = in.region;
  out.set_dense();
}

template <typename T>
void interleave(std::byte* out, const std::byte* a, const std::byte* b, std::int64_t n) {
  T* to = reinterpret_cast<T*>(out);
  const T *x = reinterpret_cast<const T*>(a), *y = reinterpret_cast<const T*>(b);
  for (std::int64_t i = 0; i < n; ++i) {
    to[2 * i] = x[i];
    to[2 * i + 1] = y[i];
  }
}

template <typename T>
void separate(const std::byte* in, std::byte* a, std::byte* b, std::int64_t n) {
  const T* from = reinterpret_cast<const T*>(in);
  T *x = reinterpret_cast<T*>(a), *y = reinterpret_cast<T*>(b);
  for (std::int64_t i = 0; i < n; ++i) {
    x[i] = from[2 * i];
    y[i] = from[2 * i + 1];
  }
}

void run_join(Frame& frame, const Instruction& made) {
  const std::byte *a = elements(frame, made.in[0]), *b = elements(frame, made.in[1]);
  Value& out = frame.at(made.out[0]);
  const std::int64_t n = out.n / 2;
  switch (frame.info(made.out[0]).bytes) {
    case 1:
      interleave<std::uint8_t>(out.data, a, b, n);
      break;
    case 2:
      interleave<std::uint16_t>(out.data, a, b, n);
      break;
    case 4:
      interleave<std::uint32_t>(out.data, a, b, n);
      break;
    default:
      interleave<std::uint64_t>(out.data, a, b, n);
      break;
  }
  out.set_dense();
  out.region =
      frame.at(made.in[0]).region == frame.at(made.in[1]).region ? frame.at(made.in[0]).region : kAnyRegion;
}

void run_split(Frame& frame, const Instruction& made) {
  const std::byte* in = elements(frame, made.in[0]);
  Value &a = frame.at(made.out[0]), &b = frame.at(made.out[1]);
  const std::int64_t n = frame.at(made.in[0]).n / 2;
  switch (frame.info(made.in[0]).bytes) {
    case 1:
      separate<std::uint8_t>(in, a.data, b.data, n);
      break;
    case 2:
      separate<std::uint16_t>(in, a.data, b.data, n);
      break;
    case 4:
      separate<std::uint32_t>(in, a.data, b.data, n);
      break;
    default:
      separate<std::uint64_t>(in, a.data, b.data, n);
      break;
  }
  for (Value* out : {&a, &b}) {
    out->region = frame.at(made.in[0]).region;
    out->set_dense();
    if (out->n != 1 || frame.type(made.out[0]).tensor) continue;
    std::int64_t bits = 0;
    std::memcpy(&bits, out->data, frame.info(made.out[0]).bytes);
    out->set_splat(bits);
  }
}

template <typename T>
void reverse_rows(std::byte* data, std::int64_t n) {
  T* at = reinterpret_cast<T*>(data);
  std::reverse(at, at + n);
}

void maybe_reorder(Frame& frame, int id) {
  if (!frame.options->reorder) return;
  Value& value = frame.at(id);
  std::byte* data = elements(frame, id);
  switch (frame.info(id).bytes) {
    case 1:
      reverse_rows<std::uint8_t>(data, value.n);
      break;
    case 2:
      reverse_rows<std::uint16_t>(data, value.n);
      break;
    case 4:
      reverse_rows<std::uint32_t>(data, value.n);
      break;
    default:
      reverse_rows<std::uint64_t>(data, value.n);
      break;
  }
  value.set_dense();
}

void run_cat(Frame& frame, const Instruction& made) {
  Value& out = frame.at(made.out[0]);
  std::size_t at = 0;
  const Value &a = frame.at(made.in[0]), &b = frame.at(made.in[1]);
  for (const int id : made.in) {
    const std::size_t bytes = static_cast<std::size_t>(frame.at(id).n) * frame.info(id).bytes;
    std::memcpy(out.data + at, elements(frame, id), bytes);
    at += bytes;
  }
  out.region = a.region == b.region ? a.region : kAnyRegion;
  out.set_dense();
  maybe_reorder(frame, made.out[0]);
}

void run_free_reshape(Frame& frame, const Instruction& made) {
  Value& out = frame.at(made.out[0]);
  std::memcpy(out.data, elements(frame, made.in[0]),
              static_cast<std::size_t>(out.n) * frame.info(made.out[0]).bytes);
  out.region = frame.at(made.in[0]).region;
  out.set_dense();
  maybe_reorder(frame, made.out[0]);
}

// The dimensions of `out` taken from those of `in` if only size-1 dimensions differ: one byte each, 0 for
// new.
std::optional<std::int64_t> dimension_map(const Type& in, const Type& out) {
  if (in.rank() > kFormRank || out.rank() > kFormRank) return std::nullopt;
  std::int64_t map = 0;
  std::size_t next = 0;
  for (std::size_t d = 0; d < out.shape.size(); ++d) {
    while (next < in.shape.size() && in.shape[next] == 1 && out.shape[d] != 1) ++next;
    if (out.shape[d] == 1) {
      // A size-1 dimension carries nothing but a box's emptiness, which never survives: such boxes are
      // splats.
      continue;
    }
    if (next >= in.shape.size() || in.shape[next] != out.shape[d]) return std::nullopt;
    map |= static_cast<std::int64_t>(next + 1) << (8 * d);
    ++next;
  }
  for (; next < in.shape.size(); ++next)
    if (in.shape[next] != 1) return std::nullopt;
  return map;
}

bool set_view(Builder& b) {
  const auto map = dimension_map(b.in(0), b.out());
  b.made.imm = {map.has_value(), map.value_or(0)};
  b.made.view = true;
  b.made.run = run_view;
  return true;
}

bool same_element(const Type& a, const Type& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.kind != Type::Kind::descriptor;
}

}  // namespace

bool build_expand(Builder& b, int) {
  if (!b.counts(1, 1)) return false;
  const auto axis = b.integer_attribute("axis");
  std::vector<std::int64_t> shape = b.in(0).shape;
  if (!axis || *axis < 0 || *axis > b.in(0).rank() || !b.in(0).tensor) return b.malformed("no such axis");
  shape.insert(shape.begin() + *axis, 1);
  if (shape != b.out().shape || !same_element(b.in(0), b.out()))
    return b.malformed("the result does not fit");
  return set_view(b);
}

bool build_reshape(Builder& b, int) {
  if (!b.counts(1, 1)) return false;
  if (b.in(0).count != b.out().count || !b.in(0).tensor || !b.out().tensor || !same_element(b.in(0), b.out()))
    return b.malformed("operand and result differ in element type or count");
  const bool free_order =
      std::find(b.op.words.begin(), b.op.words.end(), "allow_reorder") != b.op.words.end();
  if (free_order) {
    b.made.run = run_free_reshape;
    return true;
  }
  return set_view(b);
}

bool build_broadcast(Builder& b, int) {
  if (!b.counts(1, 1)) return false;
  const Type &in = b.in(0), &out = b.out();
  if (!in.tensor || in.rank() != out.rank() || !same_element(in, out))
    return b.malformed("the result does not fit");
  Extra& extra = b.extra();
  extra.sizes = out.shape;
  extra.strides.assign(out.shape.size(), 0);
  std::int64_t stride = 1;
  for (int d = in.rank() - 1; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    if (in.shape[at] != out.shape[at] && in.shape[at] != 1)
      return b.malformed("only size 1 can be broadcast");
    extra.strides[at] = in.shape[at] == 1 ? 0 : stride;
    stride *= in.shape[at];
  }
  collapse(extra.sizes, extra.strides);
  b.made.imm[0] =
      !in.floating() && !in.is(DType::b8) && out.rank() >= 2 && out.rank() <= kFormRank && !b.combining;
  b.made.run = handlers::run_broadcast;
  return true;
}

bool build_trans(Builder& b, int) {
  if (!b.counts(1, 1)) return false;
  const Type &in = b.in(0), &out = b.out();
  const auto order = b.list_attribute("order");
  if (!in.tensor || !same_element(in, out) || order.size() != in.shape.size() || out.rank() != in.rank())
    return b.malformed("the order does not fit the shape");
  std::vector<std::int64_t> strides(order.size(), 1);
  for (std::size_t d = order.size(); d-- > 1;) strides[d - 1] = strides[d] * in.shape[d];
  std::vector<bool> seen(order.size(), false);
  Extra& extra = b.extra();
  extra.sizes = out.shape;
  for (std::size_t d = 0; d < order.size(); ++d) {
    if (order[d] < 0 || order[d] >= in.rank() || seen[static_cast<std::size_t>(order[d])])
      return b.malformed("the order is no permutation");
    const auto from = static_cast<std::size_t>(order[d]);
    seen[from] = true;
    if (out.shape[d] != in.shape[from]) return b.malformed("the result does not fit");
    extra.strides.push_back(strides[from]);
    if (d < 8) b.made.imm[1] |= static_cast<std::int64_t>(from + 1) << (8 * d);
  }
  collapse(extra.sizes, extra.strides);
  b.made.run = run_trans;
  return true;
}

bool build_join(Builder& b, int) {
  if (!b.counts(2, 1) || !same_operands(b, 0, 2)) return false;
  std::vector<std::int64_t> shape = b.in(0).shape;
  shape.push_back(2);
  if (shape != b.out().shape || !same_element(b.in(0), b.out()))
    return b.malformed("the result does not fit");
  b.made.run = run_join;
  return true;
}

bool build_split(Builder& b, int) {
  if (!b.counts(1, 2)) return false;
  std::vector<std::int64_t> shape = b.out(0).shape;
  shape.push_back(2);
  if (shape != b.in(0).shape || !same_element(b.in(0), b.out(0)) || !like(b.out(0), b.out(1)))
    return b.malformed("the results do not fit");
  b.made.run = run_split;
  return true;
}

bool build_cat(Builder& b, int) {
  if (!b.counts(2, 1)) return false;
  if (!same_element(b.in(0), b.in(1)) || !same_element(b.in(0), b.out()) || !b.in(0).tensor ||
      !b.in(1).tensor || !b.out().tensor || b.in(0).count + b.in(1).count != b.out().count)
    return b.malformed("operands and result do not fit");
  b.made.run = run_cat;
  return true;
}

}  // namespace kgb::vm
