// SPDX-License-Identifier: Apache-2.0
// Comparisons, selection, fma and clamp. Included per instruction set (see for_each_isa.hpp).
namespace {

// clang-format off
struct Equal { template <typename T> static bool apply(T a, T b) { return a == b; } };
struct NotEqual { template <typename T> static bool apply(T a, T b) { return a != b; } };
struct Less { template <typename T> static bool apply(T a, T b) { return a < b; } };
struct LessEqual { template <typename T> static bool apply(T a, T b) { return a <= b; } };
struct Greater { template <typename T> static bool apply(T a, T b) { return a > b; } };
struct GreaterEqual { template <typename T> static bool apply(T a, T b) { return a >= b; } };
struct Ordered { template <typename T> static bool apply(T a, T b) { return (a == a) & (b == b); } };
struct OrderedNotEqual { template <typename T> static bool apply(T a, T b) { return (a < b) | (a > b); } };
struct Never { template <typename T> static bool apply(T, T) { return false; } };
// clang-format on
template <typename Op>
struct Not {
  template <typename T>
  static bool apply(T a, T b) {
    return !Op::template apply<T>(a, b);
  }
};

template <typename Op, typename T>
struct CompareSpans {
  static void vv(const void* pa, const void* pb, void* po, std::size_t n) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    std::uint8_t* out = static_cast<std::uint8_t*>(po);
    KGB_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i], b[i]);
  }
  static void vs(const void* pa, const void* pb, void* po, std::size_t n) {
    const T* a = static_cast<const T*>(pa);
    const T b = *static_cast<const T*>(pb);
    std::uint8_t* out = static_cast<std::uint8_t*>(po);
    KGB_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i], b);
  }
  static void sv(const void* pa, const void* pb, void* po, std::size_t n) {
    const T a = *static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    std::uint8_t* out = static_cast<std::uint8_t*>(po);
    KGB_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a, b[i]);
  }
};

template <typename Op, typename Narrow>
struct NarrowCompareSpans {
  using Bits = typename Narrow::Bits;
  static void run(const Bits* a, const Bits* b, std::uint8_t* out, std::size_t n, bool span_a, bool span_b) {
    alignas(64) float x[chunk_size], y[chunk_size];
    if (!span_a) widen(Narrow{}, a, x, 1);
    if (!span_b) widen(Narrow{}, b, y, 1);
    for (std::size_t i = 0; i < n; i += chunk_size) {
      const std::size_t count = std::min(chunk_size, n - i);
      if (span_a) widen(Narrow{}, a + i, x, count);
      if (span_b) widen(Narrow{}, b + i, y, count);
      const auto apply = !span_a   ? &CompareSpans<Op, float>::sv
                         : !span_b ? &CompareSpans<Op, float>::vs
                                   : &CompareSpans<Op, float>::vv;
      apply(x, y, out + i, count);
    }
  }
  static void vv(const void* a, const void* b, void* out, std::size_t n) {
    run(static_cast<const Bits*>(a), static_cast<const Bits*>(b), static_cast<std::uint8_t*>(out), n, true,
        true);
  }
  static void vs(const void* a, const void* b, void* out, std::size_t n) {
    run(static_cast<const Bits*>(a), static_cast<const Bits*>(b), static_cast<std::uint8_t*>(out), n, true,
        false);
  }
  static void sv(const void* a, const void* b, void* out, std::size_t n) {
    run(static_cast<const Bits*>(a), static_cast<const Bits*>(b), static_cast<std::uint8_t*>(out), n, false,
        true);
  }
};

template <typename S>
constexpr BinaryKernel compare_kernel_of() {
  return {&S::vv, &S::vs, &S::sv};
}

template <typename Op>
BinaryKernel float_compare(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3:
      return compare_kernel_of<NarrowCompareSpans<Op, NarrowE4M3>>();
    case DType::f8e5m2:
      return compare_kernel_of<NarrowCompareSpans<Op, NarrowE5M2>>();
    case DType::f16:
      return compare_kernel_of<NarrowCompareSpans<Op, NarrowF16>>();
    case DType::bf16:
      return compare_kernel_of<NarrowCompareSpans<Op, NarrowBF16>>();
    case DType::f32:
      return compare_kernel_of<CompareSpans<Op, float>>();
    case DType::f64:
      return compare_kernel_of<CompareSpans<Op, double>>();
    default:
      return {};
  }
}

