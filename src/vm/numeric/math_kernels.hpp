// SPDX-License-Identifier: Apache-2.0
// One-operand kernels. Included per instruction set (see for_each_isa.hpp).
namespace {

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
template <typename T>
constexpr BitsOf<T> sign_of = BitsOf<T>{1} << (sizeof(T) * 8 - 1);

struct NegF {
  template <typename T>
  static T apply(T x) {
    return std::bit_cast<T>(static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(x) ^ sign_of<T>));
  }
};
struct AbsF {
  template <typename T>
  static T apply(T x) {
    return std::bit_cast<T>(static_cast<BitsOf<T>>(std::bit_cast<BitsOf<T>>(x) & ~sign_of<T>));
  }
};
// clang-format off
struct Sqrt { template <typename T> static T apply(T x) { return std::sqrt(x); } };
struct Rsqrt { template <typename T> static T apply(T x) { return static_cast<T>(1.0 / std::sqrt(static_cast<double>(x))); } };
struct Floor { template <typename T> static T apply(T x) { return std::floor(x); } };
struct Ceil { template <typename T> static T apply(T x) { return std::ceil(x); } };
struct Trunc { template <typename T> static T apply(T x) { return std::trunc(x); } };
struct RoundEven { template <typename T> static T apply(T x) { return std::nearbyint(x); } };
struct RoundAway { template <typename T> static T apply(T x) { return std::round(x); } };
struct Exp { template <typename T> static T apply(T x) { return std::exp(x); } };
struct Exp2 { template <typename T> static T apply(T x) { return std::exp2(x); } };
struct Expm1 { template <typename T> static T apply(T x) { return std::expm1(x); } };
struct Log { template <typename T> static T apply(T x) { return std::log(x); } };
struct Log2 { template <typename T> static T apply(T x) { return std::log2(x); } };
struct Log10 { template <typename T> static T apply(T x) { return std::log10(x); } };
struct Log1p { template <typename T> static T apply(T x) { return std::log1p(x); } };
struct Sin { template <typename T> static T apply(T x) { return std::sin(x); } };
struct Cos { template <typename T> static T apply(T x) { return std::cos(x); } };
struct Tan { template <typename T> static T apply(T x) { return std::tan(x); } };
struct Sinh { template <typename T> static T apply(T x) { return std::sinh(x); } };
struct Cosh { template <typename T> static T apply(T x) { return std::cosh(x); } };
struct Tanh { template <typename T> static T apply(T x) { return std::tanh(x); } };
struct Asin { template <typename T> static T apply(T x) { return std::asin(x); } };
struct Acos { template <typename T> static T apply(T x) { return std::acos(x); } };
struct Atan { template <typename T> static T apply(T x) { return std::atan(x); } };
struct Asinh { template <typename T> static T apply(T x) { return std::asinh(x); } };
struct Acosh { template <typename T> static T apply(T x) { return std::acosh(x); } };
struct Atanh { template <typename T> static T apply(T x) { return std::atanh(x); } };
struct Erf { template <typename T> static T apply(T x) { return std::erf(x); } };
struct Erfc { template <typename T> static T apply(T x) { return std::erfc(x); } };
struct Cbrt { template <typename T> static T apply(T x) { return std::cbrt(x); } };

struct NotI { template <typename T> static T apply(T x) { return static_cast<T>(~x); } };
struct NotBool { template <typename T> static T apply(T x) { return static_cast<T>(x ^ 1); } };
struct Identity { template <typename T> static T apply(T x) { return x; } };
struct AbsI { template <typename T> static T apply(T x) { return static_cast<std::make_signed_t<T>>(x) < 0 ? static_cast<T>(T{0} - x) : x; } };
struct Ctlz { template <typename T> static T apply(T x) { return static_cast<T>(std::countl_zero(x)); } };
struct Cttz { template <typename T> static T apply(T x) { return static_cast<T>(std::countr_zero(x)); } };
struct Ctpop { template <typename T> static T apply(T x) { return static_cast<T>(std::popcount(x)); } };
// clang-format on

template <typename Op, typename T>
void unary_span(const void* pa, void* po, std::size_t n) {
  const T* a = static_cast<const T*>(pa);
  T* out = static_cast<T*>(po);
#pragma GCC ivdep
  for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i]);
}

template <typename Op, typename Narrow>
void narrow_unary_span(const void* pa, void* po, std::size_t n) {
  using Bits = typename Narrow::Bits;
  alignas(64) float x[chunk_size];
  for (std::size_t i = 0; i < n; i += chunk_size) {
    const std::size_t count = std::min(chunk_size, n - i);
    widen(Narrow{}, static_cast<const Bits*>(pa) + i, x, count);
    unary_span<Op, float>(x, x, count);
    narrow(Narrow{}, x, static_cast<Bits*>(po) + i, count);
  }
}

