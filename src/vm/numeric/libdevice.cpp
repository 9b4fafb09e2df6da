// SPDX-License-Identifier: Apache-2.0
// The table of __nv_* functions. The fast_* forms are computed like the precise ones: their error on a GPU is
// not reproduced.
#include "vm/numeric/libdevice.hpp"

#include <math.h>  // j0, jn, lgamma_r: POSIX functions that <cmath> does not promise

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "vm/numeric/libdevice_row.hpp"
#include "vm/numeric/scalar.hpp"
#include "vm/numeric/special.hpp"

namespace kgb::vm::numeric {
namespace {

using I32 = std::int32_t;
using U32 = std::uint32_t;
using I64 = std::int64_t;
using U64 = std::uint64_t;
__extension__ typedef unsigned __int128 U128;
__extension__ typedef __int128 I128;

double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);  // std::lgamma writes a global
}
double power_int(double x, I32 n) {
  return std::pow(x, static_cast<double>(n));
}
// Ties to even whatever the process's rounding mode is would need its own code; the VM never changes the
// mode.
double nearest(double x) {
  return std::nearbyint(x);
}
I32 log_exponent(double x) {
  if (x == 0.0) return std::numeric_limits<I32>::min();
  if (std::isnan(x)) return std::numeric_limits<I32>::min();
  if (std::isinf(x)) return std::numeric_limits<I32>::max();
  return std::ilogb(x);
}
template <typename U>
U reversed_bits(U x) {
  U result = 0;
  for (int i = 0; i < std::numeric_limits<U>::digits; ++i, x >>= 1)
    result = static_cast<U>(result << 1 | (x & 1));
  return result;
}
I32 as_signed24(I32 x) {
  return static_cast<I32>(static_cast<U32>(x) << 8) >> 8;
}
U32 byte_perm(U32 x, U32 y, U32 selector) {
  const U64 bytes = static_cast<U64>(y) << 32 | x;
  U32 result = 0;
  for (unsigned i = 0; i < 4; ++i)
    result |= static_cast<U32>(bytes >> (((selector >> (4 * i)) & 7u) * 8) & 0xFFu) << (8 * i);
  return result;
}

const LibdeviceFunction vector_rows[] = {
    vector_row<UnaryOp::exp>("__nv_expf"),
    vector_row<UnaryOp::exp>("__nv_fast_expf"),
    vector_row<UnaryOp::exp2>("__nv_exp2f"),
    vector_row<UnaryOp::expm1>("__nv_expm1f"),
    vector_row<UnaryOp::log>("__nv_logf"),
    vector_row<UnaryOp::log>("__nv_fast_logf"),
    vector_row<UnaryOp::log2>("__nv_log2f"),
    vector_row<UnaryOp::log2>("__nv_fast_log2f"),
    vector_row<UnaryOp::log10>("__nv_log10f"),
    vector_row<UnaryOp::log10>("__nv_fast_log10f"),
    vector_row<UnaryOp::log1p>("__nv_log1pf"),
    vector_row<UnaryOp::sin>("__nv_sinf"),
    vector_row<UnaryOp::sin>("__nv_fast_sinf"),
    vector_row<UnaryOp::cos>("__nv_cosf"),
    vector_row<UnaryOp::cos>("__nv_fast_cosf"),
    vector_row<UnaryOp::tan>("__nv_tanf"),
    vector_row<UnaryOp::tan>("__nv_fast_tanf"),
    vector_row<UnaryOp::sinh>("__nv_sinhf"),
    vector_row<UnaryOp::cosh>("__nv_coshf"),
    vector_row<UnaryOp::tanh>("__nv_tanhf"),
    vector_row<UnaryOp::tanh>("__nv_fast_tanhf"),
    vector_row<UnaryOp::asin>("__nv_asinf"),
    vector_row<UnaryOp::acos>("__nv_acosf"),
    vector_row<UnaryOp::atan>("__nv_atanf"),
    vector_row<UnaryOp::asinh>("__nv_asinhf"),
    vector_row<UnaryOp::acosh>("__nv_acoshf"),
    vector_row<UnaryOp::atanh>("__nv_atanhf"),
    vector_row<UnaryOp::erf>("__nv_erff"),
    vector_row<UnaryOp::erfc>("__nv_erfcf"),
    vector_row<UnaryOp::sqrt>("__nv_sqrtf"),
    vector_row<UnaryOp::sqrt>("__nv_fsqrt_rn"),
    vector_row<UnaryOp::rsqrt>("__nv_rsqrtf"),
    vector_row<UnaryOp::rsqrt>("__nv_frsqrt_rn"),
    vector_row<UnaryOp::cbrt>("__nv_cbrtf"),
    vector_row<UnaryOp::floor>("__nv_floorf"),
    vector_row<UnaryOp::ceil>("__nv_ceilf"),
    vector_row<UnaryOp::trunc>("__nv_truncf"),
    vector_row<UnaryOp::roundeven>("__nv_rintf"),
    vector_row<UnaryOp::roundeven>("__nv_nearbyintf"),
    vector_row<UnaryOp::round>("__nv_roundf"),
    vector_row<UnaryOp::absf>("__nv_fabsf"),
};

