// SPDX-License-Identifier: Apache-2.0
// tt.dot, with its operand rounding, and tt.gather and tt.histogram.
#include "vm/elementwise.hpp"
#include "vm/forms.hpp"
#include "vm/handlers.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kgb::vm {
namespace {

// A matrix where its elements lie; steps in elements.
struct Matrix {
  const std::byte* data = nullptr;
  std::int64_t row = 0, column = 1;
};

// Rows a power of two apart compete for few sets of the cache: a matrix that is walked down its columns is
// copied first.
bool crowded(const Value& value, std::int64_t rows) {
  return rows > 8 && std::abs(value.stride[0]) % 1024 == 0;
}

Matrix matrix_of(Frame& frame, int id, std::int64_t columns, bool walked_down) {
  const Value& value = frame.at(id);
  const Type& type = frame.type(id);
  const auto bytes = static_cast<std::int64_t>(type.element_bytes());
  const bool there = value.form == Form::memory && type.rank() == 2 && value.stride[0] % bytes == 0 &&
                     value.stride[1] % bytes == 0;
  if (!there || (walked_down && crowded(value, type.shape[0]))) return {elements(frame, id), columns, 1};
  return {reinterpret_cast<const std::byte*>(value.bits), value.stride[0] / bytes, value.stride[1] / bytes};
}

}  // namespace

namespace handlers {

// d = a * b + c per batch. imm: 0 in place, 1 batch, 2 m, 3 n, 4 k, 5 follows Options::tf32.
void run_dot(Frame& frame, const Instruction& made) {
  Value &c = frame.at(made.in[2]), &d = frame.at(made.out[0]);
  if (made.imm[0] != 0 && c.form == Form::dense) {
    std::swap(c.data, d.data);
  } else {
    const std::size_t bytes = frame.info(made.out[0]).bytes;
    if (c.form == Form::splat)
      numeric::fill(d.data, &c.bits, bytes, static_cast<std::size_t>(d.n));
    else
      std::memcpy(d.data, elements(frame, made.in[2]), static_cast<std::size_t>(d.n) * bytes);
  }
  const auto m = made.imm[2], n = made.imm[3], k = made.imm[4];
  const Matrix a = matrix_of(frame, made.in[0], k, false), b = matrix_of(frame, made.in[1], n, true);
  const std::size_t a_bytes = frame.info(made.in[0]).bytes, b_bytes = frame.info(made.in[1]).bytes,
                    d_bytes = frame.info(made.out[0]).bytes;
  const numeric::DotFn dot = made.imm[5] != 0
                                 ? made.extra->dot_alternatives[static_cast<std::size_t>(frame.options->tf32)]
                                 : made.extra->dot;
  for (std::int64_t i = 0; i < made.imm[1]; ++i) {
    numeric::DotArgs args;
    args.a = a.data + static_cast<std::size_t>(i * m * k) * a_bytes;
    args.b = b.data + static_cast<std::size_t>(i * k * n) * b_bytes;
    args.c = d.data + static_cast<std::size_t>(i * m * n) * d_bytes;
    args.m = static_cast<std::size_t>(m);
    args.n = static_cast<std::size_t>(n);
    args.k = static_cast<std::size_t>(k);
    args.a_row = a.row;
    args.a_col = a.column;
    args.b_row = b.row;
    args.b_col = b.column;
    args.c_row = n;
    dot(args);
  }
  d.set_dense();
  frame.steps += static_cast<std::uint64_t>(made.imm[1] * m * n * k) >> 16;
}

}  // namespace handlers

