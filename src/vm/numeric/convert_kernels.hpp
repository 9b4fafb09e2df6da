// SPDX-License-Identifier: Apache-2.0
// Conversion kernels. Included per instruction set (see for_each_isa.hpp).
namespace {

// The stored type of each wide dtype. b8 has its own tag because 0 or 1 must come out.
struct Bool {
  std::uint8_t value;
};

template <typename From, typename To>
inline To convert_one(From value) {
  if constexpr (std::is_same_v<From, Bool>) {
    return convert_one<std::uint8_t, To>(value.value);
  } else if constexpr (std::is_same_v<To, Bool>) {
    if constexpr (std::is_floating_point_v<From>)
      return Bool{static_cast<std::uint8_t>(value != 0)};
    else
      return Bool{static_cast<std::uint8_t>(value & 1)};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To> && sizeof(To) == 1) {
    // PTX has no 8-bit cvt.rzi: the 16-bit one saturates, then the low byte is kept (300 becomes 44).
    using Step = std::conditional_t<std::is_signed_v<To>, std::int16_t, std::uint16_t>;
    return static_cast<To>(float_to_int<Step>(value));
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return float_to_int<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

template <typename From, typename To>
void convert_span(const void* pa, void* po, std::size_t n) {
  const From* a = static_cast<const From*>(pa);
  To* out = static_cast<To*>(po);
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = convert_one<From, To>(a[i]);
}

void narrow_e4m3_saturate(const float* in, std::uint8_t* out, std::size_t n) {
  narrow_span<NarrowE4M3>(in, out, n, F8E4M3::largest);
}
void narrow_e4m3_ieee(const float* in, std::uint8_t* out, std::size_t n) {
  narrow_span<NarrowE4M3>(in, out, n, F8E4M3::all_ones);
}
void narrow_e5m2_saturate(const float* in, std::uint8_t* out, std::size_t n) {
  narrow_span<NarrowE5M2>(in, out, n, F8E5M2::largest);
}
void narrow_e5m2_ieee(const float* in, std::uint8_t* out, std::size_t n) {
  narrow_span<NarrowE5M2>(in, out, n, F8E5M2::infinity);
}

// How f32 becomes each narrow format: nearest even in vectors.
template <typename Narrow, Fp8Overflow Overflow>
inline void narrow_nearest(const float* in, typename Narrow::Bits* out, std::size_t n) {
  if constexpr (std::is_same_v<Narrow, NarrowE4M3>) {
    Overflow == Fp8Overflow::saturate ? narrow_e4m3_saturate(in, out, n) : narrow_e4m3_ieee(in, out, n);
  } else if constexpr (std::is_same_v<Narrow, NarrowE5M2>) {
    Overflow == Fp8Overflow::saturate ? narrow_e5m2_saturate(in, out, n) : narrow_e5m2_ieee(in, out, n);
  } else {
    narrow(Narrow{}, in, out, n);
  }
}

template <typename F>
constexpr bool is_fp8 = sizeof(typename F::Bits) == 1;
// Only fp8 saturates; one instance of the kernels serves both choices for the others.
template <typename F, Fp8Overflow Wanted>
constexpr Fp8Overflow overflow_for = is_fp8<F> ? Wanted : Fp8Overflow::ieee;

// A 32- or 64-bit integer as f32, rounded to odd (inexact results get an odd last bit), so that rounding the
// f32 again to bf16 gives what one rounding would, as PTX cvt.rn.bf16.s32 has it.
template <typename Int>
inline float int_to_odd_float(Int value) {
  if constexpr (sizeof(Int) == 4) {
    const double exact = static_cast<double>(value);
    const float nearest = static_cast<float>(exact);
    const double back = static_cast<double>(nearest);
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(nearest);
    const bool away = (exact > back) == (exact > 0.0);
    const std::uint32_t neighbour = away ? bits + 1 : bits - 1;
    return std::bit_cast<float>(back != exact && (bits & 1u) == 0 ? neighbour : bits);
  } else {
    const bool negative = std::is_signed_v<Int> && value < 0;
    const std::uint64_t magnitude =
        negative ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    // The upper 32 bits, the lost ones kept as one sticky bit, then scaled back exactly.
    const int zeros = std::countl_zero(magnitude);
    const int shift = zeros < 32 ? 32 - zeros : 0;
    const bool sticky = (magnitude & ((std::uint64_t{1} << shift) - 1)) != 0;
    const auto upper = static_cast<std::uint32_t>(magnitude >> shift) | static_cast<std::uint32_t>(sticky);
    const float scale = std::bit_cast<float>(static_cast<std::uint32_t>(127 + shift) << 23);
    const float result = int_to_odd_float(upper) * scale;
    return negative ? -result : result;
  }
}

// Wide (integers, b8, f32) to narrow through f32. That step is exact wherever the result is finite, but for
// integers to bf16, which are rounded to odd first.
template <typename From, typename Narrow, Rounding Round, Fp8Overflow Overflow>
void to_narrow(const void* pa, void* po, std::size_t n) {
  using F = typename Narrow::F;
  const From* a = static_cast<const From*>(pa);
  auto* out = static_cast<typename Narrow::Bits*>(po);
  if constexpr (std::is_same_v<From, double> || Round == Rounding::toward_zero) {
    for (std::size_t i = 0; i < n; ++i)
      out[i] = encode<F>(
          static_cast<double>(
              convert_one<From, std::conditional_t<std::is_same_v<From, double>, double, float>>(a[i])),
          Round, Overflow);
  } else if constexpr (std::is_same_v<From, float>) {
    narrow_nearest<Narrow, Overflow>(a, out, n);
  } else {
    alignas(64) float x[chunk_size];
    for (std::size_t i = 0; i < n; i += chunk_size) {
      const std::size_t count = std::min(chunk_size, n - i);
      if constexpr (std::is_same_v<Narrow, NarrowBF16> && std::is_integral_v<From> && sizeof(From) >= 4) {
        KGB_INDEPENDENT
        for (std::size_t j = 0; j < count; ++j) x[j] = int_to_odd_float(a[i + j]);
      } else {
        convert_span<From, float>(a + i, x, count);
      }
      narrow_nearest<Narrow, Overflow>(x, out + i, count);
    }
  }
}

template <typename Narrow, typename To>
void from_narrow(const void* pa, void* po, std::size_t n) {
  const auto* a = static_cast<const typename Narrow::Bits*>(pa);
  To* out = static_cast<To*>(po);
  if constexpr (std::is_same_v<To, float>) {
    widen(Narrow{}, a, out, n);
  } else {
    alignas(64) float x[chunk_size];
    for (std::size_t i = 0; i < n; i += chunk_size) {
      const std::size_t count = std::min(chunk_size, n - i);
      widen(Narrow{}, a + i, x, count);
      convert_span<float, To>(x, out + i, count);
    }
  }
}

template <typename From, typename To, Rounding Round, Fp8Overflow Overflow>
void narrow_to_narrow(const void* pa, void* po, std::size_t n) {
  const auto* a = static_cast<const typename From::Bits*>(pa);
  auto* out = static_cast<typename To::Bits*>(po);
  alignas(64) float x[chunk_size];
  for (std::size_t i = 0; i < n; i += chunk_size) {
    const std::size_t count = std::min(chunk_size, n - i);
    widen(From{}, a + i, x, count);
    to_narrow<float, To, Round, Overflow>(x, out + i, count);
  }
}

// Infinity and NaN are one more power of two: Triton moves the exponent and knows no special values here
// (seen on an H200; e5m2 to f16 and f32 is IEEE).
void e5m2_to_bf16(const void* pa, void* po, std::size_t n) {
  const auto* a = static_cast<const std::uint8_t*>(pa);
  for (std::size_t i = 0; i < n; ++i) {
    const unsigned sign = a[i] & 0x80u, magnitude = a[i] & 0x7Fu;
    const unsigned wide = magnitude >= F8E5M2::infinity
                              ? (magnitude << 5) + ((127u - 15u) << 7)
                              : encode<BF16>(decode<F8E5M2>(static_cast<std::uint8_t>(magnitude)));
    static_cast<std::uint16_t*>(po)[i] = static_cast<std::uint16_t>(sign << 8 | wide);
  }
}

void f64_to_f32_toward_zero(const void* pa, void* po, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    static_cast<float*>(po)[i] =
        std::bit_cast<float>(encode<F32>(static_cast<const double*>(pa)[i], Rounding::toward_zero));
}

void signed_bool_to_float_chunk(const std::uint8_t* a, float* out, std::size_t n) {
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = -static_cast<float>(a[i]);
}

void round_tf32_truncate(const void* pa, void* po, std::size_t n) {
  const float* a = static_cast<const float*>(pa);
  float* out = static_cast<float*>(po);
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = to_tf32(a[i], Tf32Mode::truncate);
}
void round_tf32_nearest(const void* pa, void* po, std::size_t n) {
  const float* a = static_cast<const float*>(pa);
  float* out = static_cast<float*>(po);
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = to_tf32(a[i], Tf32Mode::nearest_away);
}

template <typename T>
struct Tag {
  using type = T;
};

// Calls f with the tag of a wide dtype's storage, or returns null.
template <typename Visit>
UnaryFn with_wide(DType dtype, Visit visit) {
  switch (dtype) {
    case DType::b8:
      return visit(Tag<Bool>{});
    case DType::u8:
      return visit(Tag<std::uint8_t>{});
    case DType::i8:
      return visit(Tag<std::int8_t>{});
    case DType::u16:
      return visit(Tag<std::uint16_t>{});
    case DType::i16:
      return visit(Tag<std::int16_t>{});
    case DType::u32:
      return visit(Tag<std::uint32_t>{});
    case DType::i32:
      return visit(Tag<std::int32_t>{});
    case DType::u64:
      return visit(Tag<std::uint64_t>{});
    case DType::i64:
      return visit(Tag<std::int64_t>{});
    case DType::f32:
      return visit(Tag<float>{});
    case DType::f64:
      return visit(Tag<double>{});
    default:
      return nullptr;
  }
}

template <typename Visit>
UnaryFn with_narrow(DType dtype, Visit visit) {
  switch (dtype) {
    case DType::f8e4m3:
      return visit(Tag<NarrowE4M3>{});
    case DType::f8e5m2:
      return visit(Tag<NarrowE5M2>{});
    case DType::f16:
      return visit(Tag<NarrowF16>{});
    case DType::bf16:
      return visit(Tag<NarrowBF16>{});
    default:
      return nullptr;
  }
}

bool is_narrow(DType dtype) {
  return dtype == DType::f8e4m3 || dtype == DType::f8e5m2 || dtype == DType::f16 || dtype == DType::bf16;
}

template <Rounding Round, Fp8Overflow Overflow>
UnaryFn to_narrow_kernel(DType from, DType to) {
  return with_narrow(to, [from](auto narrow_tag) -> UnaryFn {
    using To = typename decltype(narrow_tag)::type;
    if (is_narrow(from)) {
      return with_narrow(from, [](auto tag) -> UnaryFn {
        return &narrow_to_narrow<typename decltype(tag)::type, To, Round,
                                 overflow_for<typename To::F, Overflow>>;
      });
    }
    return with_wide(from, [](auto tag) -> UnaryFn {
      return &to_narrow<typename decltype(tag)::type, To, Round, overflow_for<typename To::F, Overflow>>;
    });
  });
}

UnaryFn convert_kernel(DType from, DType to, ConvertOptions options) {
  const bool zero = options.rounding == Rounding::toward_zero;
  const bool saturate = options.overflow == Fp8Overflow::saturate;
  if (from == DType::f8e5m2 && to == DType::bf16) return &e5m2_to_bf16;
  if (is_narrow(to)) {
#if KGB_ISA_LEVEL == 0
    // Toward zero never goes beyond the largest finite value, so only infinity sees the overflow rule.
    if (zero && saturate) return to_narrow_kernel<Rounding::toward_zero, Fp8Overflow::saturate>(from, to);
    if (zero) return to_narrow_kernel<Rounding::toward_zero, Fp8Overflow::ieee>(from, to);
#else
    if (zero) return baseline::convert_kernel(from, to, options);  // scalar code: one copy is enough
#endif
    if (saturate) return to_narrow_kernel<Rounding::nearest_even, Fp8Overflow::saturate>(from, to);
    return to_narrow_kernel<Rounding::nearest_even, Fp8Overflow::ieee>(from, to);
  }
  if (is_narrow(from)) {
    return with_narrow(from, [to](auto narrow_tag) -> UnaryFn {
      using From = typename decltype(narrow_tag)::type;
      return with_wide(to,
                       [](auto tag) -> UnaryFn { return &from_narrow<From, typename decltype(tag)::type>; });
    });
  }
  if (zero && from == DType::f64 && to == DType::f32) return &f64_to_f32_toward_zero;
  return with_wide(from, [to](auto from_tag) -> UnaryFn {
    using From = typename decltype(from_tag)::type;
    return with_wide(to,
                     [](auto tag) -> UnaryFn { return &convert_span<From, typename decltype(tag)::type>; });
  });
}

template <typename To>
void signed_bool_span(const void* pa, void* po, std::size_t n) {
  const std::uint8_t* a = static_cast<const std::uint8_t*>(pa);
  if constexpr (requires { typename To::Bits; }) {
    alignas(64) float x[chunk_size];
    for (std::size_t i = 0; i < n; i += chunk_size) {
      const std::size_t count = std::min(chunk_size, n - i);
      signed_bool_to_float_chunk(a + i, x, count);
      narrow_nearest<To, Fp8Overflow::saturate>(x, static_cast<typename To::Bits*>(po) + i, count);
    }
  } else if constexpr (std::is_same_v<To, Bool>) {
    std::copy_n(a, n, static_cast<std::uint8_t*>(po));
  } else {
    To* out = static_cast<To*>(po);
    KGB_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] ? static_cast<To>(-1) : To{0};
  }
}

UnaryFn signed_bool_kernel(DType to) {
  const auto visit = [](auto tag) -> UnaryFn { return &signed_bool_span<typename decltype(tag)::type>; };
  return is_narrow(to) ? with_narrow(to, visit) : with_wide(to, visit);
}

UnaryFn tf32_kernel(Tf32Mode mode) {
  return mode == Tf32Mode::truncate ? &round_tf32_truncate : &round_tf32_nearest;
}

}  // namespace
