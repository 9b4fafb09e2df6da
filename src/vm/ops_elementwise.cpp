// SPDX-License-Identifier: Apache-2.0
// Elementwise operations over spans: float arithmetic, comparison of floats, functions, conversions,
// bitcasts.
#include "vm/builder.hpp"
#include "vm/elementwise.hpp"
#include "vm/forms.hpp"
#include "vm/handlers.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace kgb::vm {

// Applies a kernel to two values: uniform operands stay uniform, one uniform operand is passed as one
// element.
void apply_binary(Frame& frame, const numeric::BinaryKernel& kernel, int a_id, int b_id, int out_id) {
  Value &a = frame.at(a_id), &b = frame.at(b_id), &out = frame.at(out_id);
  const bool a_one = a.form == Form::splat, b_one = b.form == Form::splat;
  if (a_one && b_one) {
    std::int64_t bits = 0;
    kernel.vv(&a.bits, &b.bits, &bits, 1);
    out.set_splat(one_element(&bits, frame.info(out_id).bytes));
    return;
  }
  const auto n = static_cast<std::size_t>(out.n);
  if (a_one)
    kernel.sv(&a.bits, elements(frame, b_id), out.data, n);
  else if (b_one)
    kernel.vs(elements(frame, a_id), &b.bits, out.data, n);
  else
    kernel.vv(elements(frame, a_id), elements(frame, b_id), out.data, n);
  out.set_dense();
}

void apply_unary(Frame& frame, numeric::UnaryFn kernel, int a_id, int out_id) {
  Value &a = frame.at(a_id), &out = frame.at(out_id);
  if (a.form == Form::splat) {
    std::int64_t bits = 0;
    kernel(&a.bits, &bits, 1);
    out.set_splat(one_element(&bits, frame.info(out_id).bytes));
    return;
  }
  kernel(elements(frame, a_id), out.data, static_cast<std::size_t>(out.n));
  out.set_dense();
}

void run_binary(Frame& frame, const Instruction& made) {
  apply_binary(frame, made.kernel.binary, made.in[0], made.in[1], made.out[0]);
}

void run_unary(Frame& frame, const Instruction& made) {
  apply_unary(frame, made.kernel.unary, made.in[0], made.out[0]);
}

bool same_operands(Builder& b, std::size_t from, std::size_t count) {
  for (std::size_t i = from + 1; i < from + count; ++i)
    if (b.in(i).kind != b.in(from).kind || b.in(i).dtype != b.in(from).dtype ||
        !b.in(i).same_shape(b.in(from)))
      return b.malformed("operands differ in type");
  return true;
}

bool like(const Type& a, const Type& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.same_shape(b);
}

bool build_binary(Builder& b, int parameter) {
  if (!b.counts(2, 1) || !same_operands(b, 0, 2)) return false;
  if (!like(b.in(0), b.out())) return b.malformed("result and operands differ in type");
  if (b.in(0).kind != Type::Kind::value) return b.malformed("operands must be numbers");
  b.made.kernel.binary = numeric::binary(static_cast<numeric::BinaryOp>(parameter), b.in(0).dtype);
  if (!b.made.kernel.binary) return b.unsupported(std::string(name_of(b.in(0).dtype)));
  b.made.run = run_binary;
  b.made.spans = true;
  return true;
}

