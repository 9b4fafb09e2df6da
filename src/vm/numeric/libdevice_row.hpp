// SPDX-License-Identifier: Apache-2.0
// Makes a row of the __nv_* table from a captureless lambda on scalars.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "vm/numeric/libdevice.hpp"
#include "vm/numeric/math.hpp"

namespace kgb::vm::numeric {

template <typename T>
constexpr DType dtype_for() {
  if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return DType::i32;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return DType::u32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return DType::i64;
  else {
    static_assert(std::is_same_v<T, std::uint64_t>);
    return DType::u64;
  }
}

template <auto F, typename R, typename A>
void run_one(const void* const* inputs, void* out, std::size_t n) {
  const A* a = static_cast<const A*>(inputs[0]);
  for (std::size_t i = 0; i < n; ++i) static_cast<R*>(out)[i] = F(a[i]);
}
template <auto F, typename R, typename A, typename B>
void run_two(const void* const* inputs, void* out, std::size_t n) {
  const A* a = static_cast<const A*>(inputs[0]);
  const B* b = static_cast<const B*>(inputs[1]);
  for (std::size_t i = 0; i < n; ++i) static_cast<R*>(out)[i] = F(a[i], b[i]);
}
template <auto F, typename R, typename A, typename B, typename C>
void run_three(const void* const* inputs, void* out, std::size_t n) {
  const A* a = static_cast<const A*>(inputs[0]);
  const B* b = static_cast<const B*>(inputs[1]);
  const C* c = static_cast<const C*>(inputs[2]);
  for (std::size_t i = 0; i < n; ++i) static_cast<R*>(out)[i] = F(a[i], b[i], c[i]);
}

template <auto F, typename R, typename A, typename B, typename C, typename D>
void run_four(const void* const* inputs, void* out, std::size_t n) {
  const A* a = static_cast<const A*>(inputs[0]);
  const B* b = static_cast<const B*>(inputs[1]);
  const C* c = static_cast<const C*>(inputs[2]);
  const D* d = static_cast<const D*>(inputs[3]);
  for (std::size_t i = 0; i < n; ++i) static_cast<R*>(out)[i] = F(a[i], b[i], c[i], d[i]);
}

template <auto F, typename R, typename A>
constexpr LibdeviceFunction row_of(std::string_view name, R (*)(A)) {
  return {name, dtype_for<R>(), 1, {dtype_for<A>()}, &run_one<F, R, A>};
}
template <auto F, typename R, typename A, typename B>
constexpr LibdeviceFunction row_of(std::string_view name, R (*)(A, B)) {
  return {name, dtype_for<R>(), 2, {dtype_for<A>(), dtype_for<B>()}, &run_two<F, R, A, B>};
}
template <auto F, typename R, typename A, typename B, typename C>
constexpr LibdeviceFunction row_of(std::string_view name, R (*)(A, B, C)) {
  return {
      name, dtype_for<R>(), 3, {dtype_for<A>(), dtype_for<B>(), dtype_for<C>()}, &run_three<F, R, A, B, C>};
}
template <auto F, typename R, typename A, typename B, typename C, typename D>
constexpr LibdeviceFunction row_of(std::string_view name, R (*)(A, B, C, D)) {
  return {name,
          dtype_for<R>(),
          4,
          {dtype_for<A>(), dtype_for<B>(), dtype_for<C>(), dtype_for<D>()},
          &run_four<F, R, A, B, C, D>};
}
template <auto F>
constexpr LibdeviceFunction row(std::string_view name) {
  return row_of<F>(name, +F);
}

// The functions with a rounding mode of their own (_rd, _ru, _rz).
[[nodiscard]] std::span<const LibdeviceFunction> rounded_libdevice();

// f32 functions that math.hpp has in vectors.
template <UnaryOp Op>
void run_vector(const void* const* inputs, void* out, std::size_t n) {
  unary(Op, DType::f32)(inputs[0], out, n);
}
template <UnaryOp Op>
constexpr LibdeviceFunction vector_row(std::string_view name) {
  return {name, DType::f32, 1, {DType::f32}, &run_vector<Op>};
}

// f32 through f64 and one rounding.
#define KGB_NV_F32(name, expression)       \
  row<[](float x_) {                       \
    const double x = x_;                   \
    return static_cast<float>(expression); \
  }>(name)
#define KGB_NV_F64(name, expression) row<[](double x) { return static_cast<double>(expression); }>(name)
#define KGB_NV_BOTH(name32, name64, expression) KGB_NV_F32(name32, expression), KGB_NV_F64(name64, expression)
#define KGB_NV_F32_2(name, expression)     \
  row<[](float x_, float y_) {             \
    const double x = x_, y = y_;           \
    return static_cast<float>(expression); \
  }>(name)
#define KGB_NV_F64_2(name, expression) \
  row<[](double x, double y) { return static_cast<double>(expression); }>(name)
#define KGB_NV_BOTH_2(name32, name64, expression) \
  KGB_NV_F32_2(name32, expression), KGB_NV_F64_2(name64, expression)

}  // namespace kgb::vm::numeric
