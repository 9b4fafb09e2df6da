// SPDX-License-Identifier: Apache-2.0
// The __nv_* functions that round down, up or toward zero: computed in the processor's rounding mode.
// Compiled with -frounding-math; the mode is set around whole spans.
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "vm/numeric/libdevice_row.hpp"

namespace kgb::vm::numeric {
namespace {

using I32 = std::int32_t;
using U32 = std::uint32_t;
using I64 = std::int64_t;
using U64 = std::uint64_t;

class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

// Reads and writes are volatile so that no result is computed outside of the mode.
template <auto F, int Mode, typename R, typename... A, std::size_t... K>
void run_each(const void* const* inputs, void* out, std::size_t n, std::index_sequence<K...>) {
  const RoundingMode mode(Mode);
  for (std::size_t i = 0; i < n; ++i)
    static_cast<volatile R*>(out)[i] = F(static_cast<const volatile A*>(inputs[K])[i]...);
}
template <auto F, int Mode, typename R, typename... A>
void run_in_mode(const void* const* inputs, void* out, std::size_t n) {
  run_each<F, Mode, R, A...>(inputs, out, n, std::index_sequence_for<A...>{});
}

template <auto F, int Mode, typename R, typename... A>
constexpr LibdeviceFunction rounded_row(std::string_view name, R (*)(A...)) {
  return {name, dtype_for<R>(), sizeof...(A), {dtype_for<A>()...}, &run_in_mode<F, Mode, R, A...>};
}

#define KGB_NV_MODES(prefix, function)                                   \
  rounded_row<function, FE_DOWNWARD>("__nv_" prefix "_rd", +function),   \
      rounded_row<function, FE_UPWARD>("__nv_" prefix "_ru", +function), \
      rounded_row<function, FE_TOWARDZERO>("__nv_" prefix "_rz", +function)

template <typename T>
constexpr auto add = [](T x, T y) { return x + y; };
template <typename T>
constexpr auto subtract = [](T x, T y) { return x - y; };
template <typename T>
constexpr auto multiply = [](T x, T y) { return x * y; };
template <typename T>
constexpr auto divide = [](T x, T y) { return x / y; };
template <typename T>
constexpr auto fused = [](T x, T y, T z) { return std::fma(x, y, z); };
template <typename T>
constexpr auto root = [](T x) { return std::sqrt(x); };
template <typename T>
constexpr auto reciprocal = [](T x) { return T{1} / x; };
template <typename To, typename From>
constexpr auto convert = [](From x) { return static_cast<To>(x); };

const LibdeviceFunction rows[] = {
    KGB_NV_MODES("fadd", add<float>),
    KGB_NV_MODES("dadd", add<double>),
    KGB_NV_MODES("fsub", subtract<float>),
    KGB_NV_MODES("dsub", subtract<double>),
    KGB_NV_MODES("fmul", multiply<float>),
    KGB_NV_MODES("dmul", multiply<double>),
    KGB_NV_MODES("fdiv", divide<float>),
    KGB_NV_MODES("ddiv", divide<double>),
    KGB_NV_MODES("fmaf", fused<float>),
    KGB_NV_MODES("fma", fused<double>),
    KGB_NV_MODES("fsqrt", root<float>),
    KGB_NV_MODES("dsqrt", root<double>),
    KGB_NV_MODES("frcp", reciprocal<float>),
    KGB_NV_MODES("drcp", reciprocal<double>),
    KGB_NV_MODES("int2float", (convert<float, I32>)),
    KGB_NV_MODES("uint2float", (convert<float, U32>)),
    KGB_NV_MODES("ll2float", (convert<float, I64>)),
    KGB_NV_MODES("ull2float", (convert<float, U64>)),
    KGB_NV_MODES("ll2double", (convert<double, I64>)),
    KGB_NV_MODES("ull2double", (convert<double, U64>)),
    rounded_row<convert<float, double>, FE_DOWNWARD>("__nv_double2float_rd", +convert<float, double>),
    rounded_row<convert<float, double>, FE_UPWARD>("__nv_double2float_ru", +convert<float, double>),
};

}  // namespace

std::span<const LibdeviceFunction> rounded_libdevice() {
  return rows;
}

}  // namespace kgb::vm::numeric