namespace {

// x - trunc(x / y) y, the product and the difference rounded once, as a GPU computes a remainder.
template <typename T, bool OneX, bool OneY>
void remainder_span(const void* px, const void* py, void* po, std::size_t n) {
  const T *x = static_cast<const T*>(px), *y = static_cast<const T*>(py);
  T* out = static_cast<T*>(po);
  for (std::size_t i = 0; i < n; ++i) {
    const T a = x[OneX ? 0 : i], b = y[OneY ? 0 : i];
    out[i] = std::isinf(b) ? a : std::fma(-std::trunc(a / b), b, a);
  }
}

template <typename T>
constexpr numeric::BinaryKernel kRemainder{&remainder_span<T, false, false>, &remainder_span<T, false, true>,
                                           &remainder_span<T, true, false>};

void run_remainder(Frame& frame, const Instruction& made) {
  const bool wide = frame.type(made.in[0]).is(DType::f64);
  apply_binary(frame,
               frame.options->exact_remainder ? made.kernel.binary
               : wide                         ? kRemainder<double>
                                              : kRemainder<float>,
               made.in[0], made.in[1], made.out[0]);
}

void run_ternary(Frame& frame, const Instruction& made) {
  Value& out = frame.at(made.out[0]);
  const bool uniform =
      std::all_of(made.in.begin(), made.in.end(), [&](int v) { return frame.at(v).form == Form::splat; });
  if (uniform) {
    std::int64_t bits = 0;
    made.kernel.ternary(&frame.at(made.in[0]).bits, &frame.at(made.in[1]).bits, &frame.at(made.in[2]).bits,
                        &bits, 1);
    out.set_splat(bits);
    return;
  }
  made.kernel.ternary(elements(frame, made.in[0]), elements(frame, made.in[1]), elements(frame, made.in[2]),
                      out.data, static_cast<std::size_t>(out.n));
  out.set_dense();
}

void run_extended(Frame& frame, const Instruction& made) {
  apply_binary(frame, made.kernel.binary, made.in[0], made.in[1], made.out[1]);
  const auto low = numeric::binary(numeric::BinaryOp::muli, frame.type(made.in[0]).dtype);
  apply_binary(frame, low, made.in[0], made.in[1], made.out[0]);
}

void run_to_fp8(Frame& frame, const Instruction& made) {
  apply_unary(frame, made.extra->convert_alternatives[frame.options->fp8_saturate ? 1 : 0], made.in[0],
              made.out[0]);
}

// The value stays in its form; only the name of its bits changes.
void run_same_bits(Frame& frame, const Instruction& made) {
  Value& out = frame.at(made.out[0]);
  const Value& in = frame.at(made.in[0]);
  const bool lines = in.form == Form::affine && affine_type(frame.type(made.out[0]));
  if (lines || in.form == Form::splat || in.form == Form::box)
    assign(frame, made.out[0], made.in[0]);
  else
    handlers::share_elements(frame, made.out[0], made.in[0]);
  if (made.imm[0] == 1) out.region = kAnyRegion;  // int_to_ptr: its origin is looked up
}

}  // namespace

bool build_remainder(Builder& b, int parameter) {
  if (!build_binary(b, parameter)) return false;
  if (b.made.run == run_binary && (b.in(0).is(DType::f32) || b.in(0).is(DType::f64)))
    b.made.run = run_remainder;
  return true;
}

bool build_ternary(Builder& b, int parameter) {
  if (!b.counts(3, 1) || !same_operands(b, 0, 3)) return false;
  if (!like(b.in(0), b.out()) || !b.in(0).floating())
    return b.malformed("result and operands differ in type");
  b.made.kernel.ternary = numeric::ternary(static_cast<numeric::TernaryOp>(parameter), b.in(0).dtype);
  if (b.made.kernel.ternary == nullptr) return b.unsupported(std::string(name_of(b.in(0).dtype)));
  b.made.run = run_ternary;
  b.made.spans = true;
  return true;
}

bool build_clamp(Builder& b, int) {
  const std::string_view* propagate = b.op.attribute("propagateNan");
  const bool keep = propagate != nullptr && *propagate != "none";
  return build_ternary(
      b, static_cast<int>(keep ? numeric::TernaryOp::clamp_keep_nan : numeric::TernaryOp::clamp_drop_nan));
}

bool build_extended(Builder& b, int parameter) {
  if (!b.counts(2, 2) || !same_operands(b, 0, 2)) return false;
  if (!like(b.in(0), b.out(0)) || !like(b.in(0), b.out(1)) || !b.in(0).integral())
    return b.malformed("result and operands differ in type");
  b.made.kernel.binary = numeric::binary(static_cast<numeric::BinaryOp>(parameter), b.in(0).dtype);
  if (!b.made.kernel.binary) return b.unsupported();
  b.made.run = run_extended;
  return true;
}

bool build_unary(Builder& b, int parameter) {
  if (!b.counts(1, 1)) return false;
  if (!like(b.in(0), b.out()) || b.in(0).kind != Type::Kind::value)
    return b.malformed("result and operand differ in type");
  b.made.kernel.unary = numeric::unary(static_cast<numeric::UnaryOp>(parameter), b.in(0).dtype);
  if (b.made.kernel.unary == nullptr) return b.unsupported(std::string(name_of(b.in(0).dtype)));
  b.made.run = run_unary;
  b.made.spans = true;
  return true;
}