template <typename Op>
BinaryKernel unsigned_compare(DType dtype) {
  switch (dtype) {
    case DType::b8:
    case DType::u8:
    case DType::i8:
      return compare_kernel_of<CompareSpans<Op, std::uint8_t>>();
    case DType::u16:
    case DType::i16:
      return compare_kernel_of<CompareSpans<Op, std::uint16_t>>();
    case DType::u32:
    case DType::i32:
      return compare_kernel_of<CompareSpans<Op, std::uint32_t>>();
    case DType::u64:
    case DType::i64:
      return compare_kernel_of<CompareSpans<Op, std::uint64_t>>();
    default:
      return {};
  }
}

template <typename Op>
BinaryKernel signed_compare(DType dtype) {
  switch (dtype) {
    case DType::u8:
    case DType::i8:
      return compare_kernel_of<CompareSpans<Op, std::int8_t>>();
    case DType::u16:
    case DType::i16:
      return compare_kernel_of<CompareSpans<Op, std::int16_t>>();
    case DType::u32:
    case DType::i32:
      return compare_kernel_of<CompareSpans<Op, std::int32_t>>();
    case DType::u64:
    case DType::i64:
      return compare_kernel_of<CompareSpans<Op, std::int64_t>>();
    default:
      return {};
  }
}

// A signed i1 has true = -1, which reverses the order of the stored 0 and 1.
CompareInt reversed_for_bool(CompareInt op) {
  switch (op) {
    case CompareInt::slt:
      return CompareInt::ugt;
    case CompareInt::sle:
      return CompareInt::uge;
    case CompareInt::sgt:
      return CompareInt::ult;
    case CompareInt::sge:
      return CompareInt::ule;
    default:
      return op;
  }
}

BinaryKernel int_compare_kernel(CompareInt op, DType dtype) {
  switch (dtype == DType::b8 ? reversed_for_bool(op) : op) {
    case CompareInt::eq:
      return unsigned_compare<Equal>(dtype);
    case CompareInt::ne:
      return unsigned_compare<NotEqual>(dtype);
    case CompareInt::slt:
      return signed_compare<Less>(dtype);
    case CompareInt::sle:
      return signed_compare<LessEqual>(dtype);
    case CompareInt::sgt:
      return signed_compare<Greater>(dtype);
    case CompareInt::sge:
      return signed_compare<GreaterEqual>(dtype);
    case CompareInt::ult:
      return unsigned_compare<Less>(dtype);
    case CompareInt::ule:
      return unsigned_compare<LessEqual>(dtype);
    case CompareInt::ugt:
      return unsigned_compare<Greater>(dtype);
    case CompareInt::uge:
      return unsigned_compare<GreaterEqual>(dtype);
  }
  return {};
}

BinaryKernel float_compare_kernel(CompareFloat op, DType dtype) {
  switch (op) {
    case CompareFloat::always_false:
      return float_compare<Never>(dtype);
    case CompareFloat::oeq:
      return float_compare<Equal>(dtype);
    case CompareFloat::ogt:
      return float_compare<Greater>(dtype);
    case CompareFloat::oge:
      return float_compare<GreaterEqual>(dtype);
    case CompareFloat::olt:
      return float_compare<Less>(dtype);
    case CompareFloat::ole:
      return float_compare<LessEqual>(dtype);
    case CompareFloat::one:
      return float_compare<OrderedNotEqual>(dtype);
    case CompareFloat::ord:
      return float_compare<Ordered>(dtype);
    case CompareFloat::ueq:
      return float_compare<Not<OrderedNotEqual>>(dtype);
    case CompareFloat::ugt:
      return float_compare<Not<LessEqual>>(dtype);
    case CompareFloat::uge:
      return float_compare<Not<Less>>(dtype);
    case CompareFloat::ult:
      return float_compare<Not<GreaterEqual>>(dtype);
    case CompareFloat::ule:
      return float_compare<Not<Greater>>(dtype);
    case CompareFloat::une:
      return float_compare<NotEqual>(dtype);
    case CompareFloat::uno:
      return float_compare<Not<Ordered>>(dtype);
    case CompareFloat::always_true:
      return float_compare<Not<Never>>(dtype);
  }
  return {};
}

template <typename T, bool SpanA, bool SpanB>
void select_span(const void* pc, const void* pa, const void* pb, void* po, std::size_t n) {
  const std::uint8_t* condition = static_cast<const std::uint8_t*>(pc);
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  T* out = static_cast<T*>(po);
  const T a0 = SpanA || n == 0 ? T{} : *a;
  const T b0 = SpanB || n == 0 ? T{} : *b;
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) {
    const T x = SpanA ? a[i] : a0;
    const T y = SpanB ? b[i] : b0;
    out[i] = condition[i] ? x : y;
  }
}