const LibdeviceFunction f64_rows[] = {
    KGB_NV_F64("__nv_exp", std::exp(x)),       KGB_NV_F64("__nv_exp2", std::exp2(x)),
    KGB_NV_F64("__nv_expm1", std::expm1(x)),   KGB_NV_F64("__nv_log", std::log(x)),
    KGB_NV_F64("__nv_log2", std::log2(x)),     KGB_NV_F64("__nv_log10", std::log10(x)),
    KGB_NV_F64("__nv_log1p", std::log1p(x)),   KGB_NV_F64("__nv_sin", std::sin(x)),
    KGB_NV_F64("__nv_cos", std::cos(x)),       KGB_NV_F64("__nv_tan", std::tan(x)),
    KGB_NV_F64("__nv_sinh", std::sinh(x)),     KGB_NV_F64("__nv_cosh", std::cosh(x)),
    KGB_NV_F64("__nv_tanh", std::tanh(x)),     KGB_NV_F64("__nv_asin", std::asin(x)),
    KGB_NV_F64("__nv_acos", std::acos(x)),     KGB_NV_F64("__nv_atan", std::atan(x)),
    KGB_NV_F64("__nv_asinh", std::asinh(x)),   KGB_NV_F64("__nv_acosh", std::acosh(x)),
    KGB_NV_F64("__nv_atanh", std::atanh(x)),   KGB_NV_F64("__nv_erf", std::erf(x)),
    KGB_NV_F64("__nv_erfc", std::erfc(x)),     KGB_NV_F64("__nv_sqrt", std::sqrt(x)),
    KGB_NV_F64("__nv_dsqrt_rn", std::sqrt(x)), KGB_NV_F64("__nv_rsqrt", 1.0 / std::sqrt(x)),
    KGB_NV_F64("__nv_cbrt", std::cbrt(x)),     KGB_NV_F64("__nv_floor", std::floor(x)),
    KGB_NV_F64("__nv_ceil", std::ceil(x)),     KGB_NV_F64("__nv_trunc", std::trunc(x)),
    KGB_NV_F64("__nv_rint", nearest(x)),       KGB_NV_F64("__nv_nearbyint", nearest(x)),
    KGB_NV_F64("__nv_round", std::round(x)),   KGB_NV_F64("__nv_fabs", std::fabs(x)),
    KGB_NV_F64("__nv_drcp_rn", 1.0 / x),
};