bool build_convert(Builder& b, int parameter) {
  if (!b.counts(1, 1)) return false;
  const auto cast = static_cast<Cast>(parameter);
  const Type &in = b.in(0), &out = b.out();
  if (in.kind != Type::Kind::value || out.kind != Type::Kind::value || !in.same_shape(out))
    return b.malformed("operand and result differ in shape");
  const bool from_float = cast == Cast::fptosi || cast == Cast::fptoui || cast == Cast::fp;
  const bool to_float = cast == Cast::sitofp || cast == Cast::uitofp || cast == Cast::fp;
  if (in.floating() != from_float || out.floating() != to_float)
    return b.malformed("operand or result of another kind");
  const bool is_unsigned = cast == Cast::extui || cast == Cast::indexui || cast == Cast::uitofp;
  const DType from = is_unsigned ? unsigned_of(in.dtype) : in.dtype;
  const DType to = cast == Cast::fptoui ? unsigned_of(out.dtype) : out.dtype;
  numeric::ConvertOptions options;
  const std::string_view* rounding = b.op.attribute("rounding");
  if (rounding != nullptr && *rounding == "rtz") options.rounding = numeric::Rounding::toward_zero;
  b.made.kernel.unary =
      in.is(DType::b8) && (cast == Cast::extsi || cast == Cast::sitofp || cast == Cast::index)
          ? numeric::signed_bool_converter(to)
          : numeric::converter(from, to, options);
  if (b.made.kernel.unary == nullptr) return b.unsupported(in.text + " to " + out.text);
  b.made.run = run_unary;
  b.made.spans = true;
  if (!from_float && !to_float) return build_integer_cast(b, cast);
  if (to == DType::f8e4m3 || to == DType::f8e5m2) {
    for (const bool saturate : {false, true}) {
      options.overflow = saturate ? numeric::Fp8Overflow::saturate : numeric::Fp8Overflow::ieee;
      b.extra().convert_alternatives[saturate ? 1 : 0] = numeric::converter(from, to, options);
    }
    b.made.run = run_to_fp8;
    b.made.spans = true;
  }
  return true;
}

bool build_bitcast(Builder& b, int parameter) {
  if (!b.counts(1, 1)) return false;
  const Type &in = b.in(0), &out = b.out();
  if (!in.same_shape(out) || in.element_bytes() != out.element_bytes() || in.kind == Type::Kind::descriptor ||
      out.kind == Type::Kind::descriptor || in.is(DType::b8) != out.is(DType::b8))
    return b.malformed("operand and result differ in size");
  b.made.imm[0] = parameter;
  b.made.view = !b.combining;
  b.made.run = run_same_bits;
  return true;
}

bool build_compare_float(Builder& b, int) {
  using C = numeric::CompareFloat;
  static constexpr std::pair<std::string_view, C> names[] = {{"false", C::always_false},
                                                             {"oeq", C::oeq},
                                                             {"ogt", C::ogt},
                                                             {"oge", C::oge},
                                                             {"olt", C::olt},
                                                             {"ole", C::ole},
                                                             {"one", C::one},
                                                             {"ord", C::ord},
                                                             {"ueq", C::ueq},
                                                             {"ugt", C::ugt},
                                                             {"uge", C::uge},
                                                             {"ult", C::ult},
                                                             {"ule", C::ule},
                                                             {"une", C::une},
                                                             {"uno", C::uno},
                                                             {"true", C::always_true}};
  if (!b.counts(2, 1) || !same_operands(b, 0, 2)) return false;
  if (!b.in(0).floating() || b.op.words.empty()) return b.malformed("needs a predicate and floats");
  for (const auto& [name, predicate] : names) {
    if (name != b.op.words[0]) continue;
    b.made.kernel.binary = numeric::compare(predicate, b.in(0).dtype);
    if (!b.made.kernel.binary) return b.unsupported(std::string(name_of(b.in(0).dtype)));
    b.made.run = run_binary;
    b.made.spans = true;
    b.made.spans = true;
    return true;
  }
  return b.malformed("unknown predicate '" + std::string(b.op.words[0]) + "'");
}

}  // namespace kgb::vm