template <typename T>
SelectKernel select_of() {
  return {&select_span<T, true, true>, &select_span<T, true, false>, &select_span<T, false, true>,
          &select_span<T, false, false>};
}

SelectKernel select_kernel(std::size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return select_of<std::uint8_t>();
    case 2:
      return select_of<std::uint16_t>();
    case 4:
      return select_of<std::uint32_t>();
    case 8:
      return select_of<std::uint64_t>();
    default:
      return {};
  }
}

// One rounding. Without an FMA instruction the compiler calls libm, which is exact too.
struct Fma {
  template <typename T>
  static T apply(T a, T b, T c) {
    if constexpr (sizeof(T) == 8)
      return __builtin_fma(a, b, c);
    else
      return __builtin_fmaf(a, b, c);
  }
};
template <bool KeepNan>
struct Clamp {
  template <typename T>
  static T apply(T x, T lo, T hi) {
    const T raised = (x > lo || lo != lo) ? x : lo;             // x NaN: lo
    const T lowered = (raised < hi || hi != hi) ? raised : hi;  // raised NaN only if x and lo are
    return KeepNan && x != x ? x : lowered;
  }
};

template <typename Op, typename T>
void ternary_span(const void* pa, const void* pb, const void* pc, void* po, std::size_t n) {
  const T* a = static_cast<const T*>(pa);
  const T* b = static_cast<const T*>(pb);
  const T* c = static_cast<const T*>(pc);
  T* out = static_cast<T*>(po);
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i], b[i], c[i]);
}

template <typename Op, typename Narrow>
void narrow_ternary_span(const void* pa, const void* pb, const void* pc, void* po, std::size_t n) {
  using Bits = typename Narrow::Bits;
  alignas(64) float x[chunk_size], y[chunk_size], z[chunk_size];
  for (std::size_t i = 0; i < n; i += chunk_size) {
    const std::size_t count = std::min(chunk_size, n - i);
    widen(Narrow{}, static_cast<const Bits*>(pa) + i, x, count);
    widen(Narrow{}, static_cast<const Bits*>(pb) + i, y, count);
    widen(Narrow{}, static_cast<const Bits*>(pc) + i, z, count);
    ternary_span<Op, float>(x, y, z, x, count);
    narrow(Narrow{}, x, static_cast<Bits*>(po) + i, count);
  }
}

// The exact product of two 16-bit floats fits f64. The sum is rounded to odd there, so that the second
// rounding gives what one rounding would.
template <typename F>
std::uint16_t narrow_fma(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  const double product = decode<F>(a) * decode<F>(b);
  const double addend = decode<F>(c);
  const double sum = product + addend;
  const double virtual_addend = sum - product;
  const double error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
  std::uint64_t bits = std::bit_cast<std::uint64_t>(sum);
  const bool inexact = error != 0 && std::isfinite(sum);
  if (inexact && (bits & 1) == 0) bits += (error > 0) == (sum > 0) ? 1 : ~std::uint64_t{0};
  return encode<F>(std::bit_cast<double>(bits));
}

template <typename F>
void narrow_fma_span(const void* pa, const void* pb, const void* pc, void* po, std::size_t n) {
  const std::uint16_t* a = static_cast<const std::uint16_t*>(pa);
  const std::uint16_t* b = static_cast<const std::uint16_t*>(pb);
  const std::uint16_t* c = static_cast<const std::uint16_t*>(pc);
  for (std::size_t i = 0; i < n; ++i) static_cast<std::uint16_t*>(po)[i] = narrow_fma<F>(a[i], b[i], c[i]);
}

template <typename Op>
TernaryFn ternary_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return &narrow_ternary_span<Op, NarrowF16>;
    case DType::bf16:
      return &narrow_ternary_span<Op, NarrowBF16>;
    case DType::f32:
      return &ternary_span<Op, float>;
    case DType::f64:
      return &ternary_span<Op, double>;
    default:
      return nullptr;
  }
}

TernaryFn ternary_kernel(TernaryOp op, DType dtype) {
  switch (op) {
    case TernaryOp::clamp_drop_nan:
      return ternary_of<Clamp<false>>(dtype);
    case TernaryOp::clamp_keep_nan:
      return ternary_of<Clamp<true>>(dtype);
    case TernaryOp::fma:
      break;
  }
  if (dtype == DType::f16) return &narrow_fma_span<F16>;
  if (dtype == DType::bf16) return &narrow_fma_span<BF16>;
  return ternary_of<Fma>(dtype);
}

}  // namespace