const LibdeviceFunction special_rows[] = {
    KGB_NV_BOTH("__nv_exp10f", "__nv_exp10", std::pow(10.0, x)),
    KGB_NV_F32("__nv_fast_exp10f", std::pow(10.0, x)),
    KGB_NV_BOTH("__nv_rcbrtf", "__nv_rcbrt", 1.0 / std::cbrt(x)),
    KGB_NV_BOTH("__nv_lgammaf", "__nv_lgamma", log_gamma(x)),
    KGB_NV_BOTH("__nv_tgammaf", "__nv_tgamma", std::tgamma(x)),
    KGB_NV_BOTH("__nv_erfinvf", "__nv_erfinv", inverse_erf(x)),
    KGB_NV_BOTH("__nv_erfcinvf", "__nv_erfcinv", inverse_erfc(x)),
    KGB_NV_BOTH("__nv_erfcxf", "__nv_erfcx", scaled_erfc(x)),
    KGB_NV_BOTH("__nv_normcdff", "__nv_normcdf", normal_cdf(x)),
    KGB_NV_BOTH("__nv_normcdfinvf", "__nv_normcdfinv", inverse_normal_cdf(x)),
    KGB_NV_BOTH("__nv_sinpif", "__nv_sinpi", sin_pi(x)),
    KGB_NV_BOTH("__nv_cospif", "__nv_cospi", cos_pi(x)),
    KGB_NV_BOTH("__nv_j0f", "__nv_j0", ::j0(x)),
    KGB_NV_BOTH("__nv_j1f", "__nv_j1", ::j1(x)),
    KGB_NV_BOTH("__nv_y0f", "__nv_y0", ::y0(x)),
    KGB_NV_BOTH("__nv_y1f", "__nv_y1", ::y1(x)),
    KGB_NV_BOTH("__nv_cyl_bessel_i0f", "__nv_cyl_bessel_i0", bessel_i0(x)),
    KGB_NV_BOTH("__nv_cyl_bessel_i1f", "__nv_cyl_bessel_i1", bessel_i1(x)),
    KGB_NV_BOTH("__nv_logbf", "__nv_logb", std::logb(x)),
    KGB_NV_F32("__nv_frcp_rn", 1.0 / x),
    KGB_NV_F32("__nv_saturatef", x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0),
    row<[](I32 n, float x) { return static_cast<float>(::jn(n, x)); }>("__nv_jnf"),
    row<[](I32 n, double x) { return ::jn(n, x); }>("__nv_jn"),
    row<[](I32 n, float x) { return static_cast<float>(::yn(n, x)); }>("__nv_ynf"),
    row<[](I32 n, double x) { return ::yn(n, x); }>("__nv_yn"),
};