namespace {

enum class Split : std::int64_t { none, tf32x3, bf16x3, bf16x6 };

// f32 values as a sum of `count` narrow ones: f32 that hold tf32, or bf16.
using Parts = std::vector<std::vector<std::byte>>;
Parts split(const std::byte* from, std::size_t n, Split kind) {
  const bool tf32 = kind == Split::tf32x3;
  const std::size_t count = kind == Split::bf16x6 ? 3 : 2;
  std::vector<float> rest(n), part(n);
  std::memcpy(rest.data(), from, n * sizeof(float));
  Parts parts;
  for (std::size_t p = 0; p < count; ++p) {
    parts.emplace_back(n * (tf32 ? 4 : 2));
    if (tf32) {
      if (p == 0)
        numeric::tf32_rounder(numeric::Tf32Mode::nearest_away)(rest.data(), part.data(), n);
      else
        part = rest;  // the product truncates it
      std::memcpy(parts.back().data(), part.data(), n * sizeof(float));
    } else {
      numeric::converter(DType::f32, DType::bf16)(rest.data(), parts.back().data(), n);
      numeric::converter(DType::bf16, DType::f32)(parts.back().data(), part.data(), n);
    }
    for (std::size_t i = 0; i < n; ++i) rest[i] -= part[i];
  }
  return parts;
}

// Products of parts, the smallest first, as Triton's lowering orders them; the first part of both comes last,
// after NaN in what there is (an infinity minus itself) became zero; then c. imm as in run_dot, 5: the split.
void run_split_dot(Frame& frame, const Instruction& made) {
  static constexpr std::pair<std::size_t, std::size_t> order[] = {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}};
  const auto kind = static_cast<Split>(made.imm[5]);
  const std::size_t first = kind == Split::bf16x6 ? 0 : 3;
  const auto m = static_cast<std::size_t>(made.imm[2]), n = static_cast<std::size_t>(made.imm[3]),
             k = static_cast<std::size_t>(made.imm[4]);
  Value& d = frame.at(made.out[0]);
  const float* c = reinterpret_cast<const float*>(elements(frame, made.in[2]));
  const std::byte *a = elements(frame, made.in[0]), *b = elements(frame, made.in[1]);
  for (std::size_t i = 0; i < static_cast<std::size_t>(made.imm[1]); ++i) {
    const Parts left = split(a + i * m * k * sizeof(float), m * k, kind),
                right = split(b + i * k * n * sizeof(float), k * n, kind);
    std::vector<float> sum(m * n, 0.0F);
    const auto add = [&](std::size_t p, std::size_t q) {
      numeric::DotArgs args;
      args.a = left[p].data();
      args.b = right[q].data();
      args.c = sum.data();
      args.m = m;
      args.n = n;
      args.k = k;
      args.a_row = static_cast<std::ptrdiff_t>(k);
      args.b_row = args.c_row = static_cast<std::ptrdiff_t>(n);
      made.extra->dot(args);
    };
    for (std::size_t t = first; t < std::size(order); ++t) add(order[t].first, order[t].second);
    for (float& value : sum) value = value == value ? value : 0.0F;
    add(0, 0);
    float* out = reinterpret_cast<float*>(d.data) + i * m * n;
    for (std::size_t j = 0; j < m * n; ++j) out[j] = sum[j] + c[i * m * n + j];
  }
  d.set_dense();
  frame.steps += static_cast<std::uint64_t>(made.imm[1]) * m * n * k >> 14;
}

// out[.., i, ..] = source[.., index[.., i, ..], ..] along the axis; the other dimensions agree.
void run_gather(Frame& frame, const Instruction& made) {
  const Type &source = frame.type(made.in[0]), &index = frame.type(made.in[1]);
  const auto axis = static_cast<std::size_t>(made.imm[0]);
  std::int64_t inner = 1;
  for (std::size_t d = axis + 1; d < source.shape.size(); ++d) inner *= source.shape[d];
  const std::int64_t from = source.shape[axis], to = index.shape[axis];
  const std::byte *data = elements(frame, made.in[0]), *indices = elements(frame, made.in[1]);
  Value& out = frame.at(made.out[0]);
  const std::size_t bytes = frame.info(made.out[0]).bytes;
  for (std::int64_t i = 0; i < out.n; ++i) {
    const std::int64_t at = integer_at(indices, i, index.dtype);
    if (at < 0 || at >= from)
      return frame.report(
          made, "out_of_bounds",
          "tt.gather with index " + std::to_string(at) + " along an axis of " + std::to_string(from), {}, at);
    const std::int64_t outer = i / (to * inner);
    std::memcpy(out.data + static_cast<std::size_t>(i) * bytes,
                data + static_cast<std::size_t>((outer * from + at) * inner + i % inner) * bytes, bytes);
  }
  out.region = frame.at(made.in[0]).region;
  out.set_dense();
}

// Values outside of the bins are not counted (undefined in Triton).
void run_histogram(Frame& frame, const Instruction& made) {
  const std::byte* data = elements(frame, made.in[0]);
  const std::byte* mask = made.in.size() > 1 ? elements(frame, made.in[1]) : nullptr;
  Value& out = frame.at(made.out[0]);
  const std::size_t bytes = frame.info(made.out[0]).bytes;
  std::memset(out.data, 0, static_cast<std::size_t>(out.n) * bytes);
  const DType dtype = frame.type(made.in[0]).dtype;
  for (std::int64_t i = 0; i < frame.at(made.in[0]).n; ++i) {
    if (mask != nullptr && mask[i] == std::byte{0}) continue;
    const std::int64_t bin = integer_at(data, i, dtype);
    if (bin < 0 || bin >= out.n) continue;
    std::int64_t bits = 0;
    std::memcpy(&bits, out.data + static_cast<std::size_t>(bin) * bytes, bytes);
    ++bits;
    std::memcpy(out.data + static_cast<std::size_t>(bin) * bytes, &bits, bytes);
  }
  out.set_dense();
}

}  // namespace

