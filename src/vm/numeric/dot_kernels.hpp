// SPDX-License-Identifier: Apache-2.0
// Register-blocked matrix product. Included per instruction set (see for_each_isa.hpp).
namespace {

// The block shapes are per instruction set: a block that needs more registers than there are spills, and a
// 64-column block on AVX2 runs 25 times slower. `rows` by two vectors, and six by four where `wide` (32
// registers): four by four reaches four fifths of that. Columns are powers of two because Triton's tiles are.
#if KGB_ISA_LEVEL == 3
struct VecF32 {
  using Lane = float;
  using V = __m512;
  static constexpr int lanes = 16, rows = 8;
  static constexpr bool wide = true;
  static V load(const float* p) { return _mm512_loadu_ps(p); }
  static void store(float* p, V v) { _mm512_storeu_ps(p, v); }
  static V broadcast(float x) { return _mm512_set1_ps(x); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
};
struct VecF64 {
  using Lane = double;
  using V = __m512d;
  static constexpr int lanes = 8, rows = 8;
  static constexpr bool wide = true;
  static V load(const double* p) { return _mm512_loadu_pd(p); }
  static void store(double* p, V v) { _mm512_storeu_pd(p, v); }
  static V broadcast(double x) { return _mm512_set1_pd(x); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
};
#elif KGB_ISA_LEVEL == 2
struct VecF32 {
  using Lane = float;
  using V = __m256;
  static constexpr int lanes = 8, rows = 6;
  static constexpr bool wide = false;
  static V load(const float* p) { return _mm256_loadu_ps(p); }
  static void store(float* p, V v) { _mm256_storeu_ps(p, v); }
  static V broadcast(float x) { return _mm256_set1_ps(x); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
};
struct VecF64 {
  using Lane = double;
  using V = __m256d;
  static constexpr int lanes = 4, rows = 6;
  static constexpr bool wide = false;
  static V load(const double* p) { return _mm256_loadu_pd(p); }
  static void store(double* p, V v) { _mm256_storeu_pd(p, v); }
  static V broadcast(double x) { return _mm256_set1_pd(x); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
};
#else
template <typename T>
struct PlainVec {
  using Lane = T;
  typedef T V __attribute__((vector_size(16)));
  static constexpr int lanes = 16 / sizeof(T), rows = 4;
  static constexpr bool wide = false;
  static V load(const T* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(T* p, V v) { std::memcpy(p, &v, sizeof v); }
  static V broadcast(T x) { return V{} + x; }
  static V fma(V a, V b, V c) { return a * b + c; }
};
using VecF32 = PlainVec<float>;
using VecF64 = PlainVec<double>;
#endif

// One element's step, the same arithmetic as a lane's.
template <typename T>
inline T fused(T a, T b, T c) {
#if KGB_ISA_LEVEL >= 2
  if constexpr (sizeof(T) == 8)
    return __builtin_fma(a, b, c);
  else
    return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// Row-major operands of one product: unit column strides, all of one lane type.
template <typename T>
struct Panel {
  const T* a;
  std::ptrdiff_t a_row;
  const T* b;
  std::ptrdiff_t b_row;
  T* c;
  std::ptrdiff_t c_row;
  std::size_t k;
};

template <typename S, int Rows, int Columns>
inline void block(const Panel<typename S::Lane>& p, std::size_t i, std::size_t j) {
  using T = typename S::Lane;
  const T* a = p.a + static_cast<std::ptrdiff_t>(i) * p.a_row;
  const T* b = p.b + j;
  T* c = p.c + static_cast<std::ptrdiff_t>(i) * p.c_row + j;
  typename S::V sum[Rows][Columns];
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
    for (int q = 0; q < Columns; ++q) sum[r][q] = S::load(c + r * p.c_row + q * S::lanes);
  for (std::size_t k = 0; k < p.k; ++k, b += p.b_row) {
    typename S::V right[Columns];
#pragma GCC unroll 16
    for (int q = 0; q < Columns; ++q) right[q] = S::load(b + q * S::lanes);
#pragma GCC unroll 16
    for (int r = 0; r < Rows; ++r) {
      const typename S::V left = S::broadcast(a[r * p.a_row + static_cast<std::ptrdiff_t>(k)]);
#pragma GCC unroll 16
      for (int q = 0; q < Columns; ++q) sum[r][q] = S::fma(left, right[q], sum[r][q]);
    }
  }
#pragma GCC unroll 16
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 16
    for (int q = 0; q < Columns; ++q) S::store(c + r * p.c_row + q * S::lanes, sum[r][q]);
}

template <typename S, int Rows, int Columns>
void strip(const Panel<typename S::Lane>& p, std::size_t m, std::size_t j) {
  std::size_t i = 0;
  // Tiles have 2^n rows. Of six at a time, two may stay over, and a row alone is slow: eight are kept for
  // fours.
  const std::size_t kept = Rows == 6 && m % 6 == 2 && m >= 8 ? 8 : 0;
  for (; i + Rows <= m - kept; i += Rows) block<S, Rows, Columns>(p, i, j);
  if constexpr (Rows > 4)
    for (; i + 4 <= m; i += 4) block<S, 4, Columns>(p, i, j);
  for (; i < m; ++i) block<S, 1, Columns>(p, i, j);
}

template <typename S>
[[gnu::noinline]] void multiply(const Panel<typename S::Lane>& p, std::size_t m, std::size_t n) {
  using T = typename S::Lane;
  std::size_t j = 0;
  if constexpr (S::wide)
    for (; j + S::lanes * 4 <= n; j += S::lanes * 4) strip<S, 6, 4>(p, m, j);
  for (; j + S::lanes * 2 <= n; j += S::lanes * 2) strip<S, S::rows, 2>(p, m, j);
  for (; j + S::lanes <= n; j += S::lanes) strip<S, 8, 1>(p, m, j);
  for (std::size_t i = 0; i < m && j < n; ++i) {
    for (std::size_t q = j; q < n; ++q) {
      T sum = p.c[static_cast<std::ptrdiff_t>(i) * p.c_row + static_cast<std::ptrdiff_t>(q)];
      for (std::size_t k = 0; k < p.k; ++k) {
        const auto kk = static_cast<std::ptrdiff_t>(k);
        sum = fused(p.a[static_cast<std::ptrdiff_t>(i) * p.a_row + kk],
                    p.b[kk * p.b_row + static_cast<std::ptrdiff_t>(q)], sum);
      }
      p.c[static_cast<std::ptrdiff_t>(i) * p.c_row + static_cast<std::ptrdiff_t>(q)] = sum;
    }
  }
}

// Loaders: n elements with a stride, starting at element `offset` of an operand, as lanes of the product.
struct LoadF32 {
  using Stored = float;
  static void row(const float* in, float* out, std::size_t n) { std::memcpy(out, in, n * sizeof(float)); }
};
template <Tf32Mode Mode>
struct LoadTf32 {
  using Stored = float;
  static void row(const float* in, float* out, std::size_t n) {
    KGB_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = to_tf32(in[i], Mode);
  }
};
template <typename Narrow>
struct LoadNarrow {
  using Stored = typename Narrow::Bits;
  static void row(const Stored* in, float* out, std::size_t n) { widen(Narrow{}, in, out, n); }
};
template <typename Int>
struct LoadInt {
  using Stored = Int;
  static void row(const Int* in, float* out, std::size_t n) {
    KGB_INDEPENDENT
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(in[i]);
  }
};
struct LoadF64 {
  using Stored = double;
  static void row(const double* in, double* out, std::size_t n) { std::memcpy(out, in, n * sizeof(double)); }
};

constexpr std::size_t block_m = 64, block_n = 256, block_k = 64;

// Four columns of `rows` lanes each, contiguous and `block_n` apart, as four-wide rows.
template <typename T>
void transpose_four(const T* in, std::size_t rows, T* out, std::size_t pitch) {
  std::size_t r = 0;
#if defined(__x86_64__)
  if constexpr (std::is_same_v<T, float>) {
    for (; r + 4 <= rows; r += 4) {
      __m128 a = _mm_loadu_ps(in + r), b = _mm_loadu_ps(in + block_n + r);
      __m128 c = _mm_loadu_ps(in + 2 * block_n + r), d = _mm_loadu_ps(in + 3 * block_n + r);
      _MM_TRANSPOSE4_PS(a, b, c, d);
      _mm_storeu_ps(out + r * pitch, a);
      _mm_storeu_ps(out + (r + 1) * pitch, b);
      _mm_storeu_ps(out + (r + 2) * pitch, c);
      _mm_storeu_ps(out + (r + 3) * pitch, d);
    }
  }
#endif
  for (; r < rows; ++r)
    for (std::size_t q = 0; q < 4; ++q) out[r * pitch + q] = in[q * block_n + r];
}

// An operand whose rows are contiguous the other way (a transposed tile): converted along memory, then
// turned.
template <typename Load, typename T>
void pack_transposed(const typename Load::Stored* in, std::ptrdiff_t column, std::size_t rows,
                     std::size_t columns, T* out, std::size_t pitch) {
  alignas(64) T lines[4 * block_n];
  std::size_t q = 0;
  for (; q + 4 <= columns; q += 4) {
    for (std::size_t i = 0; i < 4; ++i)
      Load::row(in + static_cast<std::ptrdiff_t>(q + i) * column, lines + i * block_n, rows);
    transpose_four(lines, rows, out + q, pitch);
  }
  for (; q < columns; ++q) {
    Load::row(in + static_cast<std::ptrdiff_t>(q) * column, lines, rows);
    for (std::size_t r = 0; r < rows; ++r) out[r * pitch + q] = lines[r];
  }
}

// rows x columns of an operand, converted and packed with row distance `pitch`. At most block_n of each.
template <typename Load, typename T>
void pack(const void* base, std::ptrdiff_t row, std::ptrdiff_t column, std::size_t rows, std::size_t columns,
          T* out, std::size_t pitch) {
  using Stored = typename Load::Stored;
  const Stored* in = static_cast<const Stored*>(base);
  if (column != 1 && row == 1) return pack_transposed<Load>(in, column, rows, columns, out, pitch);
  Stored line[block_n];
  for (std::size_t r = 0; r < rows; ++r) {
    const Stored* source = in + static_cast<std::ptrdiff_t>(r) * row;
    if (column != 1) {
      for (std::size_t q = 0; q < columns; ++q) line[q] = source[static_cast<std::ptrdiff_t>(q) * column];
      source = line;
    }
    Load::row(source, out + r * pitch, columns);
  }
}

template <typename Load>
const void* at(const void* base, std::ptrdiff_t offset) {
  return static_cast<const typename Load::Stored*>(base) + offset;
}

template <typename S, typename LoadA, typename LoadB>
void accumulate(const DotArgs& g, std::size_t i, std::size_t m, std::size_t j, std::size_t n, std::size_t k0,
                std::size_t k, typename S::Lane* c, std::ptrdiff_t c_row) {
  using T = typename S::Lane;
  alignas(64) T left[block_m * block_k];
  alignas(64) T right[block_k * block_n];
  const auto si = static_cast<std::ptrdiff_t>(i), sj = static_cast<std::ptrdiff_t>(j);
  const auto sk = static_cast<std::ptrdiff_t>(k0);
  // Packed tightly: rows a power of two apart would compete for the same few cache sets. The left one is
  // walked row by row, so that it may stay where it is.
  Panel<T> p{left, static_cast<std::ptrdiff_t>(k), right, static_cast<std::ptrdiff_t>(n), c, c_row, k};
  const void* a = at<LoadA>(g.a, si * g.a_row + sk * g.a_col);
  if (std::is_same_v<LoadA, LoadF32> && g.a_col == 1) {
    p.a = static_cast<const T*>(a);
    p.a_row = g.a_row;
  } else {
    pack<LoadA>(a, g.a_row, g.a_col, m, k, left, k);
  }
  pack<LoadB>(at<LoadB>(g.b, sk * g.b_row + sj * g.b_col), g.b_row, g.b_col, k, n, right, n);
  multiply<S>(p, m, n);
}

template <typename S, typename LoadA, typename LoadB>
void dot_in_place(const DotArgs& g) {
  using T = typename S::Lane;
  T* c = static_cast<T*>(g.c);
  for (std::size_t k = 0; k < g.k; k += block_k)
    for (std::size_t j = 0; j < g.n; j += block_n)
      for (std::size_t i = 0; i < g.m; i += block_m)
        accumulate<S, LoadA, LoadB>(g, i, std::min(block_m, g.m - i), j, std::min(block_n, g.n - j), k,
                                    std::min(block_k, g.k - k),
                                    c + static_cast<std::ptrdiff_t>(i) * g.c_row + j, g.c_row);
}

// f32 or f64 with unit column strides needs no packing.
template <typename S, typename Load>
void dot_direct(const DotArgs& g) {
  using T = typename S::Lane;
  if (g.a_col != 1 || g.b_col != 1) return dot_in_place<S, Load, Load>(g);
  const Panel<T> p{static_cast<const T*>(g.a),
                   g.a_row,
                   static_cast<const T*>(g.b),
                   g.b_row,
                   static_cast<T*>(g.c),
                   g.c_row,
                   g.k};
  multiply<S>(p, g.m, g.n);
}

template <typename LoadA, typename LoadB, typename NarrowC>
void dot_widened(const DotArgs& g) {
  auto* c = static_cast<typename NarrowC::Bits*>(g.c);
  alignas(64) float sums[block_m * block_n];
  for (std::size_t j = 0; j < g.n; j += block_n) {
    for (std::size_t i = 0; i < g.m; i += block_m) {
      const std::size_t m = std::min(block_m, g.m - i), n = std::min(block_n, g.n - j);
      for (std::size_t r = 0; r < m; ++r)
        widen(NarrowC{}, c + static_cast<std::ptrdiff_t>(i + r) * g.c_row + j, sums + r * block_n, n);
      for (std::size_t k = 0; k < g.k; k += block_k)
        accumulate<VecF32, LoadA, LoadB>(g, i, m, j, n, k, std::min(block_k, g.k - k), sums, block_n);
      for (std::size_t r = 0; r < m; ++r)
        narrow(NarrowC{}, sums + r * block_n, c + static_cast<std::ptrdiff_t>(i + r) * g.c_row + j, n);
    }
  }
}

// 8-bit products summed over block_k = 64 stay below 2^24, so f32 is exact; blocks are added as integers.
template <typename LoadA, typename LoadB>
void dot_int(const DotArgs& g) {
  auto* c = static_cast<std::uint32_t*>(g.c);
  alignas(64) float sums[block_m * block_n];
  for (std::size_t k = 0; k < g.k; k += block_k) {
    for (std::size_t j = 0; j < g.n; j += block_n) {
      for (std::size_t i = 0; i < g.m; i += block_m) {
        const std::size_t m = std::min(block_m, g.m - i), n = std::min(block_n, g.n - j);
        std::fill_n(sums, m * block_n, 0.0F);
        accumulate<VecF32, LoadA, LoadB>(g, i, m, j, n, k, std::min(block_k, g.k - k), sums, block_n);
        for (std::size_t r = 0; r < m; ++r) {
          std::uint32_t* row = c + static_cast<std::ptrdiff_t>(i + r) * g.c_row + j;
          const float* sum = sums + r * block_n;
          KGB_INDEPENDENT
          for (std::size_t q = 0; q < n; ++q)
            row[q] += static_cast<std::uint32_t>(static_cast<std::int32_t>(sum[q]));
        }
      }
    }
  }
}

template <typename T>
struct LoaderTag {
  using type = T;
};

template <typename Visit>
DotFn with_float_loader(DType dtype, DotPrecision precision, Visit visit) {
  switch (dtype) {
    case DType::f8e4m3:
      return visit(LoaderTag<LoadNarrow<NarrowE4M3>>{});
    case DType::f8e5m2:
      return visit(LoaderTag<LoadNarrow<NarrowE5M2>>{});
    case DType::f16:
      return visit(LoaderTag<LoadNarrow<NarrowF16>>{});
    case DType::bf16:
      return visit(LoaderTag<LoadNarrow<NarrowBF16>>{});
    case DType::f32:
      if (precision == DotPrecision::tf32_truncate) return visit(LoaderTag<LoadTf32<Tf32Mode::truncate>>{});
      if (precision == DotPrecision::tf32_nearest_away)
        return visit(LoaderTag<LoadTf32<Tf32Mode::nearest_away>>{});
      return visit(LoaderTag<LoadF32>{});
    default:
      return nullptr;
  }
}

template <typename LoadA, typename LoadB>
DotFn float_dot(DType c) {
  if (c == DType::f16) return &dot_widened<LoadA, LoadB, NarrowF16>;
  if (c == DType::bf16) return &dot_widened<LoadA, LoadB, NarrowBF16>;
  if (c != DType::f32) return nullptr;
  if constexpr (std::is_same_v<LoadA, LoadF32> && std::is_same_v<LoadB, LoadF32>)
    return &dot_direct<VecF32, LoadF32>;
  else
    return &dot_in_place<VecF32, LoadA, LoadB>;
}

DotFn int_dot(DType a, DType b) {
  const bool left_signed = a == DType::i8, right_signed = b == DType::i8;
  if (left_signed && right_signed) return &dot_int<LoadInt<std::int8_t>, LoadInt<std::int8_t>>;
  if (left_signed) return &dot_int<LoadInt<std::int8_t>, LoadInt<std::uint8_t>>;
  if (right_signed) return &dot_int<LoadInt<std::uint8_t>, LoadInt<std::int8_t>>;
  return &dot_int<LoadInt<std::uint8_t>, LoadInt<std::uint8_t>>;
}

DotFn dot_kernel(DType a, DType b, DType c, DotPrecision precision) {
  if (a == DType::f64 || b == DType::f64 || c == DType::f64)
    return a == b && b == c ? &dot_direct<VecF64, LoadF64> : nullptr;
  const bool bytes = (a == DType::i8 || a == DType::u8) && (b == DType::i8 || b == DType::u8);
  if (bytes) return c == DType::i32 ? int_dot(a, b) : nullptr;
  return with_float_loader(a, precision, [=](auto left) -> DotFn {
    using LoadA = typename decltype(left)::type;
    return with_float_loader(b, precision, [=](auto right) -> DotFn {
      return float_dot<LoadA, typename decltype(right)::type>(c);
    });
  });
}

}  // namespace
