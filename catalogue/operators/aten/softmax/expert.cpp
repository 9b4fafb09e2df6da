// SPDX-License-Identifier: Apache-2.0
// C++ kernel for aten::softmax: three passes over each line of the dimension, lines spread over the cores.
#include <kgbench/candidate.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace {

using Half = _Float16;
struct Bf16 {
  uint16_t bits;
};

float load(float v) {
  return v;
}
double load(double v) {
  return v;
}
float load(Half v) {
  return static_cast<float>(v);
}
float load(Bf16 v) {
  const uint32_t wide = static_cast<uint32_t>(v.bits) << 16;
  float f;
  std::memcpy(&f, &wide, sizeof f);
  return f;
}
void store(float& to, float v) {
  to = v;
}
void store(double& to, double v) {
  to = v;
}
void store(Half& to, float v) {
  to = static_cast<Half>(v);
}
void store(Bf16& to, float v) {
  uint32_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  // Round to nearest even; a NaN keeps its quiet bit.
  to.bits = std::isnan(v) ? 0x7FC0 : static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

// An element as the asked type holds it: softmax(x, dtype) converts before it computes.
template <typename Wide, typename Out, typename In>
Wide converted(In x) {
  if constexpr (std::is_same_v<In, Out>) return load(x);
  Out asked;
  store(asked, load(x));
  return load(asked);
}

// Offset of line `index` of a tensor whose dimension `skip` is taken out.
int64_t line_offset(const DLTensor& t, int skip, int64_t index) {
  int64_t offset = 0;
  for (int d = t.ndim - 1; d >= 0; --d) {
    if (d == skip) continue;
    offset += index % t.shape[d] * t.strides[d];
    index /= t.shape[d];
  }
  return offset;
}

template <typename In, typename Out>
void softmax_line(const In* x, int64_t x_step, Out* y, int64_t y_step, int64_t n) {
  using Wide = std::conditional_t<std::is_same_v<In, double>, double, float>;
  Wide most = -std::numeric_limits<Wide>::infinity();
  for (int64_t i = 0; i < n; ++i) {
    const Wide v = converted<Wide, Out>(x[i * x_step]);
    most = v > most || std::isnan(v) ? v : most;
  }
  static thread_local std::vector<Wide> powers;
  powers.resize(static_cast<size_t>(n));
  Wide sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += powers[static_cast<size_t>(i)] = std::exp(converted<Wide, Out>(x[i * x_step]) - most);
  for (int64_t i = 0; i < n; ++i) store(y[i * y_step], powers[static_cast<size_t>(i)] / sum);
}

template <typename In, typename Out>
int run(const DLTensor& x, DLTensor& y, int dim) {
  const int64_t n = x.ndim == 0 ? 1 : x.shape[dim];
  int64_t lines = 1;
  for (int d = 0; d < x.ndim; ++d) lines *= d == dim ? 1 : x.shape[d];
  if (n == 0) return 0;
  const int64_t x_step = x.ndim == 0 ? 1 : x.strides[dim], y_step = y.ndim == 0 ? 1 : y.strides[dim];
#pragma omp parallel for if (lines * n > 16384)
  for (int64_t line = 0; line < lines; ++line)
    softmax_line(static_cast<const In*>(x.data) + line_offset(x, dim, line), x_step,
                 static_cast<Out*>(y.data) + line_offset(y, dim, line), y_step, n);
  return 0;
}

bool is(const DLTensor& t, int code, int bits) {
  return t.dtype.code == code && t.dtype.bits == bits;
}

template <typename In>
int run_to(const DLTensor& x, DLTensor& y, int dim) {
  if (is(y, 2, 32)) return run<In, float>(x, y, dim);
  if (is(y, 2, 16)) return run<In, Half>(x, y, dim);
  if (is(y, 4, 16)) return run<In, Bf16>(x, y, dim);
  if constexpr (std::is_same_v<In, double>) return is(y, 2, 64) ? run<In, double>(x, y, dim) : 1;
  return 1;
}

}  // namespace

extern "C" int kgb_softmax(const KgbCall* call) {
  const DLTensor& x = *call->args[0].tensor;
  DLTensor& y = *call->outputs[0];
  const int dim =
      static_cast<int>(call->args[1].integer < 0 ? call->args[1].integer + x.ndim : call->args[1].integer);
  if (is(x, 2, 32)) return run_to<float>(x, y, dim);
  if (is(x, 2, 64)) return run_to<double>(x, y, dim);
  if (is(x, 2, 16)) return run_to<Half>(x, y, dim);
  if (is(x, 4, 16)) return run_to<Bf16>(x, y, dim);
  return 1;
}
