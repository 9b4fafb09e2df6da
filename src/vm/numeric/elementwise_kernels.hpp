// SPDX-License-Identifier: Apache-2.0
// Two-operand kernels. Included per instruction set (see for_each_isa.hpp).
namespace {

template <typename Op, typename T>
struct Spans {
  static void vv(const void* pa, const void* pb, void* po, std::size_t n) {
    const T* a = static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(po);
    KGB_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i], b[i]);
  }
  static void vs(const void* pa, const void* pb, void* po, std::size_t n) {
    const T* a = static_cast<const T*>(pa);
    const T b = *static_cast<const T*>(pb);
    T* out = static_cast<T*>(po);
    KGB_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i], b);
  }
  static void sv(const void* pa, const void* pb, void* po, std::size_t n) {
    const T a = *static_cast<const T*>(pa);
    const T* b = static_cast<const T*>(pb);
    T* out = static_cast<T*>(po);
    KGB_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a, b[i]);
  }
};

#if KGB_ISA_LEVEL == 3
// The high halves of 32-bit products, of which random numbers take many: lanes are multiplied in pairs.
template <>
struct Spans<MulHiUI, std::uint32_t> {
  static constexpr std::size_t lanes = 16;
  static __m512i multiply(__m512i a, __m512i b) {
    constexpr __mmask8 every = 0xFF;
    const __m512i even = _mm512_maskz_srli_epi64(every, _mm512_maskz_mul_epu32(every, a, b), 32);
    const __m512i odd = _mm512_maskz_mul_epu32(every, _mm512_maskz_srli_epi64(every, a, 32),
                                               _mm512_maskz_srli_epi64(every, b, 32));
    return _mm512_mask_blend_epi32(0xAAAA, even, odd);
  }
  template <std::size_t Step>
  static __m512i load(const std::uint32_t* from, std::size_t i) {
    return Step != 0 ? _mm512_loadu_si512(from + i) : _mm512_set1_epi32(static_cast<int>(*from));
  }
  // Step of an operand: 1, or 0 for one element used for all.
  template <std::size_t StepA, std::size_t StepB>
  static void run(const void* pa, const void* pb, void* po, std::size_t n) {
    const auto *a = static_cast<const std::uint32_t*>(pa), *b = static_cast<const std::uint32_t*>(pb);
    auto* out = static_cast<std::uint32_t*>(po);
    std::size_t i = 0;
    for (; i + lanes <= n; i += lanes)
      _mm512_storeu_si512(out + i, multiply(load<StepA>(a, i), load<StepB>(b, i)));
    for (; i < n; ++i) out[i] = MulHiUI::apply<std::uint32_t>(a[i * StepA], b[i * StepB]);
  }
  static void vv(const void* a, const void* b, void* out, std::size_t n) { run<1, 1>(a, b, out, n); }
  static void vs(const void* a, const void* b, void* out, std::size_t n) { run<1, 0>(a, b, out, n); }
  static void sv(const void* a, const void* b, void* out, std::size_t n) { run<0, 1>(a, b, out, n); }
};
#endif

// f16 and the long operations of bf16: widened, computed in f32 and rounded; exact for + - * / (24 >= 2 * 11
// + 2).
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

// Fuse: bf16 is short enough to be widened, computed and rounded in one loop.
template <typename Op, bool Fuse = true>
BinaryKernel float_kernel(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return kernel_of<NarrowSpans<Op, NarrowF16>>();
    case DType::bf16:
      if constexpr (Fuse)
        return kernel_of<Spans<OnBits<Op, NarrowBF16>, std::uint16_t>>();
      else
        return kernel_of<NarrowSpans<Op, NarrowBF16>>();
    case DType::f32:
      return kernel_of<Spans<Op, float>>();
    case DType::f64:
      return kernel_of<Spans<Op, double>>();
    default:
      return {};
  }
}