bool build_dot(Builder& b, int) {
  if (!b.counts(3, 1)) return false;
  const Type &x = b.in(0), &y = b.in(1), &c = b.in(2), &out = b.out();
  const int rank = out.rank();
  if ((rank != 2 && rank != 3) || x.rank() != rank || y.rank() != rank || !like(c, out))
    return b.malformed("operands must be matrices, the result like the accumulator");
  const auto r = static_cast<std::size_t>(rank);
  const std::int64_t batch = rank == 3 ? out.shape[0] : 1, m = out.shape[r - 2], n = out.shape[r - 1],
                     k = x.shape[r - 1];
  if (x.shape[r - 2] != m || y.shape[r - 2] != k || y.shape[r - 1] != n ||
      (rank == 3 && (x.shape[0] != batch || y.shape[0] != batch)))
    return b.malformed("the shapes do not multiply");
  if (x.kind != Type::Kind::value || y.kind != Type::Kind::value || out.kind != Type::Kind::value)
    return b.malformed("operands must be numbers");
  const std::string_view* precision = b.op.attribute("inputPrecision");
  const bool tf32 = precision != nullptr && *precision == "tf32" && x.is(DType::f32) && y.is(DType::f32);
  using P = numeric::DotPrecision;
  static constexpr std::pair<std::string_view, Split> splits[] = {
      {"tf32x3", Split::tf32x3}, {"bf16x3", Split::bf16x3}, {"bf16x6", Split::bf16x6}};
  Extra& extra = b.extra();
  extra.dot = numeric::dot(x.dtype, y.dtype, out.dtype, P::ieee);
  if (extra.dot == nullptr) return b.unsupported(x.text + " * " + y.text + " -> " + out.text);
  if (tf32) {
    extra.dot_alternatives[static_cast<std::size_t>(Options::Tf32::round)] =
        numeric::dot(x.dtype, y.dtype, out.dtype, P::tf32_nearest_away);
    extra.dot_alternatives[static_cast<std::size_t>(Options::Tf32::truncate)] =
        numeric::dot(x.dtype, y.dtype, out.dtype, P::tf32_truncate);
    extra.dot_alternatives[static_cast<std::size_t>(Options::Tf32::ieee)] = extra.dot;
  }
  b.made.imm = {0, batch, m, n, k, tf32};
  b.made.run = handlers::run_dot;
  for (const auto& [name, kind] : splits) {
    if (precision == nullptr || *precision != name || !x.is(DType::f32) || !y.is(DType::f32) ||
        !out.is(DType::f32))
      continue;
    const DType part = kind == Split::tf32x3 ? DType::f32 : DType::bf16;
    extra.dot = numeric::dot(part, part, DType::f32, P::tf32_truncate);
    b.made.imm[5] = static_cast<std::int64_t>(kind);
    b.made.run = run_split_dot;
  }
  return true;
}

bool build_gather(Builder& b, int) {
  if (!b.counts(2, 1)) return false;
  const auto axis = b.integer_attribute("axis");
  const Type &source = b.in(0), &index = b.in(1), &out = b.out();
  if (!axis || *axis < 0 || *axis >= source.rank() || index.rank() != source.rank() || !index.integral() ||
      !index.tensor || index.is(DType::b8) || out.shape != index.shape || out.kind != source.kind ||
      out.dtype != source.dtype)
    return b.malformed("source, index and result do not fit");
  for (int d = 0; d < source.rank(); ++d)
    if (d != *axis && source.shape[static_cast<std::size_t>(d)] != index.shape[static_cast<std::size_t>(d)])
      return b.malformed("source and index differ beside the axis");
  b.made.imm[0] = *axis;
  b.made.run = run_gather;
  return true;
}

bool build_histogram(Builder& b, int) {
  if (b.inputs() < 1 || b.inputs() > 2 || b.outputs() != 1)
    return b.malformed("wrong number of operands or results");
  if (!b.in(0).integral() || b.in(0).rank() != 1 || !b.out().integral() || b.out().rank() != 1 ||
      (b.inputs() == 2 && (!b.in(1).is(DType::b8) || !b.in(1).same_shape(b.in(0)))))
    return b.malformed("needs integers and bins of rank 1");
  b.made.run = run_histogram;
  return true;
}

}  // namespace kgb::vm
