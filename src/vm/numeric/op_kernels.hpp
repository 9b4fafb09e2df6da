// SPDX-License-Identifier: Apache-2.0
// Two-operand operations on one element. Included per instruction set (see for_each_isa.hpp).
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
    if constexpr (sizeof(T) == 4)
      return PowF32::apply(a, b);
    else
      return std::pow(a, b);
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

// Integer operations work on unsigned T (wrapping); S is the signed twin. Products are taken in 32 bits or
// more because two u16 promote to a signed int that can overflow.
template <typename T>
using SignedOf = std::make_signed_t<T>;
template <typename T>
using AtLeast32 = std::conditional_t<(sizeof(T) < 4), std::uint32_t, T>;
__extension__ typedef unsigned __int128 Wide128;
__extension__ typedef __int128 SignedWide128;
template <typename T>
using WideOf = std::conditional_t<sizeof(T) == 8, Wide128,
                                  std::conditional_t<sizeof(T) == 4, std::uint64_t, std::uint32_t>>;
template <typename T>
using SignedWideOf = std::conditional_t<sizeof(T) == 8, SignedWide128,
                                        std::conditional_t<sizeof(T) == 4, std::int64_t, std::int32_t>>;

// clang-format off
struct AddI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a + b); } };
struct SubI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a - b); } };
struct AndI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a & b); } };
struct OrI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a | b); } };
struct XorI { template <typename T> static T apply(T a, T b) { return static_cast<T>(a ^ b); } };
struct MinUI { template <typename T> static T apply(T a, T b) { return a < b ? a : b; } };
struct MaxUI { template <typename T> static T apply(T a, T b) { return a > b ? a : b; } };
// clang-format on

struct MulI {
  template <typename T>
  static T apply(T a, T b) {
    return static_cast<T>(AtLeast32<T>{a} * AtLeast32<T>{b});
  }
};
struct DivUI {
  template <typename T>
  static T apply(T a, T b) {
    return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(a / b);
  }
};
struct RemUI {
  template <typename T>
  static T apply(T a, T b) {
    return b == 0 ? a : static_cast<T>(a % b);
  }
};

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
    return static_cast<T>((W{static_cast<SignedOf<T>>(a)} * W{static_cast<SignedOf<T>>(b)}) >>
                          (sizeof(T) * 8));
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

// Wide operation on narrow bits: one step of a loop that the vectoriser fuses.
template <typename Op, typename Narrow>
struct OnBits {
  static float widened(std::uint16_t bits) {
    if constexpr (std::is_same_v<Narrow, NarrowBF16>)
      return bf16_to_f32(bits);
    else
      return widen_f16_bits(bits);
  }
  template <typename T>
  static T apply(T a, T b) {
    const float value = Op::template apply<float>(widened(a), widened(b));
    if constexpr (std::is_same_v<Narrow, NarrowBF16>)
      return f32_to_bf16(value);
    else
      return static_cast<T>(narrow_bits<F16>(value, F16::infinity));
  }
};

}  // namespace
