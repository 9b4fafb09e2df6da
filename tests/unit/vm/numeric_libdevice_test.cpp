// SPDX-License-Identifier: Apache-2.0
// The __nv_* table: look-up, signatures, and values against identities and known constants.
#include <algorithm>
#include <map>

#include "numeric_support.hpp"

namespace kgb::vm::numeric::testing {
namespace {

template <typename R, typename... A>
R call(std::string_view name, A... arguments) {
  const LibdeviceFunction* f = find_libdevice(name);
  EXPECT_NE(f, nullptr) << name;
  if (f == nullptr) return R{};
  EXPECT_EQ(f->arity, sizeof...(A)) << name;
  EXPECT_EQ(size_of(f->result), sizeof(R)) << name;
  const void* inputs[] = {&arguments...};
  R out{};
  f->run(inputs, &out, 1);
  return out;
}

TEST(NumericLibdevice, NamesAreSortedUniqueAndFound) {
  const auto all = libdevice_functions();
  EXPECT_GE(all.size(), 120u);
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(find_libdevice(all[i].name), &all[i]);
    EXPECT_EQ(all[i].name.substr(0, 5), "__nv_");
    EXPECT_NE(all[i].run, nullptr);
    if (i > 0) {
      EXPECT_LT(all[i - 1].name, all[i].name);
    }
  }
}

TEST(NumericLibdevice, UnknownNamesAreNull) {
  for (std::string_view name : {"", "__nv_", "__nv_tanh_", "tanhf", "__nv_TANHF"})
    EXPECT_EQ(find_libdevice(name), nullptr);
}

TEST(NumericLibdevice, EveryFunctionHandlesSpansOfAnyLength) {
  for (const LibdeviceFunction& f : libdevice_functions()) {
    std::vector<std::uint64_t> a(33), b(33), c(33), d(33), out(34, 0x55);
    std::vector<std::uint64_t>* spans[] = {&a, &b, &c, &d};
    const std::vector<double> values(33, 0.75);
    for (std::size_t i = 0; i < f.arity; ++i)
      converter(DType::f64, f.arguments[i])(values.data(), spans[i]->data(), 33);
    const void* inputs[] = {a.data(), b.data(), c.data(), d.data()};
    f.run(inputs, out.data(), 33);
    // All elements are equal, and nothing is written beyond them.
    const auto* bytes = reinterpret_cast<const std::byte*>(out.data());
    const std::size_t size = size_of(f.result);
    for (std::size_t i = 1; i < 33; ++i) EXPECT_EQ(std::memcmp(bytes, bytes + i * size, size), 0) << f.name;
    EXPECT_EQ(out[33], 0x55u) << f.name;
    f.run(inputs, nullptr, 0);
  }
}

TEST(NumericLibdevice, ElementaryFunctions) {
  EXPECT_FLOAT_EQ((call<float>("__nv_tanhf", 0.5F)), std::tanh(0.5F));
  EXPECT_FLOAT_EQ((call<float>("__nv_powf", 2.0F, 0.5F)), std::sqrt(2.0F));
  EXPECT_EQ((call<float>("__nv_fmodf", -7.5F, 2.0F)), -1.5F);
  EXPECT_EQ((call<float>("__nv_remainderf", 7.5F, 2.0F)), -0.5F);
  EXPECT_EQ((call<float>("__nv_rintf", 2.5F)), 2.0F);
  EXPECT_EQ((call<float>("__nv_roundf", 2.5F)), 3.0F);
  EXPECT_EQ((call<std::int64_t>("__nv_llrintf", -2.5F)), -2);
  EXPECT_EQ((call<std::int64_t>("__nv_llroundf", -2.5F)), -3);
  EXPECT_DOUBLE_EQ((call<double>("__nv_hypot", 3.0, 4.0)), 5.0);
  EXPECT_DOUBLE_EQ((call<double>("__nv_rhypot", 3.0, 4.0)), 0.2);
  EXPECT_FLOAT_EQ((call<float>("__nv_norm3df", 2.0F, 3.0F, 6.0F)), 7.0F);
  EXPECT_EQ((call<float>("__nv_fdiv_rn", 1.0F, 3.0F)), 1.0F / 3.0F);
  EXPECT_EQ((call<float>("__nv_powif", -2.0F, std::int32_t{3})), -8.0F);
  EXPECT_EQ((call<float>("__nv_ldexpf", 1.5F, std::int32_t{4})), 24.0F);
  EXPECT_EQ((call<float>("__nv_saturatef", std::nanf(""))), 0.0F);
}

TEST(NumericLibdevice, SpecialFunctionsAtKnownPoints) {
  EXPECT_DOUBLE_EQ((call<double>("__nv_lgamma", 10.0)), std::log(362880.0));
  EXPECT_DOUBLE_EQ((call<double>("__nv_tgamma", 5.0)), 24.0);
  EXPECT_NEAR((call<double>("__nv_j0", 2.404825557695773)), 0.0, 1e-15);
  EXPECT_NEAR((call<double>("__nv_cyl_bessel_i0", 1.0)), 1.2660658777520084, 1e-15);
  EXPECT_NEAR((call<double>("__nv_cyl_bessel_i1", 1.0)), 0.5651591039924851, 1e-15);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double x : {720.0, 1e300, std::numeric_limits<double>::max(), infinity}) {
    EXPECT_EQ((call<double>("__nv_cyl_bessel_i0", x)), infinity);
    EXPECT_EQ((call<double>("__nv_cyl_bessel_i1", -x)), -infinity);
  }
  EXPECT_NEAR((call<double>("__nv_cyl_bessel_i0", 50.0)) / 2.9325537838493363e20, 1.0, 1e-14);
  EXPECT_EQ((call<double>("__nv_sinpi", 1.0)), 0.0);
  EXPECT_EQ((call<double>("__nv_cospi", 0.5)), 0.0);
  EXPECT_DOUBLE_EQ((call<double>("__nv_sinpi", 0.25)), std::sqrt(0.5));
  EXPECT_NEAR((call<double>("__nv_normcdf", 1.959963984540054)), 0.975, 1e-15);
  EXPECT_NEAR((call<double>("__nv_erfcx", 30.0)), 0.018795888861416751, 1e-16);
  EXPECT_NEAR((call<double>("__nv_erfcx", 0.0)), 1.0, 1e-16);
}

