// SPDX-License-Identifier: Apache-2.0
// Tree reductions and scans. Included per instruction set (see for_each_isa.hpp).
namespace {

// Scratch for one tree: no allocation, so large inputs are cut into strips that fit.
constexpr std::size_t scratch_bytes = 32768;

template <typename Op, typename T>
inline void combine(const T* a, const T* b, T* out, std::size_t n) {
  KGB_INDEPENDENT
  for (std::size_t i = 0; i < n; ++i) out[i] = Op::template apply<T>(a[i], b[i]);
}

#if KGB_ISA_LEVEL >= 2
// The tree over 16 floats in registers.
template <typename Op>
inline float fold_sixteen(const float* x) {
  typedef float Eight __attribute__((vector_size(32)));
  typedef float Four __attribute__((vector_size(16)));
  Eight low, high;
  std::memcpy(&low, x, sizeof low);
  std::memcpy(&high, x + 8, sizeof high);
  const Eight eight = Op::template apply<Eight>(low, high);
  const Four four = Op::template apply<Four>(__builtin_shufflevector(eight, eight, 0, 1, 2, 3),
                                             __builtin_shufflevector(eight, eight, 4, 5, 6, 7));
  const Four two = Op::template apply<Four>(four, __builtin_shufflevector(four, four, 2, 3, 2, 3));
  return Op::template apply<Four>(two, __builtin_shufflevector(two, two, 1, 0, 1, 0))[0];
}

// The largest or smallest of a row of f32, n a multiple of 16. The order of comparisons shows only in which
// zero, or which NaN, comes out: false where it is one, and where no element was beyond the infinity that it
// begins with.
template <bool Max, bool KeepNan>
inline bool extreme_of(const float* in, std::size_t n, float* out) {
  typedef float Lanes __attribute__((vector_size(64)));
  typedef std::int32_t Flags __attribute__((vector_size(64)));
  constexpr std::size_t lanes = 16, chains = 4;
  constexpr float start = Max ? -__builtin_inff() : __builtin_inff();
  Lanes best[chains];
  Flags nan = {};
  for (Lanes& chain : best) chain = Lanes{} + start;
  // A NaN of `x` loses. By reference: wide vectors are passed otherwise by code without AVX-512.
  const auto keep = [](Lanes& chain, const Lanes& x) { chain = (Max ? x > chain : x < chain) ? x : chain; };
  const auto take = [&](std::size_t at, Lanes& chain) {
    Lanes x;
    std::memcpy(&x, in + at, sizeof x);
    keep(chain, x);
    if constexpr (KeepNan) nan |= x != x;
  };
  std::size_t i = 0;
  for (; i + chains * lanes <= n; i += chains * lanes)
    for (std::size_t c = 0; c < chains; ++c) take(i + c * lanes, best[c]);
  for (; i < n; i += lanes) take(i, best[0]);
  Lanes& all = best[0];
  for (std::size_t c = 1; c < chains; ++c) keep(all, best[c]);
  keep(all, __builtin_shufflevector(all, all, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  keep(all, __builtin_shufflevector(all, all, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11));
  keep(all, __builtin_shufflevector(all, all, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13));
  keep(all, __builtin_shufflevector(all, all, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14));
  const float found = all[0];
  bool bad = false;
  if constexpr (KeepNan)
    for (std::size_t q = 0; q < lanes; ++q) bad |= nan[q] != 0;
  *out = found;
  return !bad && found != start && found != 0;
}
template <typename Op>
struct Extreme {
  static constexpr bool known = false;
};
template <bool Max, bool KeepNan>
struct Extreme<MinMaxF<Max, KeepNan>> {
  static constexpr bool known = true;
  static bool of(const float* in, std::size_t n, float* out) { return extreme_of<Max, KeepNan>(in, n, out); }
};
#endif

// The tree over n elements, n a power of two up to 16. Not unrolled: sixteen copies of every operation and
// type cost minutes of compilation and gain nothing that a whole kernel shows.
template <typename Op, typename T>
inline T fold_few(const T* x, std::size_t n) {
  T value[16];
  std::copy_n(x, n, value);
  for (std::size_t half = n / 2; half >= 1; half /= 2)
    for (std::size_t i = 0; i < half; ++i) value[i] = Op::template apply<T>(value[i], value[i + half]);
  return value[0];
}

// The first level of a row of several pages. Its two halves are read side by side, which the processor does
// not prefetch well; rows mostly follow one another, so the next one is fetched meanwhile, in order.
template <typename Op, typename T>
inline void fold_pages(const T* in, std::size_t half, T* scratch) {
  constexpr std::size_t step = 1024 / sizeof(T);
  auto next = reinterpret_cast<std::uintptr_t>(in + 2 * half);
  for (std::size_t i = 0; i < half; i += step) {
    for (const std::uintptr_t end = next + 2048; next != end; next += 64)
      __builtin_prefetch(reinterpret_cast<const void*>(next), 0, 2);
    combine<Op, T>(in + i, in + half + i, scratch + i, std::min(step, half - i));
  }
}

// One row of n = 32, 64, ... up to twice the scratch.
template <typename Op, typename T>
inline T fold_row(const T* in, std::size_t n, T* scratch) {
#if KGB_ISA_LEVEL >= 2
  if constexpr (std::is_same_v<T, float> && Extreme<Op>::known) {
    T found;
    if (Extreme<Op>::of(in, n, &found)) return found;
  }
#endif
  std::size_t half = n / 2;
  if (n * sizeof(T) >= 8192)
    fold_pages<Op, T>(in, half, scratch);
  else
    combine<Op, T>(in, in + half, scratch, half);
  while (half > 16) {
    half /= 2;
    combine<Op, T>(scratch, scratch + half, scratch, half);
  }
#if KGB_ISA_LEVEL >= 2
  if constexpr (std::is_same_v<T, float> && (std::is_same_v<Op, AddF> || std::is_same_v<Op, MulF>))
    return fold_sixteen<Op>(scratch);
#endif
  return fold_few<Op, T>(scratch, 16);
}

// rows x width (row distance `pitch` elements) folded to one row; half the rows times width fit the scratch.
template <typename Op, typename T>
void fold_rows(const T* in, std::size_t rows, std::size_t pitch, std::size_t width, T* scratch, T* out) {
  if (rows == 1) {
    std::copy_n(in, width, out);
    return;
  }
  std::size_t half = (rows + 1) / 2;
  if (pitch == width) {
    combine<Op, T>(in, in + half * width, scratch, (rows - half) * width);
  } else {
    for (std::size_t r = 0; r + half < rows; ++r)
      combine<Op, T>(in + r * pitch, in + (r + half) * pitch, scratch + r * width, width);
  }
  if (half * 2 != rows) std::copy_n(in + (half - 1) * pitch, width, scratch + (half - 1) * width);
  while (half > 1) {
    const std::size_t next = (half + 1) / 2;
    combine<Op, T>(scratch, scratch + next * width, scratch, (half - next) * width);
    half = next;
  }
  std::copy_n(scratch, width, out);
}

// A long axis: folds n = groups x 1024 over the groups, then the 1024 that are left, which is the same tree.
template <typename Op, typename T>
void fold_long(const T* in, std::size_t n, std::size_t inner, T* scratch, T* out) {
  constexpr std::size_t capacity = scratch_bytes / sizeof(T), columns = 1024;
  const std::size_t groups = n / columns;
  if (n % columns != 0 || groups / 2 > capacity) {  // beyond Triton's limit of 2^20 elements: in sequence
    for (std::size_t j = 0; j < inner; ++j) {
      T sum = in[j];
      for (std::size_t i = 1; i < n; ++i) sum = Op::template apply<T>(sum, in[i * inner + j]);
      out[j] = sum;
    }
    return;
  }
  T column[columns];
  const std::size_t width = inner == 1 ? std::max<std::size_t>(1, capacity / ((groups + 1) / 2)) : 1;
  for (std::size_t j = 0; j < inner; ++j) {
    for (std::size_t c = 0; c < columns; c += width)
      fold_rows<Op, T>(in + c * inner + j, groups, columns * inner, std::min(width, columns - c), scratch,
                       column + c);
    out[j] = fold_row<Op, T>(column, columns, scratch);
  }
}

template <typename Op, typename T>
void reduce_axis(const void* pin, void* pout, AxisShape shape) {
  const T* in = static_cast<const T*>(pin);
  T* out = static_cast<T*>(pout);
  const std::size_t n = shape.n, inner = shape.inner;
  if (inner == 1 && n <= 16 && (n & (n - 1)) == 0) {
    for (std::size_t r = 0; r < shape.outer; ++r) out[r] = fold_few<Op, T>(in + r * n, n);
    return;
  }
  alignas(64) T scratch[scratch_bytes / sizeof(T)];
  constexpr std::size_t capacity = scratch_bytes / sizeof(T);
  const bool power = n > 16 && (n & (n - 1)) == 0;
  const std::size_t half = (n + 1) / 2;
  for (std::size_t o = 0; o < shape.outer; ++o, in += n * inner, out += inner) {
    if (half > capacity) {
      fold_long<Op, T>(in, n, inner, scratch, out);
    } else if (inner == 1 && power) {
      *out = fold_row<Op, T>(in, n, scratch);
    } else {
      const std::size_t strip = std::max<std::size_t>(1, capacity / half);
      for (std::size_t j = 0; j < inner; j += strip)
        fold_rows<Op, T>(in + j, n, inner, std::min(strip, inner - j), scratch, out + j);
    }
  }
}

// Scan of 16 elements in registers; element i lies at [i * Step] of both.
template <typename Op, typename T, int Step>
inline void scan_sixteen(const T* from, T* to) {
  T value[16];
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) value[i] = from[i * Step];
#pragma GCC unroll 4
  for (int step = 1; step < 16; step *= 2)
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i)
      if (i & step) value[i] = Op::template apply<T>(value[(i & ~(step - 1)) - 1], value[i]);
#pragma GCC unroll 16
  for (int i = 0; i < 16; ++i) to[i * Step] = value[i];
}

#if KGB_ISA_LEVEL == 3
// The same for f32 in one register, lane i the element i.
template <typename Op>
inline __m512 scan_lanes(__m512 x) {
  constexpr __mmask16 every = 0xFFFF;
  const auto level = [&](__mmask16 takers, __m512i from) {
    const __m512 left = _mm512_maskz_permutexvar_ps(every, from, x);
    x = _mm512_mask_mov_ps(x, takers, Op::template apply<__m512>(left, x));
  };
  level(0xAAAA, _mm512_setr_epi32(0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10, 10, 12, 12, 14, 14));
  level(0xCCCC, _mm512_setr_epi32(0, 1, 1, 1, 4, 5, 5, 5, 8, 9, 9, 9, 12, 13, 13, 13));
  level(0xF0F0, _mm512_setr_epi32(0, 1, 2, 3, 3, 3, 3, 3, 8, 9, 10, 11, 11, 11, 11, 11));
  level(0xFF00, _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7));
  return x;
}
template <typename Op, int Step>
inline void scan_sixteen_f32(const float* from, float* to) {
  constexpr __mmask16 every = 0xFFFF;
  if constexpr (Step > 0) {
    _mm512_storeu_ps(to, scan_lanes<Op>(_mm512_loadu_ps(from)));
  } else {
    const __m512i turn = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512 x = _mm512_maskz_permutexvar_ps(every, turn, _mm512_loadu_ps(from - 15));
    _mm512_storeu_ps(to - 15, _mm512_maskz_permutexvar_ps(every, turn, scan_lanes<Op>(x)));
  }
}
#endif

