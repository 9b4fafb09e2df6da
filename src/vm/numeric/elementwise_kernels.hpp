// SPDX-License-Identifier: Apache-2.0
// Two- and three-operand kernels. Included per instruction set (see for_each_isa.hpp).
namespace {

// clang-format off
struct AddF { template <typename T> static T apply(T a, T b) { return a + b; } };
struct SubF { template <typename T> static T apply(T a, T b) { return a - b; } };
struct MulF { template <typename T> static T apply(T a, T b) { return a * b; } };
struct DivF { template <typename T> static T apply(T a, T b) { return a / b; } };
struct RemF { template <typename T> static T apply(T a, T b) { return std::fmod(a, b); } };
struct Atan2 { template <typename T> static T apply(T a, T b) { return std::atan2(a, b); } };
// clang-format on
struct PowF {
  template <typename T>
  static T apply(T a, T b) {
    if constexpr (sizeof(T) == 4) return PowF32::apply(a, b);
    else return std::pow(a, b);
  }
};

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

struct CopySign {
  template <typename T>
  static T apply(T a, T b) {
    using U = BitsOf<T>;
    constexpr U sign = U{1} << (sizeof(T) * 8 - 1);
    return std::bit_cast<T>(static_cast<U>((std::bit_cast<U>(a) & ~sign) | (std::bit_cast<U>(b) & sign)));
  }
};

// Equal operands differ at most in the sign of zero: or-ing the bits gives -0 for min, and-ing +0 for max.
template <bool Max, bool KeepNan>
struct MinMaxF {
  template <typename T>
  static T apply(T a, T b) {
    using U = BitsOf<T>;
    const U x = std::bit_cast<U>(a);
    const U y = std::bit_cast<U>(b);
    const bool wins = Max ? a > b : a < b;
    const bool nan = KeepNan ? a != a : b != b;
    const U picked = (wins | nan) ? x : y;
    return std::bit_cast<T>(a == b ? (Max ? x & y : x | y) : picked);
  }
};
using MinNumF = MinMaxF<false, false>;
using MaxNumF = MinMaxF<true, false>;
using MinimumF = MinMaxF<false, true>;
using MaximumF = MinMaxF<true, true>;

// Integer operations work on unsigned T (wrapping); S is the signed twin. Products are taken in 32 bits or more
// because two u16 promote to a signed int that can overflow.
template <typename T>
using SignedOf = std::make_signed_t<T>;
template <typename T>
using AtLeast32 = std::conditional_t<(sizeof(T) < 4), std::uint32_t, T>;
__extension__ typedef unsigned __int128 Wide128;
__extension__ typedef __int128 SignedWide128;
template <typename T>
using WideOf = std::conditional_t<
    sizeof(T) == 8, Wide128, std::conditional_t<sizeof(T) == 4, std::uint64_t, std::uint32_t>>;
template <typename T>
using SignedWideOf =
    std::conditional_t<sizeof(T) == 8, SignedWide128,
                       std::conditional_t<sizeof(T) == 4, std::int64_t, std::int32_t>>;

// clang-format off
struct AddI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a + b); } };
struct SubI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a - b); } };
struct MulI { template <typename T> static T apply(T a, T b) { return static_cast<T>(AtLeast32<T>{a} * AtLeast32<T>{b}); } };
struct AndI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a & b); } };
struct OrI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a | b); } };
struct XorI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a ^ b); } };
struct MinUI { template <typename T> static T apply(T a, T b) { return a < b ? a : b; } };
struct MaxUI { template <typename T> static T apply(T a, T b) { return a > b ? a : b; } };
struct DivUI { template <typename T> static T apply(T a, T b) { return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(a / b); } };
struct RemUI { template <typename T> static T apply(T a, T b) { return b == 0 ? a : static_cast<T>(a % b); } };
// clang-format on

template <bool Max>
struct MinMaxSI {
  template <typename T>
  static T apply(T a, T b) {
    const auto x = static_cast<SignedOf<T>>(a);
    const auto y = static_cast<SignedOf<T>>(b);
    return (Max ? x > y : x < y) ? a : b;
  }
};
using MinSI = MinMaxSI<false>;
using MaxSI = MinMaxSI<true>;

