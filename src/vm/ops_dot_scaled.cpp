// SPDX-License-Identifier: Apache-2.0
// tt.dot_scaled as Triton lowers it where no tensor core scales (sm_90): operands and scales become bf16, or
// f16 if either operand is, are multiplied with one rounding, and tt.dot follows. So the scale code 0 is zero
// and not 2^-127, and the code 255 is NaN unless fastMath says that it does not occur.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "vm/builder.hpp"
#include "vm/elementwise.hpp"

namespace kgb::vm {
namespace {

constexpr std::int64_t half = 1, fast = 2, scaled_a = 4, scaled_b = 8;  // flags
enum class Packed : std::int64_t { no, rows, columns };  // along which dimension e2m1 pairs lie, low first

std::uint16_t to_compute(double value, bool as_half) {
  return as_half ? numeric::encode<numeric::F16>(value) : numeric::encode<numeric::BF16>(value);
}
double from_compute(std::uint16_t bits, bool as_half) {
  return as_half ? numeric::decode<numeric::F16>(bits) : numeric::decode<numeric::BF16>(bits);
}

// The values of all codes of an 8-bit type; e2m1 by its 16 codes.
std::array<double, 256> code_values(DType dtype, bool pairs) {
  static constexpr double e2m1[] = {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0};
  std::array<double, 256> out{};
  for (unsigned code = 0; code < out.size(); ++code) {
    const auto bits = static_cast<std::uint8_t>(code);
    if (pairs)
      out[code] = (code & 8) != 0 ? -e2m1[code & 7] : e2m1[code & 7];
    else
      out[code] = dtype == DType::f8e4m3 ? numeric::decode<numeric::F8E4M3>(bits)
                                         : numeric::decode<numeric::F8E5M2>(bits);
  }
  return out;
}

// Scale codes as values of the compute type: e8m0 by its exponent bits alone, or e4m3.
std::array<double, 256> scale_values(DType dtype, bool as_half, bool fast_math) {
  std::array<double, 256> out = code_values(DType::f8e4m3, false);
  if (dtype == DType::f8e4m3) return out;
  for (std::uint32_t code = 0; code < out.size(); ++code) {
    const double wide = std::bit_cast<float>(code << 23);
    out[code] = from_compute(to_compute(wide, as_half), as_half);
    if (code == 255 && !fast_math) out[code] = std::numeric_limits<double>::quiet_NaN();
  }
  return out;
}

struct Side {
  const std::byte* data = nullptr;
  DType dtype = DType::i8;
  Packed packed = Packed::no;
  const std::byte* scale = nullptr;
  DType scale_dtype = DType::i8;
  std::int64_t rows = 0, columns = 0;  // of the matrix, unpacked
  std::int64_t groups = 1, group = 1;  // scales per line, elements per scale
  bool along_rows = false;             // scales follow the rows (right operand) or the columns
};

void expand(const Side& side, bool as_half, bool fast_math, std::uint16_t* out) {
  const bool wide = side.dtype == DType::bf16 || side.dtype == DType::f16;
  const auto codes = code_values(side.dtype, side.packed != Packed::no);
  const auto scales = scale_values(side.scale_dtype, as_half, fast_math);
  const auto byte_at = [](const std::byte* from, std::int64_t i) {
    return static_cast<std::uint8_t>(from[i]);
  };
  for (std::int64_t r = 0; r < side.rows; ++r) {
    for (std::int64_t c = 0; c < side.columns; ++c) {
      double value = 0;
      if (wide) {
        std::uint16_t bits = 0;
        std::memcpy(&bits, side.data + 2 * (r * side.columns + c), sizeof bits);
        value = from_compute(bits, side.dtype == DType::f16);
      } else if (side.packed == Packed::no) {
        value = codes[byte_at(side.data, r * side.columns + c)];
      } else {
        const bool rows = side.packed == Packed::rows;
        const std::int64_t at = rows ? r / 2 * side.columns + c : r * (side.columns / 2) + c / 2;
        const std::int64_t high = rows ? r & 1 : c & 1;
        value = codes[byte_at(side.data, at) >> (4 * high) & 15];
      }
      // The operand itself becomes the compute type first: f16 cannot hold all of bf16, nor the reverse.
      value = from_compute(to_compute(value, as_half), as_half);
      if (side.scale != nullptr) {
        const std::int64_t line = side.along_rows ? c : r, along = side.along_rows ? r : c;
        value *= scales[byte_at(side.scale, line * side.groups + along / side.group)];
      }
      out[r * side.columns + c] = to_compute(value, as_half);
    }
  }
}

// imm: 0 flags, 1 batch, 2 m, 3 n, 4 k, 5 packing of a and of b.
void run_dot_scaled(Frame& frame, const Instruction& made) {
  const std::int64_t flags = made.imm[0], batch = made.imm[1], m = made.imm[2], n = made.imm[3],
                     k = made.imm[4];
  const bool as_half = (flags & half) != 0, fast_math = (flags & fast) != 0;
  const bool sa = (flags & scaled_a) != 0, sb = (flags & scaled_b) != 0;
  const std::size_t at_b = sa ? 2 : 1, at_c = at_b + (sb ? 2 : 1);
  const auto side = [&](std::size_t at, bool scaled, Packed packed, bool right) {
    Side made_side;
    made_side.data = elements(frame, made.in[at]);
    made_side.dtype = frame.type(made.in[at]).dtype;
    made_side.packed = packed;
    made_side.rows = right ? k : m;
    made_side.columns = right ? n : k;
    made_side.along_rows = right;
    if (scaled) {
      const Type& type = frame.type(made.in[at + 1]);
      made_side.scale = elements(frame, made.in[at + 1]);
      made_side.scale_dtype = type.dtype;
      made_side.groups = type.shape.back();
      made_side.group = k / made_side.groups;
    }
    return made_side;
  };
  Side a = side(0, sa, static_cast<Packed>(made.imm[5] & 3), false);
  Side b = side(at_b, sb, static_cast<Packed>(made.imm[5] >> 2), true);
  Value& d = frame.at(made.out[0]);
  const std::size_t d_bytes = frame.info(made.out[0]).bytes;
  std::memcpy(d.data, elements(frame, made.in[at_c]), static_cast<std::size_t>(d.n) * d_bytes);
  std::vector<std::uint16_t> left(static_cast<std::size_t>(m * k)), right(static_cast<std::size_t>(k * n));
  const auto step = [&](int id) {
    return static_cast<std::int64_t>(frame.info(id).bytes) * frame.type(id).count / batch;
  };
  for (std::int64_t i = 0; i < batch; ++i) {
    expand(a, as_half, fast_math, left.data());
    expand(b, as_half, fast_math, right.data());
    numeric::DotArgs args;
    args.a = left.data();
    args.b = right.data();
    args.c = d.data + static_cast<std::size_t>(i * m * n) * d_bytes;
    args.m = static_cast<std::size_t>(m);
    args.n = static_cast<std::size_t>(n);
    args.k = static_cast<std::size_t>(k);
    args.a_row = k;
    args.b_row = args.c_row = n;
    made.extra->dot(args);
    a.data += step(made.in[0]);
    b.data += step(made.in[at_b]);
    if (sa) a.scale += step(made.in[1]);
    if (sb) b.scale += step(made.in[at_b + 1]);
  }
  d.set_dense();
  frame.steps += static_cast<std::uint64_t>(batch * m * n * k) >> 16;
}

// The format's words against the operand's type; false: they do not fit, or the format is none of Triton's.
bool format_fits(std::string_view format, const Type& type) {
  if (type.kind != Type::Kind::value) return false;
  if (format == "e2m1") return type.is(DType::i8);
  if (format == "e4m3") return type.is(DType::f8e4m3);
  if (format == "e5m2") return type.is(DType::f8e5m2);
  if (format == "bf16") return type.is(DType::bf16);
  return format == "fp16" && type.is(DType::f16);
}

bool is_true(const Builder& b, std::string_view key, bool otherwise) {
  const std::string_view* text = b.op.attribute(key);
  return text == nullptr ? otherwise : *text == "true";
}

bool scale_fits(const Type& scale, const Type& out, std::int64_t lines, std::int64_t k) {
  const std::int64_t groups = scale.shape.empty() ? 0 : scale.shape.back();
  return (scale.is(DType::i8) || scale.is(DType::f8e4m3)) && scale.rank() == out.rank() && groups > 0 &&
         k % groups == 0 && scale.shape[scale.shape.size() - 2] == lines &&
         (out.rank() == 2 || scale.shape[0] == out.shape[0]);
}

}  // namespace

bool build_dot_scaled(Builder& b, int) {
  const std::vector<std::size_t>& scales = b.op.brackets;  // operands that stand before each `scale`
  const bool sa = !scales.empty() && scales[0] == 1, sb = scales.size() == (sa ? 2 : 1);
  const std::size_t at_b = sa ? 2 : 1, at_c = at_b + (sb ? 2 : 1);
  if (scales.size() > 2 || b.inputs() != at_c + 1 || b.outputs() != 1)
    return b.malformed("wrong number of operands or results");
  const Type &x = b.in(0), &y = b.in(at_b), &out = b.out();
  const int rank = out.rank();
  if ((rank != 2 && rank != 3) || x.rank() != rank || y.rank() != rank || !like(b.in(at_c), out))
    return b.malformed("operands must be matrices, the result like the accumulator");
  const std::string_view *lhs = b.op.attribute("lhs"), *rhs = b.op.attribute("rhs");
  if (lhs == nullptr || rhs == nullptr) return b.malformed("no formats");
  if (!format_fits(*lhs, x) || !format_fits(*rhs, y))
    return b.unsupported(std::string(*lhs) + " in " + x.text + ", " + std::string(*rhs) + " in " + y.text);
  const auto r = static_cast<std::size_t>(rank);
  const bool pairs_a = *lhs == "e2m1", pairs_b = *rhs == "e2m1";
  const Packed pa = !pairs_a ? Packed::no : is_true(b, "lhs_k_pack", true) ? Packed::columns : Packed::rows;
  const Packed pb = !pairs_b ? Packed::no : is_true(b, "rhs_k_pack", true) ? Packed::rows : Packed::columns;
  const std::int64_t batch = rank == 3 ? out.shape[0] : 1, m = out.shape[r - 2], n = out.shape[r - 1],
                     k = x.shape[r - 1] * (pa == Packed::columns ? 2 : 1);
  if (x.shape[r - 2] * (pa == Packed::rows ? 2 : 1) != m ||
      y.shape[r - 2] * (pb == Packed::rows ? 2 : 1) != k ||
      y.shape[r - 1] * (pb == Packed::columns ? 2 : 1) != n ||
      (rank == 3 && (x.shape[0] != batch || y.shape[0] != batch)))
    return b.malformed("the shapes do not multiply");
  if ((sa && !scale_fits(b.in(1), out, m, k)) || (sb && !scale_fits(b.in(at_b + 1), out, n, k)))
    return b.malformed("a scale does not fit its operand");
  const bool as_half = *lhs == "fp16" || *rhs == "fp16";
  const DType compute = as_half ? DType::f16 : DType::bf16;
  b.extra().dot = numeric::dot(compute, compute, out.dtype);
  if (b.made.extra->dot == nullptr || !out.floating()) return b.unsupported(out.text);
  b.made.imm = {(as_half ? half : 0) | (is_true(b, "fastMath", false) ? fast : 0) | (sa ? scaled_a : 0) |
                    (sb ? scaled_b : 0),
                batch,
                m,
                n,
                k,
                static_cast<std::int64_t>(pa) | static_cast<std::int64_t>(pb) << 2};
  b.made.run = run_dot_scaled;
  return true;
}

}  // namespace kgb::vm
