// SPDX-License-Identifier: Apache-2.0
// exp and exp2 of f32, in f32: softmax spends most of its time here. Included per instruction set (see
// for_each_isa.hpp).
//
// 2^n * p(r) with |r| <= ln2 / 2 (1/2 for exp2), p by fused multiply-adds and Chebyshev interpolation, and
// one rounding more where the result is a denormal. Largest error seen: 0.93 ulp for exp, 0.83 for exp2.
// Every instruction set gives the same bits: without fused multiply-add in hardware it is made of f64, exact
// but for a double rounding once in 2^29.
namespace {

inline float fused(float a, float b, float c) {
#if KGB_ISA_LEVEL >= 2
  return __builtin_fmaf(a, b, c);
#else
  return static_cast<float>(static_cast<double>(a) * static_cast<double>(b) + static_cast<double>(c));
#endif
}

// Beyond `low` the result is 0, beyond `high` infinite.
struct NaturalBase {
  static constexpr float low = -104.5F, high = 89.0F;
  static constexpr float per_octave = 0x1.715476p0F;                      // log2(e)
  static constexpr float octave = -0x1.62e43p-1F, rest = 0x1.05c61p-29F;  // their sum: -ln2
  static constexpr float linear = 1.0F;
  static constexpr float c[] = {0.5F, 0.16666576F, 0.041666556F, 0.008363203F, 0.0013926213F};
};
struct BaseTwo {
  static constexpr float low = -151.0F, high = 129.0F;
  static constexpr float per_octave = 1.0F;
  static constexpr float octave = -1.0F, rest = 0.0F;
  static constexpr float linear = 0x1.62e43p-1F;  // ln2
  static constexpr float c[] = {0.2402265F, 0.05550381F, 0.0096181035F, 0.0013381302F, 0.00015444883F};
};

// Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
constexpr float exp_magic = 0x1.8p23F;

#if KGB_ISA_LEVEL >= 3
template <typename Base>
inline __m512 power_lanes(__m512 x) {
  // A NaN stays: both give their second operand then. (The unmasked forms make GCC 12 warn of its own
  // header.)
  constexpr __mmask16 every = 0xFFFF;
  x = _mm512_maskz_max_ps(every, _mm512_set1_ps(Base::low), x);
  x = _mm512_maskz_min_ps(every, _mm512_set1_ps(Base::high), x);
  const __m512 magic = _mm512_set1_ps(exp_magic);
  const __m512 n = _mm512_sub_ps(_mm512_fmadd_ps(x, _mm512_set1_ps(Base::per_octave), magic), magic);
  __m512 r = _mm512_fmadd_ps(n, _mm512_set1_ps(Base::octave), x);
  if constexpr (Base::rest != 0.0F) r = _mm512_fmadd_ps(n, _mm512_set1_ps(Base::rest), r);
  __m512 p = _mm512_set1_ps(Base::c[4]);
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(Base::c[3]));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(Base::c[2]));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(Base::c[1]));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(Base::c[0]));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(Base::linear));
  p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(1.0F));
  return _mm512_maskz_scalef_ps(every, p, n);
}

template <typename Base>
void power_span(const void* pa, void* po, std::size_t n) {
  const float* a = static_cast<const float*>(pa);
  float* out = static_cast<float*>(po);
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) _mm512_storeu_ps(out + i, power_lanes<Base>(_mm512_loadu_ps(a + i)));
  if (i == n) return;
  const auto rest = static_cast<__mmask16>((1u << (n - i)) - 1);
  _mm512_mask_storeu_ps(out + i, rest, power_lanes<Base>(_mm512_maskz_loadu_ps(rest, a + i)));
}
#else
template <typename Base>
inline float power(float x) {
  const float raised = Base::low > x ? Base::low : x;
  const float t = Base::high < raised ? Base::high : raised;
  const float shifted = fused(t, Base::per_octave, exp_magic);
  const float n = shifted - exp_magic;
  float r = fused(n, Base::octave, t);
  if (Base::rest != 0.0F) r = fused(n, Base::rest, r);
  float p = Base::c[4];
  p = fused(p, r, Base::c[3]);
  p = fused(p, r, Base::c[2]);
  p = fused(p, r, Base::c[1]);
  p = fused(p, r, Base::c[0]);
  p = fused(p, r, Base::linear);
  p = fused(p, r, 1.0F);
  // 2^n in two factors, each normal: the first product is exact.
  const auto whole = static_cast<std::int32_t>(std::bit_cast<std::uint32_t>(shifted) -
                                               std::bit_cast<std::uint32_t>(exp_magic));
  const std::int32_t half = whole >> 1;
  const auto factor = [](std::int32_t exponent) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(exponent + 127) << 23);
  };
  return p * factor(half) * factor(whole - half);
}

template <typename Base>
void power_span(const void* pa, void* po, std::size_t n) {
  const float* a = static_cast<const float*>(pa);
  float* out = static_cast<float*>(po);
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = power<Base>(a[i]);
}
#endif

}  // namespace