const LibdeviceFunction binary_rows[] = {
    KGB_NV_BOTH_2("__nv_powf", "__nv_pow", std::pow(x, y)),
    KGB_NV_F32_2("__nv_fast_powf", std::pow(x, y)),
    KGB_NV_BOTH_2("__nv_fmodf", "__nv_fmod", std::fmod(x, y)),
    KGB_NV_BOTH_2("__nv_remainderf", "__nv_remainder", std::remainder(x, y)),
    KGB_NV_BOTH_2("__nv_atan2f", "__nv_atan2", std::atan2(x, y)),
    KGB_NV_BOTH_2("__nv_hypotf", "__nv_hypot", std::hypot(x, y)),
    KGB_NV_BOTH_2("__nv_rhypotf", "__nv_rhypot", 1.0 / std::hypot(x, y)),
    KGB_NV_BOTH_2("__nv_fdimf", "__nv_fdim", std::fdim(x, y)),
    KGB_NV_BOTH_2("__nv_copysignf", "__nv_copysign", std::copysign(x, y)),
    KGB_NV_BOTH_2("__nv_fmaxf", "__nv_fmax", std::fmax(x, y)),
    KGB_NV_BOTH_2("__nv_fminf", "__nv_fmin", std::fmin(x, y)),
    KGB_NV_F64_2("__nv_dadd_rn", x + y),
    KGB_NV_F64_2("__nv_dsub_rn", x - y),
    KGB_NV_F64_2("__nv_dmul_rn", x* y),
    KGB_NV_F64_2("__nv_ddiv_rn", x / y),
    row<[](float x, float y) { return x + y; }>("__nv_fadd_rn"),
    row<[](float x, float y) { return x - y; }>("__nv_fsub_rn"),
    row<[](float x, float y) { return x * y; }>("__nv_fmul_rn"),
    row<[](float x, float y) { return x / y; }>("__nv_fdiv_rn"),
    row<[](float x, float y) { return x / y; }>("__nv_fast_fdividef"),
    row<[](float x, float y) { return std::nextafter(x, y); }>("__nv_nextafterf"),
    row<[](double x, double y) { return std::nextafter(x, y); }>("__nv_nextafter"),
    row<[](float x, I32 n) { return std::ldexp(x, n); }>("__nv_ldexpf"),
    row<[](double x, I32 n) { return std::ldexp(x, n); }>("__nv_ldexp"),
    row<[](float x, I32 n) { return std::scalbn(x, n); }>("__nv_scalbnf"),
    row<[](double x, I32 n) { return std::scalbn(x, n); }>("__nv_scalbn"),
    row<[](float x, I32 n) { return static_cast<float>(power_int(x, n)); }>("__nv_powif"),
    row<[](double x, I32 n) { return power_int(x, n); }>("__nv_powi"),
    row<[](float x, float y, float z) { return std::fma(x, y, z); }>("__nv_fmaf"),
    row<[](float x, float y, float z) { return std::fma(x, y, z); }>("__nv_fmaf_rn"),
    row<[](double x, double y, double z) { return std::fma(x, y, z); }>("__nv_fma"),
    row<[](double x, double y, double z) { return std::fma(x, y, z); }>("__nv_fma_rn"),
    row<[](float x, float y, float z) {
      const double a = x, b = y, c = z;
      return static_cast<float>(std::sqrt(a * a + b * b + c * c));
    }>("__nv_norm3df"),
    row<[](double x, double y, double z) { return std::hypot(x, y, z); }>("__nv_norm3d"),
    row<[](float x, float y, float z) {
      const double a = x, b = y, c = z;
      return static_cast<float>(1.0 / std::sqrt(a * a + b * b + c * c));
    }>("__nv_rnorm3df"),
    row<[](double x, double y, double z) { return 1.0 / std::hypot(x, y, z); }>("__nv_rnorm3d"),
    row<[](float x, float y, float z, float w) {
      const double a = x, b = y, c = z, d = w;
      return static_cast<float>(std::sqrt(a * a + b * b + c * c + d * d));
    }>("__nv_norm4df"),
    row<[](float x, float y, float z, float w) {
      const double a = x, b = y, c = z, d = w;
      return static_cast<float>(1.0 / std::sqrt(a * a + b * b + c * c + d * d));
    }>("__nv_rnorm4df"),
    row<[](double x, double y, double z, double w) { return std::hypot(std::hypot(x, y, z), w); }>(
        "__nv_norm4d"),
    row<[](double x, double y, double z, double w) { return 1.0 / std::hypot(std::hypot(x, y, z), w); }>(
        "__nv_rnorm4d"),
    // A first approximation: the low words of operand and result do not count.
    row<[](double x) {
      constexpr U64 high = 0xFFFFFFFF00000000u;
      const double rough = 1.0 / std::bit_cast<double>(std::bit_cast<U64>(x) & high);
      return std::bit_cast<double>(std::bit_cast<U64>(rough) & high);
    }>("__nv_rcp64h"),
};

// Predicates give 1 or 0 (isinf and isnan of the original too, whatever the sign).
const LibdeviceFunction test_rows[] = {
    row<[](float x) { return I32{std::isnan(x)}; }>("__nv_isnanf"),
    row<[](double x) { return I32{std::isnan(x)}; }>("__nv_isnand"),
    row<[](float x) { return I32{std::isinf(x)}; }>("__nv_isinff"),
    row<[](double x) { return I32{std::isinf(x)}; }>("__nv_isinfd"),
    row<[](float x) { return I32{std::isfinite(x)}; }>("__nv_finitef"),
    row<[](double x) { return I32{std::isfinite(x)}; }>("__nv_isfinited"),
    row<[](float x) { return I32{std::signbit(x)}; }>("__nv_signbitf"),
    row<[](double x) { return I32{std::signbit(x)}; }>("__nv_signbitd"),
    row<[](float x) { return log_exponent(x); }>("__nv_ilogbf"),
    row<[](double x) { return log_exponent(x); }>("__nv_ilogb"),
    row<[](float x) { return float_to_int<I64>(nearest(x)); }>("__nv_llrintf"),
    row<[](double x) { return float_to_int<I64>(nearest(x)); }>("__nv_llrint"),
    row<[](float x) { return float_to_int<I64>(std::round(x)); }>("__nv_llroundf"),
    row<[](double x) { return float_to_int<I64>(std::round(x)); }>("__nv_llround"),
};

