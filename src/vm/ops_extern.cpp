// SPDX-License-Identifier: Apache-2.0
// Functions of libdevice, and those of the language that flush denormals as they do on a GPU.
#include "vm/builder.hpp"
#include "vm/elementwise.hpp"
#include "vm/forms.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace kgb::vm {
namespace {

// Denormals become zeros of their sign.
void flush(float* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    if (std::fpclassify(values[i]) == FP_SUBNORMAL) values[i] = std::copysign(0.0f, values[i]);
}

// Calls the function on copies of its f32 operands in which denormals are zeros; out of the result, too.
void call_flushing(const numeric::LibdeviceFunction& function, const void* const* inputs, void* out,
                   std::size_t n) {
  constexpr std::size_t kChunk = 256;
  float copies[4][kChunk];
  const std::size_t width = bytes_of(function.result);
  for (std::size_t at = 0; at < n; at += kChunk) {
    const std::size_t count = std::min(kChunk, n - at);
    const void* chunk[4] = {};
    for (std::size_t i = 0; i < function.arity; ++i) {
      chunk[i] = static_cast<const std::byte*>(inputs[i]) + at * bytes_of(function.arguments[i]);
      if (function.arguments[i] != DType::f32) continue;
      std::memcpy(copies[i], chunk[i], count * sizeof(float));
      flush(copies[i], count);
      chunk[i] = copies[i];
    }
    std::byte* target = static_cast<std::byte*>(out) + at * width;
    function.run(chunk, target, count);
    if (function.result == DType::f32) flush(reinterpret_cast<float*>(target), count);
  }
}

void run_extern(Frame& frame, const Instruction& made) {
  const numeric::LibdeviceFunction& function = *made.extra->libdevice;
  const auto call = frame.options->flush_denormals && numeric::flushes_denormals(function)
                        ? &call_flushing
                        : [](const numeric::LibdeviceFunction& f, const void* const* in, void* to,
                             std::size_t n) { f.run(in, to, n); };
  Value& out = frame.at(made.out[0]);
  const void* inputs[4] = {};
  const bool uniform =
      std::all_of(made.in.begin(), made.in.end(), [&](int v) { return frame.at(v).form == Form::splat; });
  for (std::size_t i = 0; i < made.in.size(); ++i)
    inputs[i] = uniform ? static_cast<const void*>(&frame.at(made.in[i]).bits) : elements(frame, made.in[i]);
  if (uniform) {
    std::int64_t bits = 0;
    call(function, inputs, &bits, 1);
    out.set_splat(bits);
    return;
  }
  call(function, inputs, out.data, static_cast<std::size_t>(out.n));
  out.set_dense();
}

// Functions of the language for which Triton takes instructions that flush: floor, ceil, exp2, sqrt, rsqrt.
void run_flushing(Frame& frame, const Instruction& made) {
  frame.options->flush_denormals ? run_extern(frame, made) : run_unary(frame, made);
}

}  // namespace

bool build_flushing(Builder& b, int parameter) {
  if (!build_unary(b, parameter)) return false;
  if (b.made.run == nullptr || !b.in(0).is(DType::f32)) return true;
  b.extra().libdevice =
      numeric::find_libdevice("__nv_" + std::string(b.op.name.substr(5)) + "f");  // "math.exp2"
  b.made.run = run_flushing;
  return true;
}

bool build_extern(Builder& b, int) {
  const std::string_view* symbol = b.op.attribute("symbol");
  if (symbol == nullptr || symbol->size() < 2) return b.malformed("no symbol");
  const std::string_view name = symbol->substr(1, symbol->size() - 2);  // quoted in the text
  const auto* function = numeric::find_libdevice(name);
  if (function == nullptr) return b.unsupported(std::string(name));
  if (b.inputs() != function->arity || b.outputs() != 1 || function->arity > 4)
    return b.malformed("wrong number of operands for " + std::string(name));
  for (std::size_t i = 0; i < b.inputs(); ++i)
    if (b.in(i).kind != Type::Kind::value || bytes_of(b.in(i).dtype) != bytes_of(function->arguments[i]) ||
        b.in(i).floating() != is_floating(function->arguments[i]) || !b.in(i).same_shape(b.out()))
      return b.malformed("an operand does not fit " + std::string(name));
  if (b.out().kind != Type::Kind::value || b.out().floating() != is_floating(function->result) ||
      bytes_of(b.out().dtype) != bytes_of(function->result))
    return b.malformed("the result does not fit " + std::string(name));
  b.extra().libdevice = function;
  b.made.run = run_extern;
  b.made.spans = true;
  return true;
}

}  // namespace kgb::vm