struct DivSI {
  template <typename T>
  static T apply(T a, T b) {
    if (b == 0) return static_cast<T>(~T{0});
    if (b == static_cast<T>(~T{0})) return static_cast<T>(T{0} - a);  // INT_MIN / -1 traps on x86
    return static_cast<T>(static_cast<SignedOf<T>>(a) / static_cast<SignedOf<T>>(b));
  }
};
struct RemSI {
  template <typename T>
  static T apply(T a, T b) {
    if (b == 0) return a;
    if (b == static_cast<T>(~T{0})) return 0;
    return static_cast<T>(static_cast<SignedOf<T>>(a) % static_cast<SignedOf<T>>(b));
  }
};
struct FloorDivSI {
  template <typename T>
  static T apply(T a, T b) {
    const T quotient = DivSI::apply(a, b);
    const T remainder = RemSI::apply(a, b);
    const bool opposite = static_cast<SignedOf<T>>(static_cast<T>(a ^ b)) < 0;
    return static_cast<T>(quotient - T{b != 0 && remainder != 0 && opposite});
  }
};
struct CeilDivSI {
  template <typename T>
  static T apply(T a, T b) {
    const T quotient = DivSI::apply(a, b);
    const T remainder = RemSI::apply(a, b);
    const bool opposite = static_cast<SignedOf<T>>(static_cast<T>(a ^ b)) < 0;
    return static_cast<T>(quotient + T{b != 0 && remainder != 0 && !opposite});
  }
};
struct CeilDivUI {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(DivUI::apply(a, b) + T{b != 0 && RemUI::apply(a, b) != 0});
  }
};
struct MulHiUI {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>((WideOf<T>{a} * WideOf<T>{b}) >> (sizeof(T) * 8));
  }
};
struct MulHiSI {
  template <typename T>
  static T apply(T a, T b) {
    using W = SignedWideOf<T>;
    return static_cast<T>((W{static_cast<SignedOf<T>>(a)} * W{static_cast<SignedOf<T>>(b)}) >> (sizeof(T) * 8));
  }
};
struct ShlI {
  template <typename T>
  static T apply(T a, T b) {
    constexpr T width = sizeof(T) * 8;
    const T shifted = static_cast<T>(AtLeast32<T>{a} << (b & (width - 1)));
    return b < width ? shifted : T{0};
  }
};
struct ShrUI {
  template <typename T>
  static T apply(T a, T b) {
    constexpr T width = sizeof(T) * 8;
    const T shifted = static_cast<T>(a >> (b & (width - 1)));
    return b < width ? shifted : T{0};
  }
};
struct ShrSI {
  template <typename T>
  static T apply(T a, T b) {
    constexpr T width = sizeof(T) * 8;
    const T count = b < width ? b : static_cast<T>(width - 1);
    return static_cast<T>(static_cast<SignedOf<T>>(a) >> count);
  }
};

template <typename Op, typename T>
struct Spans {
  static void vv(const void* pa, const void* pb, void* po, std::size_t n) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(po);
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i], b[i]);
  }
  static void vs(const void* pa, const void* pb, void* po, std::size_t n) {
    const T* a = static_cast<const T*>(pa);
    const T b = *static_cast<const T*>(pb);
    T* out = static_cast<T*>(po);
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i], b);
  }
  static void sv(const void* pa, const void* pb, void* po, std::size_t n) {
    const T a = *static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(po);
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a, b[i]);
  }
};

// f16 and bf16: widened, computed in f32 and rounded; exact for + - * / (24 >= 2 * 11 + 2).
template <typename Op, typename Narrow>
struct NarrowSpans {
  using Bits = typename Narrow::Bits;
  static void vv(const void* pa, const void* pb, void* po, std::size_t n) {
    const Bits* a = static_cast<const Bits*>(pa);
    const Bits* b = static_cast<const Bits*>(pb);
    Bits* out = static_cast<Bits*>(po);
    alignas(64) float x[chunk_size], y[chunk_size];
    for (std::size_t i = 0; i < n; i += chunk_size) {
      const std::size_t count = std::min(chunk_size, n - i);
      widen(Narrow{}, a + i, x, count);
      widen(Narrow{}, b + i, y, count);
      Spans<Op, float>::vv(x, y, x, count);
      narrow(Narrow{}, x, out + i, count);
    }
  }
  static void vs(const void* pa, const void* pb, void* po, std::size_t n) {
    const Bits* a = static_cast<const Bits*>(pa);
    Bits* out = static_cast<Bits*>(po);
    alignas(64) float x[chunk_size], y[1];
    widen(Narrow{}, static_cast<const Bits*>(pb), y, 1);
    for (std::size_t i = 0; i < n; i += chunk_size) {
      const std::size_t count = std::min(chunk_size, n - i);
      widen(Narrow{}, a + i, x, count);
      Spans<Op, float>::vs(x, y, x, count);
      narrow(Narrow{}, x, out + i, count);
    }
  }
  static void sv(const void* pa, const void* pb, void* po, std::size_t n) {
    const Bits* b = static_cast<const Bits*>(pb);
    Bits* out = static_cast<Bits*>(po);
    alignas(64) float x[1], y[chunk_size];
    widen(Narrow{}, static_cast<const Bits*>(pa), x, 1);
    for (std::size_t i = 0; i < n; i += chunk_size) {
      const std::size_t count = std::min(chunk_size, n - i);
      widen(Narrow{}, b + i, y, count);
      Spans<Op, float>::sv(x, y, y, count);
      narrow(Narrow{}, y, out + i, count);
    }
  }
};