#define KGB_NV_TO_INT(prefix, Float, Int)                                                  \
  row<[](Float x) { return float_to_int<Int>(std::nearbyint(x)); }>("__nv_" prefix "_rn"), \
      row<[](Float x) { return float_to_int<Int>(std::floor(x)); }>("__nv_" prefix "_rd"), \
      row<[](Float x) { return float_to_int<Int>(std::ceil(x)); }>("__nv_" prefix "_ru"),  \
      row<[](Float x) { return float_to_int<Int>(x); }>("__nv_" prefix "_rz")

const LibdeviceFunction cast_rows[] = {
    KGB_NV_TO_INT("float2int", float, I32),
    KGB_NV_TO_INT("float2uint", float, U32),
    KGB_NV_TO_INT("float2ll", float, I64),
    KGB_NV_TO_INT("float2ull", float, U64),
    KGB_NV_TO_INT("double2int", double, I32),
    KGB_NV_TO_INT("double2uint", double, U32),
    KGB_NV_TO_INT("double2ll", double, I64),
    KGB_NV_TO_INT("double2ull", double, U64),
    row<[](I32 x) { return static_cast<float>(x); }>("__nv_int2float_rn"),
    row<[](U32 x) { return static_cast<float>(x); }>("__nv_uint2float_rn"),
    row<[](I64 x) { return static_cast<float>(x); }>("__nv_ll2float_rn"),
    row<[](U64 x) { return static_cast<float>(x); }>("__nv_ull2float_rn"),
    row<[](I32 x) { return static_cast<double>(x); }>("__nv_int2double_rn"),
    row<[](U32 x) { return static_cast<double>(x); }>("__nv_uint2double_rn"),
    row<[](I64 x) { return static_cast<double>(x); }>("__nv_ll2double_rn"),
    row<[](U64 x) { return static_cast<double>(x); }>("__nv_ull2double_rn"),
    row<[](double x) { return static_cast<float>(x); }>("__nv_double2float_rn"),
    row<[](double x) { return std::bit_cast<float>(encode<F32>(x, Rounding::toward_zero)); }>(
        "__nv_double2float_rz"),
    row<[](float x) { return std::bit_cast<I32>(x); }>("__nv_float_as_int"),
    row<[](float x) { return std::bit_cast<U32>(x); }>("__nv_float_as_uint"),
    row<[](I32 x) { return std::bit_cast<float>(x); }>("__nv_int_as_float"),
    row<[](U32 x) { return std::bit_cast<float>(x); }>("__nv_uint_as_float"),
    row<[](double x) { return std::bit_cast<I64>(x); }>("__nv_double_as_longlong"),
    row<[](I64 x) { return std::bit_cast<double>(x); }>("__nv_longlong_as_double"),
    row<[](double x) { return static_cast<I32>(std::bit_cast<U64>(x) >> 32); }>("__nv_double2hiint"),
    row<[](double x) { return static_cast<I32>(std::bit_cast<U64>(x)); }>("__nv_double2loint"),
    row<[](I32 hi, I32 lo) {
      return std::bit_cast<double>(static_cast<U64>(static_cast<U32>(hi)) << 32 | static_cast<U32>(lo));
    }>("__nv_hiloint2double"),
};