template <typename Op>
UnaryFn float_unary(DType dtype) {
  switch (dtype) {
    case DType::f16: return &narrow_unary_span<Op, NarrowF16>;
    case DType::bf16: return &narrow_unary_span<Op, NarrowBF16>;
    case DType::f32: return &unary_span<Op, float>;
    case DType::f64: return &unary_span<Op, double>;
    default: return nullptr;
  }
}

template <typename Op>
UnaryFn int_unary(DType dtype) {
  switch (dtype) {
    case DType::u8: case DType::i8: return &unary_span<Op, std::uint8_t>;
    case DType::u16: case DType::i16: return &unary_span<Op, std::uint16_t>;
    case DType::u32: case DType::i32: return &unary_span<Op, std::uint32_t>;
    case DType::u64: case DType::i64: return &unary_span<Op, std::uint64_t>;
    default: return nullptr;
  }
}

// i1: leading zeros of one bit are its complement.
UnaryFn bool_unary(UnaryOp op) {
  switch (op) {
    case UnaryOp::noti: case UnaryOp::ctlz: case UnaryOp::cttz: return &unary_span<NotBool, std::uint8_t>;
    case UnaryOp::absi: case UnaryOp::ctpop: return &unary_span<Identity, std::uint8_t>;
    default: return nullptr;
  }
}

UnaryFn rounding_kernel(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::negf: return float_unary<NegF>(dtype);
    case UnaryOp::absf: return float_unary<AbsF>(dtype);
    case UnaryOp::sqrt: return float_unary<Sqrt>(dtype);
    case UnaryOp::rsqrt: return float_unary<Rsqrt>(dtype);
    case UnaryOp::floor: return float_unary<Floor>(dtype);
    case UnaryOp::ceil: return float_unary<Ceil>(dtype);
    case UnaryOp::trunc: return float_unary<Trunc>(dtype);
    case UnaryOp::roundeven: return float_unary<RoundEven>(dtype);
    case UnaryOp::round: return float_unary<RoundAway>(dtype);
    default: return nullptr;
  }
}

UnaryFn transcendental_kernel(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::exp: return float_unary<Exp>(dtype);
    case UnaryOp::exp2: return float_unary<Exp2>(dtype);
    case UnaryOp::expm1: return float_unary<Expm1>(dtype);
    case UnaryOp::log: return float_unary<Log>(dtype);
    case UnaryOp::log2: return float_unary<Log2>(dtype);
    case UnaryOp::log10: return float_unary<Log10>(dtype);
    case UnaryOp::log1p: return float_unary<Log1p>(dtype);
    case UnaryOp::sin: return float_unary<Sin>(dtype);
    case UnaryOp::cos: return float_unary<Cos>(dtype);
    case UnaryOp::tan: return float_unary<Tan>(dtype);
    case UnaryOp::sinh: return float_unary<Sinh>(dtype);
    case UnaryOp::cosh: return float_unary<Cosh>(dtype);
    case UnaryOp::tanh: return float_unary<Tanh>(dtype);
    case UnaryOp::asin: return float_unary<Asin>(dtype);
    case UnaryOp::acos: return float_unary<Acos>(dtype);
    case UnaryOp::atan: return float_unary<Atan>(dtype);
    case UnaryOp::asinh: return float_unary<Asinh>(dtype);
    case UnaryOp::acosh: return float_unary<Acosh>(dtype);
    case UnaryOp::atanh: return float_unary<Atanh>(dtype);
    case UnaryOp::erf: return float_unary<Erf>(dtype);
    case UnaryOp::erfc: return float_unary<Erfc>(dtype);
    case UnaryOp::cbrt: return float_unary<Cbrt>(dtype);
    default: return nullptr;
  }
}

UnaryFn unary_kernel(UnaryOp op, DType dtype) {
  if (dtype == DType::b8) return bool_unary(op);
  switch (op) {
    case UnaryOp::noti: return int_unary<NotI>(dtype);
    case UnaryOp::absi: return int_unary<AbsI>(dtype);
    case UnaryOp::ctlz: return int_unary<Ctlz>(dtype);
    case UnaryOp::cttz: return int_unary<Cttz>(dtype);
    case UnaryOp::ctpop: return int_unary<Ctpop>(dtype);
    default: break;
  }
  const UnaryFn rounding = rounding_kernel(op, dtype);
  return rounding != nullptr ? rounding : transcendental_kernel(op, dtype);
}

}  // namespace