template <typename S>
constexpr BinaryKernel kernel_of() {
  return {&S::vv, &S::vs, &S::sv};
}

template <typename Op>
BinaryKernel float_kernel(DType dtype) {
  switch (dtype) {
    case DType::f16: return kernel_of<NarrowSpans<Op, NarrowF16>>();
    case DType::bf16: return kernel_of<NarrowSpans<Op, NarrowBF16>>();
    case DType::f32: return kernel_of<Spans<Op, float>>();
    case DType::f64: return kernel_of<Spans<Op, double>>();
    default: return {};
  }
}

template <typename Op>
BinaryKernel int_kernel(DType dtype) {
  switch (dtype) {
    case DType::u8: case DType::i8: return kernel_of<Spans<Op, std::uint8_t>>();
    case DType::u16: case DType::i16: return kernel_of<Spans<Op, std::uint16_t>>();
    case DType::u32: case DType::i32: return kernel_of<Spans<Op, std::uint32_t>>();
    case DType::u64: case DType::i64: return kernel_of<Spans<Op, std::uint64_t>>();
    default: return {};
  }
}

// i1 is 0 or 1 in a byte; as a signed number true is -1, so the signed minimum is "or".
BinaryKernel bool_kernel(BinaryOp op) {
  switch (op) {
    case BinaryOp::addi: case BinaryOp::subi: case BinaryOp::xori: return kernel_of<Spans<XorI, std::uint8_t>>();
    case BinaryOp::muli: case BinaryOp::andi: case BinaryOp::minui: case BinaryOp::maxsi:
      return kernel_of<Spans<AndI, std::uint8_t>>();
    case BinaryOp::ori: case BinaryOp::maxui: case BinaryOp::minsi: return kernel_of<Spans<OrI, std::uint8_t>>();
    default: return {};
  }
}

BinaryKernel binary_kernel(BinaryOp op, DType dtype) {
  if (dtype == DType::b8) return bool_kernel(op);
  switch (op) {
    case BinaryOp::addf: return float_kernel<AddF>(dtype);
    case BinaryOp::subf: return float_kernel<SubF>(dtype);
    case BinaryOp::mulf: return float_kernel<MulF>(dtype);
    case BinaryOp::divf: return float_kernel<DivF>(dtype);
    case BinaryOp::remf: return float_kernel<RemF>(dtype);
    case BinaryOp::minnumf: return float_kernel<MinNumF>(dtype);
    case BinaryOp::maxnumf: return float_kernel<MaxNumF>(dtype);
    case BinaryOp::minimumf: return float_kernel<MinimumF>(dtype);
    case BinaryOp::maximumf: return float_kernel<MaximumF>(dtype);
    case BinaryOp::copysign: return float_kernel<CopySign>(dtype);
    case BinaryOp::atan2: return float_kernel<Atan2>(dtype);
    case BinaryOp::powf: return float_kernel<PowF>(dtype);
    case BinaryOp::addi: return int_kernel<AddI>(dtype);
    case BinaryOp::subi: return int_kernel<SubI>(dtype);
    case BinaryOp::muli: return int_kernel<MulI>(dtype);
    case BinaryOp::divsi: return int_kernel<DivSI>(dtype);
    case BinaryOp::divui: return int_kernel<DivUI>(dtype);
    case BinaryOp::remsi: return int_kernel<RemSI>(dtype);
    case BinaryOp::remui: return int_kernel<RemUI>(dtype);
    case BinaryOp::mulhiui: return int_kernel<MulHiUI>(dtype);
    case BinaryOp::mulhisi: return int_kernel<MulHiSI>(dtype);
    case BinaryOp::andi: return int_kernel<AndI>(dtype);
    case BinaryOp::ori: return int_kernel<OrI>(dtype);
    case BinaryOp::xori: return int_kernel<XorI>(dtype);
    case BinaryOp::shli: return int_kernel<ShlI>(dtype);
    case BinaryOp::shrsi: return int_kernel<ShrSI>(dtype);
    case BinaryOp::shrui: return int_kernel<ShrUI>(dtype);
    case BinaryOp::minsi: return int_kernel<MinSI>(dtype);
    case BinaryOp::maxsi: return int_kernel<MaxSI>(dtype);
    case BinaryOp::minui: return int_kernel<MinUI>(dtype);
    case BinaryOp::maxui: return int_kernel<MaxUI>(dtype);
    case BinaryOp::ceildivsi: return int_kernel<CeilDivSI>(dtype);
    case BinaryOp::ceildivui: return int_kernel<CeilDivUI>(dtype);
    case BinaryOp::floordivsi: return int_kernel<FloorDivSI>(dtype);
  }
  return {};
}

}  // namespace