// The first levels of a scan of n elements, a multiple of 16: from `in` to `out`, which may be the same.
template <typename Op, typename T>
inline void scan_sixteens(const T* in, T* out, std::size_t n, bool reverse) {
  for (std::size_t i = 0; i < n; i += 16) {
    const std::size_t at = reverse ? n - 1 - i : i;
#if KGB_ISA_LEVEL == 3
    if constexpr (std::is_same_v<T, float> && (std::is_same_v<Op, AddF> || std::is_same_v<Op, MulF>)) {
      reverse ? scan_sixteen_f32<Op, -1>(in + at, out + at) : scan_sixteen_f32<Op, 1>(in + at, out + at);
      continue;
    }
#endif
    reverse ? scan_sixteen<Op, T, -1>(in + at, out + at) : scan_sixteen<Op, T, 1>(in + at, out + at);
  }
}

// The levels of the tree from `step` on; element (row) i of the scan is row i or, reversed, row n - 1 - i.
template <typename Op, typename T>
void scan_levels(T* data, std::size_t n, std::size_t inner, bool reverse, std::size_t step) {
  for (; step < n; step *= 2) {
    for (std::size_t start = 0; start + step < n; start += 2 * step) {
      const std::size_t count = std::min(step, n - start - step);
      const std::size_t total = reverse ? n - start - step : start + step - 1;
      const std::size_t first = reverse ? n - start - step - count : start + step;
      if (inner == 1) {
        const T left = data[total];
        T* right = data + first;
        KGB_INDEPENDENT
        for (std::size_t i = 0; i < count; ++i) right[i] = Op::template apply<T>(left, right[i]);
        continue;
      }
      for (std::size_t r = first; r < first + count; ++r)
        combine<Op, T>(data + total * inner, data + r * inner, data + r * inner, inner);
    }
  }
}