const LibdeviceFunction int_rows[] = {
    row<[](I32 x) { return x < 0 ? static_cast<I32>(0u - static_cast<U32>(x)) : x; }>("__nv_abs"),
    row<[](I64 x) { return x < 0 ? static_cast<I64>(U64{0} - static_cast<U64>(x)) : x; }>("__nv_llabs"),
    row<[](I32 x) { return static_cast<I32>(std::countl_zero(static_cast<U32>(x))); }>("__nv_clz"),
    row<[](I64 x) { return static_cast<I32>(std::countl_zero(static_cast<U64>(x))); }>("__nv_clzll"),
    row<[](I32 x) { return static_cast<I32>(std::popcount(static_cast<U32>(x))); }>("__nv_popc"),
    row<[](I64 x) { return static_cast<I32>(std::popcount(static_cast<U64>(x))); }>("__nv_popcll"),
    row<[](I32 x) { return x == 0 ? 0 : 1 + std::countr_zero(static_cast<U32>(x)); }>("__nv_ffs"),
    row<[](I64 x) { return x == 0 ? 0 : 1 + std::countr_zero(static_cast<U64>(x)); }>("__nv_ffsll"),
    row<[](I32 x) { return static_cast<I32>(reversed_bits(static_cast<U32>(x))); }>("__nv_brev"),
    row<[](I64 x) { return static_cast<I64>(reversed_bits(static_cast<U64>(x))); }>("__nv_brevll"),
    row<[](I32 x, I32 y) { return static_cast<I32>(static_cast<I64>(x) * y >> 32); }>("__nv_mulhi"),
    row<[](U32 x, U32 y) { return static_cast<U32>(static_cast<U64>(x) * y >> 32); }>("__nv_umulhi"),
    row<[](I64 x, I64 y) { return static_cast<I64>(static_cast<I128>(x) * y >> 64); }>("__nv_mul64hi"),
    row<[](U64 x, U64 y) { return static_cast<U64>(static_cast<U128>(x) * y >> 64); }>("__nv_umul64hi"),
    row<[](I32 x, I32 y) {
      return static_cast<I32>(static_cast<U32>(as_signed24(x)) * static_cast<U32>(as_signed24(y)));
    }>("__nv_mul24"),
    row<[](U32 x, U32 y) { return (x & 0xFFFFFFu) * (y & 0xFFFFFFu); }>("__nv_umul24"),
    row<[](I32 x, I32 y) { return static_cast<I32>((static_cast<I64>(x) + y) >> 1); }>("__nv_hadd"),
    row<[](U32 x, U32 y) { return static_cast<U32>((static_cast<U64>(x) + y) >> 1); }>("__nv_uhadd"),
    row<[](I32 x, I32 y) { return static_cast<I32>((static_cast<I64>(x) + y + 1) >> 1); }>("__nv_rhadd"),
    row<[](U32 x, U32 y) { return static_cast<U32>((static_cast<U64>(x) + y + 1) >> 1); }>("__nv_urhadd"),
    row<[](I32 x, I32 y, U32 z) {
      const I64 d = static_cast<I64>(x) - y;
      return static_cast<I32>(static_cast<U32>(d < 0 ? -d : d) + z);
    }>("__nv_sad"),
    row<[](U32 x, U32 y, U32 z) { return (x > y ? x - y : y - x) + z; }>("__nv_usad"),
    row<[](I32 x, I32 y, I32 s) {
      return static_cast<I32>(byte_perm(static_cast<U32>(x), static_cast<U32>(y), static_cast<U32>(s)));
    }>("__nv_byte_perm"),
};

std::vector<LibdeviceFunction> sorted_table() {
  std::vector<LibdeviceFunction> all;
  const auto add = [&all](std::span<const LibdeviceFunction> rows) {
    all.insert(all.end(), rows.begin(), rows.end());
  };
  add(vector_rows);
  add(f64_rows);
  add(special_rows);
  add(binary_rows);
  add(test_rows);
  add(cast_rows);
  add(int_rows);
  add(rounded_libdevice());
  std::ranges::sort(all, {}, &LibdeviceFunction::name);
  return all;
}

const std::vector<LibdeviceFunction>& table() {
  static const std::vector<LibdeviceFunction> rows = sorted_table();
  return rows;
}

}  // namespace

const LibdeviceFunction* find_libdevice(std::string_view symbol) {
  const auto& rows = table();
  const auto found = std::ranges::lower_bound(rows, symbol, {}, &LibdeviceFunction::name);
  return found != rows.end() && found->name == symbol ? &*found : nullptr;
}

bool flushes_denormals(const LibdeviceFunction& function) {
  // What moves bits, and what has plain f32 instructions or steps of its own.
  static constexpr std::string_view exact[] = {
      "__nv_copysignf", "__nv_fdimf", "__nv_float_as_int", "__nv_float_as_uint", "__nv_int_as_float",
      "__nv_ldexpf",    "__nv_logbf", "__nv_nextafterf",   "__nv_scalbnf",       "__nv_uint_as_float"};
  const auto* last = function.arguments.begin() + function.arity;
  return (function.result == DType::f32 || std::find(function.arguments.begin(), last, DType::f32) != last) &&
         std::ranges::find(exact, function.name) == std::ranges::end(exact);
}

std::span<const LibdeviceFunction> libdevice_functions() {
  return table();
}

}  // namespace kgb::vm::numeric