template <typename Op>
BinaryKernel int_kernel(DType dtype) {
  switch (dtype) {
    case DType::u8:
    case DType::i8:
      return kernel_of<Spans<Op, std::uint8_t>>();
    case DType::u16:
    case DType::i16:
      return kernel_of<Spans<Op, std::uint16_t>>();
    case DType::u32:
    case DType::i32:
      return kernel_of<Spans<Op, std::uint32_t>>();
    case DType::u64:
    case DType::i64:
      return kernel_of<Spans<Op, std::uint64_t>>();
    default:
      return {};
  }
}

// i1 is 0 or 1 in a byte; as a signed number true is -1, so the signed minimum is "or".
BinaryKernel bool_kernel(BinaryOp op) {
  switch (op) {
    case BinaryOp::addi:
    case BinaryOp::subi:
    case BinaryOp::xori:
      return kernel_of<Spans<XorI, std::uint8_t>>();
    case BinaryOp::muli:
    case BinaryOp::andi:
    case BinaryOp::minui:
    case BinaryOp::maxsi:
      return kernel_of<Spans<AndI, std::uint8_t>>();
    case BinaryOp::ori:
    case BinaryOp::maxui:
    case BinaryOp::minsi:
      return kernel_of<Spans<OrI, std::uint8_t>>();
    default:
      return {};
  }
}

BinaryKernel binary_kernel(BinaryOp op, DType dtype) {
  if (dtype == DType::b8) return bool_kernel(op);
  switch (op) {
    case BinaryOp::addf:
      return float_kernel<AddF>(dtype);
    case BinaryOp::subf:
      return float_kernel<SubF>(dtype);
    case BinaryOp::mulf:
      return float_kernel<MulF>(dtype);
    case BinaryOp::divf:
      return float_kernel<DivF>(dtype);
    case BinaryOp::remf:
      return float_kernel<RemF, false>(dtype);
    case BinaryOp::minnumf:
      return float_kernel<MinNumF>(dtype);
    case BinaryOp::maxnumf:
      return float_kernel<MaxNumF>(dtype);
    case BinaryOp::minimumf:
      return float_kernel<MinimumF>(dtype);
    case BinaryOp::maximumf:
      return float_kernel<MaximumF>(dtype);
    case BinaryOp::copysign:
      return float_kernel<CopySign>(dtype);
    case BinaryOp::atan2:
      return float_kernel<Atan2, false>(dtype);
    case BinaryOp::powf:
      return float_kernel<PowF, false>(dtype);
    case BinaryOp::addi:
      return int_kernel<AddI>(dtype);
    case BinaryOp::subi:
      return int_kernel<SubI>(dtype);
    case BinaryOp::muli:
      return int_kernel<MulI>(dtype);
    case BinaryOp::divsi:
      return int_kernel<DivSI>(dtype);
    case BinaryOp::divui:
      return int_kernel<DivUI>(dtype);
    case BinaryOp::remsi:
      return int_kernel<RemSI>(dtype);
    case BinaryOp::remui:
      return int_kernel<RemUI>(dtype);
    case BinaryOp::mulhiui:
      return int_kernel<MulHiUI>(dtype);
    case BinaryOp::mulhisi:
      return int_kernel<MulHiSI>(dtype);
    case BinaryOp::andi:
      return int_kernel<AndI>(dtype);
    case BinaryOp::ori:
      return int_kernel<OrI>(dtype);
    case BinaryOp::xori:
      return int_kernel<XorI>(dtype);
    case BinaryOp::shli:
      return int_kernel<ShlI>(dtype);
    case BinaryOp::shrsi:
      return int_kernel<ShrSI>(dtype);
    case BinaryOp::shrui:
      return int_kernel<ShrUI>(dtype);
    case BinaryOp::minsi:
      return int_kernel<MinSI>(dtype);
    case BinaryOp::maxsi:
      return int_kernel<MaxSI>(dtype);
    case BinaryOp::minui:
      return int_kernel<MinUI>(dtype);
    case BinaryOp::maxui:
      return int_kernel<MaxUI>(dtype);
    case BinaryOp::ceildivsi:
      return int_kernel<CeilDivSI>(dtype);
    case BinaryOp::ceildivui:
      return int_kernel<CeilDivUI>(dtype);
    case BinaryOp::floordivsi:
      return int_kernel<FloorDivSI>(dtype);
  }
  return {};
}

}  // namespace