template <typename Op, typename T>
void scan_axis(const void* pin, void* pout, AxisShape shape, bool reverse) {
  const T* in = static_cast<const T*>(pin);
  T* out = static_cast<T*>(pout);
  const std::size_t n = shape.n, block = n * shape.inner;
  const bool sixteens = shape.inner == 1 && n % 16 == 0;
  if (!sixteens && pin != pout) std::copy_n(in, shape.outer * block, out);
  for (std::size_t o = 0; o < shape.outer; ++o, in += block, out += block) {
    if (sixteens) scan_sixteens<Op, T>(in, out, n, reverse);
    scan_levels<Op, T>(out, n, shape.inner, reverse, sixteens ? 16 : 1);
  }
}

struct AxisKernels {
  Reducer reduce;
  Scanner scan;
};

template <typename Op, typename T>
AxisKernels axis_of() {
  return {{&reduce_axis<Op, T>}, {&scan_axis<Op, T>}};
}

// Narrow types gain little from wider registers here (tl.sum widens them first) and double the time of
// compilation: each is made for the lowest instruction set that it needs, and `axis_kernels` of a higher one
// is empty for it.
template <typename Op>
AxisKernels float_axis(DType dtype) {
  switch (dtype) {
#if KGB_ISA_LEVEL < 3
    case DType::f16:
      return axis_of<OnBits<Op, NarrowF16>, std::uint16_t>();
    case DType::bf16:
      return axis_of<OnBits<Op, NarrowBF16>, std::uint16_t>();
#endif
    case DType::f32:
      return axis_of<Op, float>();
    case DType::f64:
      return axis_of<Op, double>();
    default:
      return {};
  }
}

