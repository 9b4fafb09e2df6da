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
struct Rsqrt { template <typename T> static T apply(T x) { return T{1} / std::sqrt(x); } };
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
struct Ctlz { template <typename T> static T apply(T x) { return static_cast<T>(std::countl_zero(x)); } };
struct Cttz { template <typename T> static T apply(T x) { return static_cast<T>(std::countr_zero(x)); } };
struct Ctpop { template <typename T> static T apply(T x) { return static_cast<T>(std::popcount(x)); } };
// clang-format on
struct AbsI {
  template <typename T>
  static T apply(T x) {
    return static_cast<std::make_signed_t<T>>(x) < 0 ? static_cast<T>(T{0} - x) : x;
  }
};

template <typename Op, typename T>
void unary_span(const void* pa, void* po, std::size_t n) {
  const T* a = static_cast<const T*>(pa);
  T* out = static_cast<T*>(po);
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i]);
}

// f16 and bf16 through the f32 kernel.
template <UnaryFn F32, typename Narrow>
void narrow_unary_span(const void* pa, void* po, std::size_t n) {
  using Bits = typename Narrow::Bits;
  alignas(64) float x[chunk_size];
  for (std::size_t i = 0; i < n; i += chunk_size) {
    const std::size_t count = std::min(chunk_size, n - i);
    widen(Narrow{}, static_cast<const Bits*>(pa) + i, x, count);
    F32(x, x, count);
    narrow(Narrow{}, x, static_cast<Bits*>(po) + i, count);
  }
}

template <UnaryFn F32, UnaryFn F64>
UnaryFn kernel_by_dtype(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return &narrow_unary_span<F32, NarrowF16>;
    case DType::bf16:
      return &narrow_unary_span<F32, NarrowBF16>;
    case DType::f32:
      return F32;
    case DType::f64:
      return F64;
    default:
      return nullptr;
  }
}

// f32 in its own arithmetic: exact or correctly rounded operations.
template <typename Op>
UnaryFn plain_unary(DType dtype) {
  return kernel_by_dtype<&unary_span<Op, float>, &unary_span<Op, double>>(dtype);
}

// f32 through libm's f64 function and one rounding: for the functions that are rare in kernels.
template <typename Op>
void through_f64_span(const void* pa, void* po, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    static_cast<float*>(po)[i] =
        static_cast<float>(Op::template apply<double>(static_cast<double>(static_cast<const float*>(pa)[i])));
}
template <typename Op>
UnaryFn rare_unary(DType dtype) {
  return kernel_by_dtype<&through_f64_span<Op>, &unary_span<Op, double>>(dtype);
}

template <typename Approx, typename Op>
UnaryFn vector_unary(DType dtype) {
  return kernel_by_dtype<&approx_span<Approx>, &unary_span<Op, double>>(dtype);
}
template <typename Approx, typename Op>
UnaryFn trig_unary(DType dtype) {
  return kernel_by_dtype<&trig_span<Approx>, &unary_span<Op, double>>(dtype);
}

template <typename Op>
UnaryFn int_unary(DType dtype) {
  switch (dtype) {
    case DType::u8:
    case DType::i8:
      return &unary_span<Op, std::uint8_t>;
    case DType::u16:
    case DType::i16:
      return &unary_span<Op, std::uint16_t>;
    case DType::u32:
    case DType::i32:
      return &unary_span<Op, std::uint32_t>;
    case DType::u64:
    case DType::i64:
      return &unary_span<Op, std::uint64_t>;
    default:
      return nullptr;
  }
}

// i1: leading zeros of one bit are its complement.
UnaryFn bool_unary(UnaryOp op) {
  switch (op) {
    case UnaryOp::noti:
    case UnaryOp::ctlz:
    case UnaryOp::cttz:
      return &unary_span<NotBool, std::uint8_t>;
    case UnaryOp::absi:
    case UnaryOp::ctpop:
      return &unary_span<Identity, std::uint8_t>;
    default:
      return nullptr;
  }
}

UnaryFn rounding_kernel(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::negf:
      return plain_unary<NegF>(dtype);
    case UnaryOp::absf:
      return plain_unary<AbsF>(dtype);
    case UnaryOp::sqrt:
      return plain_unary<Sqrt>(dtype);
    case UnaryOp::rsqrt:
      return vector_unary<RsqrtF32, Rsqrt>(dtype);
    case UnaryOp::floor:
      return plain_unary<Floor>(dtype);
    case UnaryOp::ceil:
      return plain_unary<Ceil>(dtype);
    case UnaryOp::trunc:
      return plain_unary<Trunc>(dtype);
    case UnaryOp::roundeven:
      return plain_unary<RoundEven>(dtype);
    case UnaryOp::round:
      return plain_unary<RoundAway>(dtype);
    default:
      return nullptr;
  }
}

UnaryFn transcendental_kernel(UnaryOp op, DType dtype) {
  switch (op) {
    case UnaryOp::exp:
      return kernel_by_dtype<&power_span<NaturalBase>, &unary_span<Exp, double>>(dtype);
    case UnaryOp::exp2:
      return kernel_by_dtype<&power_span<BaseTwo>, &unary_span<Exp2, double>>(dtype);
    case UnaryOp::expm1:
      return vector_unary<Expm1F32, Expm1>(dtype);
    case UnaryOp::log:
      return vector_unary<LogF32, Log>(dtype);
    case UnaryOp::log2:
      return vector_unary<Log2F32, Log2>(dtype);
    case UnaryOp::log10:
      return vector_unary<Log10F32, Log10>(dtype);
    case UnaryOp::log1p:
      return rare_unary<Log1p>(dtype);
    case UnaryOp::sin:
      return trig_unary<SinF32, Sin>(dtype);
    case UnaryOp::cos:
      return trig_unary<CosF32, Cos>(dtype);
    case UnaryOp::tan:
      return rare_unary<Tan>(dtype);
    case UnaryOp::sinh:
      return rare_unary<Sinh>(dtype);
    case UnaryOp::cosh:
      return rare_unary<Cosh>(dtype);
    case UnaryOp::tanh:
      return vector_unary<TanhF32, Tanh>(dtype);
    case UnaryOp::asin:
      return rare_unary<Asin>(dtype);
    case UnaryOp::acos:
      return rare_unary<Acos>(dtype);
    case UnaryOp::atan:
      return rare_unary<Atan>(dtype);
    case UnaryOp::asinh:
      return rare_unary<Asinh>(dtype);
    case UnaryOp::acosh:
      return rare_unary<Acosh>(dtype);
    case UnaryOp::atanh:
      return rare_unary<Atanh>(dtype);
    case UnaryOp::erf:
      return vector_unary<ErfF32, Erf>(dtype);
    case UnaryOp::erfc:
      return rare_unary<Erfc>(dtype);
    case UnaryOp::cbrt:
      return rare_unary<Cbrt>(dtype);
    default:
      return nullptr;
  }
}

UnaryFn unary_kernel(UnaryOp op, DType dtype) {
  if (dtype == DType::b8) return bool_unary(op);
  switch (op) {
    case UnaryOp::noti:
      return int_unary<NotI>(dtype);
    case UnaryOp::absi:
      return int_unary<AbsI>(dtype);
    case UnaryOp::ctlz:
      return int_unary<Ctlz>(dtype);
    case UnaryOp::cttz:
      return int_unary<Cttz>(dtype);
    case UnaryOp::ctpop:
      return int_unary<Ctpop>(dtype);
    default:
      break;
  }
  const UnaryFn rounding = rounding_kernel(op, dtype);
  return rounding != nullptr ? rounding : transcendental_kernel(op, dtype);
}

}  // namespace
