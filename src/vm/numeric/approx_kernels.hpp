// SPDX-License-Identifier: Apache-2.0
// Functions of f32 evaluated in f64 and rounded once. Included per instruction set (see for_each_isa.hpp).
//
// f64 costs half the lanes but buys short code: no error compensation, no special case for denormals (an f32
// denormal is a normal f64, and the last conversion rounds into the denormal range), and an error of at most
// 0.51 ulp. Everything is branch-free so that the loops vectorise. Polynomials: Chebyshev interpolation.
namespace {

inline double multiply_add(double a, double b, double c) {
#if KGB_ISA_LEVEL >= 2
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

template <int N>
inline double polynomial(const double (&c)[N], double x) {
  double sum = c[N - 1];
#pragma GCC unroll 32
  for (int i = N - 2; i >= 0; --i) sum = multiply_add(sum, x, c[i]);
  return sum;
}

inline std::uint64_t bits_of(double x) {
  return std::bit_cast<std::uint64_t>(x);
}
inline double double_of(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}

constexpr double log2e = 0x1.71547652b82fep0;
constexpr double ln2 = 0x1.62e42fefa39efp-1;
constexpr double log10_2 = 0x1.34413509f79ffp-2;
constexpr double log10e = 0x1.bcb7b1526e50ep-2;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();

// Adding and removing 1.5 * 2^52 rounds to an integer for |x| < 2^51; the low bits of the sum are that
// integer.
constexpr double round_magic = 0x1.8p52;

// 2^n * (1 + q): n is an integer as f64 in [-1022, 1023], q = exp(r) - 1.
struct ExpParts {
  double scale;  // 2^n
  double q;
};
inline ExpParts exp_parts(double r, double shifted) {
  constexpr double c[] = {1.0,
                          0.5000000047401393442,
                          0.1666666671931248089,
                          0.04166635163844457575,
                          0.008333298344023092042,
                          0.001394121310000633446,
                          0.0001989939018367923082};
  return {double_of((bits_of(shifted) + 1023) << 52), r * polynomial(c, r)};
}
// x clamped so that 2^n stays a normal f64; f32 results are long 0 or infinite there. NaN passes through.
inline double clamped(double x, double lo, double hi) {
  const double raised = x < lo ? lo : x;
  return raised > hi ? hi : raised;
}
inline ExpParts natural_parts(double x) {
  const double t = clamped(x, -200.0, 200.0);
  const double shifted = multiply_add(t, log2e, round_magic);
  return exp_parts(multiply_add(shifted - round_magic, -ln2, t), shifted);
}
inline double exp2_of(double x) {
  const double t = clamped(x, -300.0, 300.0);
  const double shifted = t + round_magic;
  const ExpParts p = exp_parts((t - (shifted - round_magic)) * ln2, shifted);
  return multiply_add(p.scale, p.q, p.scale);
}
inline double expm1_of(double x) {
  const ExpParts p = natural_parts(x);
  return multiply_add(p.scale, p.q, p.scale - 1.0);
}

// x = 2^exponent * (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), for a positive normal x.
struct LogParts {
  double exponent;
  double f;
};
inline LogParts log_parts(double x) {
  constexpr std::uint64_t root_half = 0x3FE6A09E667F3BCDu;
  const std::uint64_t biased = (bits_of(x) - root_half + (std::uint64_t{1023} << 52)) >> 52;
  const double exponent = double_of(biased | 0x4330000000000000u) - (0x1p52 + 1023.0);
  const double mantissa = double_of(bits_of(x) - ((biased - 1023) << 52));
  return {exponent, mantissa - 1.0};
}
// log(1 + f)
inline double log1p_reduced(double f) {
  constexpr double c[] = {0.9999999999874646053,   -0.5000000003595268279, 0.3333333424924085668,
                          -0.2499999272830776026,  0.1999988813656575263,  -0.166670245752826325,
                          0.1429081185725738304,   -0.1249543539709281708, 0.1100603664794239429,
                          -0.09945993527853296574, 0.1004721204192157599,  -0.0980443882132996404,
                          0.05235898598121697416};
  return f * polynomial(c, f);
}
// Scaled so that log of 2^e is exact in any base.
inline double log_of(double x, double per_octave, double per_nat) {
  const LogParts p = log_parts(x);
  const double value = multiply_add(log1p_reduced(p.f), per_nat, p.exponent * per_octave);
  const double at_zero = x == 0.0 ? -infinity : value;
  const double finite = x < 0.0 ? quiet_nan : at_zero;
  return x < infinity ? finite : x;  // +inf and NaN are their own logarithms
}

inline double tanh_of(double x) {
  const double e = expm1_of(clamped(2.0 * x, -60.0, 60.0));
  return e / (e + 2.0);
}

// Centred so that the coefficients stay of one size; beyond 4 the result is 1 in f32.
inline double erf_of(double x) {
  constexpr double c[] = {0.353530995643404964,      -0.1765762332142375912,     0.1316751168663190343,
                          -0.1077104489095233061,    0.09020899619070059897,     -0.07472772837517465608,
                          0.05988686022513392779,    -0.04576646346621056052,    0.03306107366347554617,
                          -0.02246626370724309671,   0.01434721689643710458,     -0.008629832983801853485,
                          0.004861257452313889155,   -0.00253067210641396173,    0.001277072805758372987,
                          -0.0006727975797938544357, 0.000295138437046612626,    -0.00007246152144638048236,
                          0.0000329793838189831253,  -0.00003668360645354812085, 0.00001287405469822422429};
  const double t = clamped(x, -4.0, 4.0);
  const double value = t * polynomial(c, multiply_add(t * t, 0.125, -1.0));
  return clamped(value, -1.0, 1.0);
}

// Quadrants beyond this are reduced by libm instead: three parts of pi/2 are exact for n < 2^20 only.
constexpr double trig_limit = 0x1p20;

struct Quadrant {
  double sine, cosine;  // of the remainder
  std::uint64_t n;      // low two bits: the quadrant
};
inline Quadrant reduce_angle(double x) {
  constexpr double s[] = {0.9999999999956687561, -0.1666666663156316321, 0.008333328779736226986,
                          -0.0001983920138855969245, 2.717338055746828652e-6};
  constexpr double c[] = {0.9999999999999443436,    -0.4999999999935046693,   0.04166666654381319651,
                          -0.001388888038869402062, 0.0000247989276962183432, -2.717335354665508725e-7};
  const double shifted = multiply_add(x, 0x1.45f306dc9c883p-1, round_magic);
  const double n = shifted - round_magic;
  double r = multiply_add(n, -0x1.921fb544p0, x);
  r = multiply_add(n, -0x1.0b4611a4p-34, r);
  r = multiply_add(n, -0x1.13198a2e03707p-65, r);
  const double z = r * r;
  return {r * polynomial(s, z), polynomial(c, z), bits_of(shifted)};
}
inline double with_sign(double x, std::uint64_t odd) {
  return double_of(bits_of(x) ^ odd << 63);
}
inline double sin_of(double x) {
  const Quadrant q = reduce_angle(x);
  const double value = with_sign((q.n & 1) ? q.cosine : q.sine, (q.n >> 1) & 1);
  return x == 0.0 ? x : value;
}
inline double cos_of(double x) {
  const Quadrant q = reduce_angle(x);
  return with_sign((q.n & 1) ? q.sine : q.cosine, ((q.n + 1) >> 1) & 1);
}

// clang-format off
struct Expm1F32 { static float apply(float x) { return x == 0.0F ? x : static_cast<float>(expm1_of(x)); } };
struct LogF32 { static float apply(float x) { return static_cast<float>(log_of(x, ln2, 1.0)); } };
struct Log2F32 { static float apply(float x) { return static_cast<float>(log_of(x, 1.0, log2e)); } };
struct Log10F32 { static float apply(float x) { return static_cast<float>(log_of(x, log10_2, log10e)); } };
struct TanhF32 { static float apply(float x) { return x == 0.0F ? x : static_cast<float>(tanh_of(x)); } };
struct ErfF32 { static float apply(float x) { return x == 0.0F ? x : static_cast<float>(erf_of(x)); } };
// clang-format on
struct SinF32 {
  static float apply(float x) { return static_cast<float>(sin_of(x)); }
  static double exact(double x) { return std::sin(x); }
};
struct CosF32 {
  static float apply(float x) { return static_cast<float>(cos_of(x)); }
  static double exact(double x) { return std::cos(x); }
};

// f32 square root and reciprocal are short; one Newton step in f64 removes their error.
struct RsqrtF32 {
  static float apply(float x) {
    const float guess = 1.0F / std::sqrt(x);
    const double y = guess;
    const double refined = y * multiply_add(-0.5 * x * y, y, 1.5);
    const bool special = !(x > 0.0F) || x > std::numeric_limits<float>::max();
    return special ? guess : static_cast<float>(refined);
  }
};

// x^y = 2^(y log2 |x|), with the sign and the exceptions of C's pow.
struct PowF32 {
  static float apply(float x, float y) {
    const double base = x, exponent = y;
    const double magnitude = base < 0.0 ? -base : base;
    const double power = exp2_of(exponent * log_of(magnitude, 1.0, log2e));
    const double shrunk = exponent < 0.0 ? -exponent : exponent;
    const bool large = shrunk >= 0x1p24;  // every such f32 is an even integer
    const double half = 0.5 * exponent;
    const bool integer = large | ((exponent + round_magic) - round_magic == exponent);
    const bool even = large | ((half + round_magic) - round_magic == half);
    const bool negative = (std::bit_cast<std::uint32_t>(x) >> 31) != 0;
    const double signed_power = (negative & integer & !even) ? -power : power;
    const bool undefined = (base < 0.0) & !integer & (magnitude < infinity);
    const double value = undefined ? quiet_nan : signed_power;
    const bool one = (x == 1.0F) | (y == 0.0F) | ((x == -1.0F) & (shrunk == infinity));
    return one ? 1.0F : static_cast<float>(value);
  }
};

template <typename Op>
void approx_span(const void* pa, void* po, std::size_t n) {
  const float* a = static_cast<const float*>(pa);
  float* out = static_cast<float*>(po);
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = Op::apply(a[i]);
}

// Sine and cosine: vectors, then a second look at the chunks that hold a large argument.
template <typename Op>
void trig_span(const void* pa, void* po, std::size_t n) {
  const float* a = static_cast<const float*>(pa);
  float* out = static_cast<float*>(po);
  alignas(64) float x[chunk_size];  // a copy: out may be the input
  for (std::size_t i = 0; i < n; i += chunk_size) {
    const std::size_t count = std::min(chunk_size, n - i);
    std::uint32_t largest = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint32_t magnitude = std::bit_cast<std::uint32_t>(a[i + j]) & 0x7FFFFFFFu;
      x[j] = a[i + j];
      largest = magnitude > largest ? magnitude : largest;
    }
    KGB_INDEPENDENT
    for (std::size_t j = 0; j < count; ++j) out[i + j] = Op::apply(x[j]);
    if (largest < std::bit_cast<std::uint32_t>(static_cast<float>(trig_limit))) continue;
    for (std::size_t j = 0; j < count; ++j)
      if (!(std::abs(x[j]) < trig_limit)) out[i + j] = static_cast<float>(Op::exact(x[j]));
  }
}

}  // namespace