template <typename Op>
AxisKernels int_axis(DType dtype) {
  switch (dtype) {
#if KGB_ISA_LEVEL == 0
    case DType::u8:
    case DType::i8:
      return axis_of<Op, std::uint8_t>();
    case DType::u16:
    case DType::i16:
      return axis_of<Op, std::uint16_t>();
#endif
    case DType::u32:
    case DType::i32:
      return axis_of<Op, std::uint32_t>();
    case DType::u64:
    case DType::i64:
      return axis_of<Op, std::uint64_t>();
    default:
      return {};
  }
}

#if KGB_ISA_LEVEL == 0
// i1: see bool_kernel in elementwise_kernels.hpp for why the signed minimum is "or".
AxisKernels bool_axis(BinaryOp op) {
  switch (op) {
    case BinaryOp::addi:
    case BinaryOp::xori:
      return axis_of<XorI, std::uint8_t>();
    case BinaryOp::muli:
    case BinaryOp::andi:
    case BinaryOp::minui:
    case BinaryOp::maxsi:
      return axis_of<AndI, std::uint8_t>();
    case BinaryOp::ori:
    case BinaryOp::maxui:
    case BinaryOp::minsi:
      return axis_of<OrI, std::uint8_t>();
    default:
      return {};
  }
}

#endif

AxisKernels axis_kernels(BinaryOp op, DType dtype) {
#if KGB_ISA_LEVEL == 0
  if (dtype == DType::b8) return bool_axis(op);
#endif
  switch (op) {
    case BinaryOp::addf:
      return float_axis<AddF>(dtype);
    case BinaryOp::mulf:
      return float_axis<MulF>(dtype);
    case BinaryOp::minnumf:
      return float_axis<MinNumF>(dtype);
    case BinaryOp::maxnumf:
      return float_axis<MaxNumF>(dtype);
    case BinaryOp::minimumf:
      return float_axis<MinimumF>(dtype);
    case BinaryOp::maximumf:
      return float_axis<MaximumF>(dtype);
    case BinaryOp::addi:
      return int_axis<AddI>(dtype);
    case BinaryOp::muli:
      return int_axis<MulI>(dtype);
    case BinaryOp::andi:
      return int_axis<AndI>(dtype);
    case BinaryOp::ori:
      return int_axis<OrI>(dtype);
    case BinaryOp::xori:
      return int_axis<XorI>(dtype);
    case BinaryOp::minsi:
      return int_axis<MinSI>(dtype);
    case BinaryOp::maxsi:
      return int_axis<MaxSI>(dtype);
    case BinaryOp::minui:
      return int_axis<MinUI>(dtype);
    case BinaryOp::maxui:
      return int_axis<MaxUI>(dtype);
    default:
      return {};
  }
}

}  // namespace