TEST(NumericLibdevice, InverseErrorFunctionsInvert) {
  for (double x = -5.5; x <= 5.5; x += 0.037) {
    if (std::abs(x) < 2) {
      EXPECT_NEAR((call<double>("__nv_erfinv", std::erf(x))), x, 2e-14 * std::exp(x * x)) << x;
    }
    if (x > -2) {
      EXPECT_NEAR((call<double>("__nv_erfcinv", std::erfc(x))), x,
                  1e-14 * std::max(1.0, std::exp(-x * std::abs(x))))
          << x;
    }
  }
  EXPECT_EQ((call<double>("__nv_erfinv", 1.0)), static_cast<double>(INFINITY));
  EXPECT_EQ((call<double>("__nv_erfcinv", 2.0)), -static_cast<double>(INFINITY));
  EXPECT_TRUE(std::isnan(call<double>("__nv_erfinv", 1.5)));
  EXPECT_NEAR((call<double>("__nv_erfcinv", 1e-300)), 26.209469960516, 1e-10);
  EXPECT_NEAR((call<double>("__nv_normcdfinv", 0.975)), 1.959963984540054, 1e-13);
}

TEST(NumericLibdevice, Predicates) {
  EXPECT_EQ((call<std::int32_t>("__nv_isnanf", std::nanf(""))), 1);
  EXPECT_EQ((call<std::int32_t>("__nv_isinff", -INFINITY)), 1);
  EXPECT_EQ((call<std::int32_t>("__nv_finitef", 1e38F)), 1);
  EXPECT_EQ((call<std::int32_t>("__nv_isfinited", std::nan(""))), 0);
  EXPECT_EQ((call<std::int32_t>("__nv_signbitf", -0.0F)), 1);
  EXPECT_EQ((call<std::int32_t>("__nv_ilogbf", 0.1F)), -4);
}

TEST(NumericLibdevice, CastsRoundAsNamed) {
  EXPECT_EQ((call<std::int32_t>("__nv_float2int_rn", 2.5F)), 2);
  EXPECT_EQ((call<std::int32_t>("__nv_float2int_ru", 2.1F)), 3);
  EXPECT_EQ((call<std::int32_t>("__nv_float2int_rd", -2.1F)), -3);
  EXPECT_EQ((call<std::int32_t>("__nv_float2int_rz", -2.9F)), -2);
  EXPECT_EQ((call<std::uint32_t>("__nv_float2uint_rz", 4e9F)), 4000000000u);
  EXPECT_EQ((call<float>("__nv_double2float_rz", 1.0 + 0x1.8p-24)), 1.0F);
  EXPECT_EQ((call<float>("__nv_double2float_rn", 1.0 + 0x1.8p-24)), 1.0F + 0x1p-23F);
  EXPECT_EQ((call<float>("__nv_int_as_float", std::int32_t{0x3F800000})), 1.0F);
  EXPECT_EQ((call<double>("__nv_hiloint2double", std::int32_t{0x3FF00000}, std::int32_t{0})), 1.0);
}

TEST(NumericLibdevice, Integers) {
  EXPECT_EQ((call<std::int32_t>("__nv_mulhi", INT32_MIN, INT32_MIN)), 1 << 30);
  EXPECT_EQ((call<std::uint64_t>("__nv_umul64hi", UINT64_MAX, UINT64_MAX)), UINT64_MAX - 1);
  EXPECT_EQ((call<std::int32_t>("__nv_clz", std::int32_t{1})), 31);
  EXPECT_EQ((call<std::int32_t>("__nv_ffs", std::int32_t{8})), 4);
  EXPECT_EQ((call<std::int32_t>("__nv_popcll", std::int64_t{-1})), 64);
  EXPECT_EQ((call<std::int32_t>("__nv_brev", std::int32_t{1})), INT32_MIN);
  EXPECT_EQ((call<std::int32_t>("__nv_abs", INT32_MIN)), INT32_MIN);
  EXPECT_EQ((call<std::int32_t>("__nv_byte_perm", std::int32_t{0x44332211},
                                std::int32_t{static_cast<std::int32_t>(0x88776655)}, std::int32_t{0x7410})),
            static_cast<std::int32_t>(0x88552211));
  EXPECT_EQ((call<std::int32_t>("__nv_mul24", std::int32_t{0x00FFFFFF}, std::int32_t{2})), -2);
  EXPECT_EQ((call<std::int32_t>("__nv_hadd", INT32_MAX, INT32_MAX)), INT32_MAX);
}

}  // namespace
}  // namespace kgb::vm::numeric::testing
