// SPDX-License-Identifier: Apache-2.0
// Strided copies: the two innermost dimensions in tight loops, those outside by counters.
#include "vm/strided.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kgb::vm {

void collapse(std::vector<std::int64_t>& sizes, std::vector<std::int64_t>& strides) {
  std::vector<std::int64_t> new_sizes, new_strides;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    if (!new_sizes.empty() && new_strides.back() == strides[d] * sizes[d]) {
      new_sizes.back() *= sizes[d];
      new_strides.back() = strides[d];
      continue;
    }
    new_sizes.push_back(sizes[d]);
    new_strides.push_back(strides[d]);
  }
  if (new_sizes.empty()) {
    new_sizes.push_back(1);
    new_strides.push_back(0);
  }
  sizes = std::move(new_sizes);
  strides = std::move(new_strides);
}

namespace {

// Rows of one repeated element each. The wide version is the same loop with wide stores.
template <typename T>
inline __attribute__((always_inline)) void repeat_loop(T* __restrict out, const T* __restrict in,
                                                       std::int64_t rows, std::int64_t columns,
                                                       std::int64_t row_stride) {
  for (std::int64_t i = 0; i < rows; ++i, out += columns) {
    const T value = in[i * row_stride];
    for (std::int64_t j = 0; j < columns; ++j) out[j] = value;
  }
}

#if defined(__x86_64__)
template <typename T>
__attribute__((target("avx2"))) void repeat_wide(T* __restrict out, const T* __restrict in, std::int64_t rows,
                                                 std::int64_t columns, std::int64_t row_stride) {
  repeat_loop(out, in, rows, columns, row_stride);
}
#endif

template <typename T>
void repeat_rows(T* __restrict out, const T* __restrict in, std::int64_t rows, std::int64_t columns,
                 std::int64_t row_stride) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide) return repeat_wide(out, in, rows, columns, row_stride);
#endif
  repeat_loop(out, in, rows, columns, row_stride);
}

}  // namespace

bool transpose_words([[maybe_unused]] std::byte* out, [[maybe_unused]] const std::byte* in,
                     [[maybe_unused]] std::int64_t rows, [[maybe_unused]] std::int64_t columns,
                     [[maybe_unused]] std::int64_t step) {
#if defined(__x86_64__)
  if (rows % 4 != 0 || columns % 4 != 0) return false;
  const std::int64_t width = columns * 4;
  const auto load = [](const std::byte* at) { return _mm_loadu_ps(reinterpret_cast<const float*>(at)); };
  const auto store = [](std::byte* at, __m128 row) { _mm_storeu_ps(reinterpret_cast<float*>(at), row); };
  for (std::int64_t jj = 0; jj < columns; jj += 16)  // a cache line of the result
    for (std::int64_t i = 0; i < rows; i += 4)
      for (std::int64_t j = jj; j < std::min(jj + 16, columns); j += 4) {
        const std::byte* from = in + i * 4 + j * step;
        __m128 a = load(from), b = load(from + step);
        __m128 c = load(from + 2 * step), d = load(from + 3 * step);
        _MM_TRANSPOSE4_PS(a, b, c, d);
        std::byte* to = out + i * width + j * 4;
        store(to, a);
        store(to + width, b);
        store(to + 2 * width, c);
        store(to + 3 * width, d);
      }
  return true;
#else
  return false;
#endif
}

namespace {

// rows x columns; each case has its own loop so that the vectoriser sees constant steps.
template <typename T>
void copy_plane(T* __restrict out, const T* __restrict in, std::int64_t rows, std::int64_t columns,
                std::int64_t row_stride, std::int64_t stride) {
  if (columns == 2 && stride == 0 && row_stride == 1) {
    for (std::int64_t i = 0; i < rows; ++i) out[2 * i] = out[2 * i + 1] = in[i];
    return;
  }
  if (stride == 0 && columns >= 16) return repeat_rows(out, in, rows, columns, row_stride);
  if constexpr (sizeof(T) == 4) {
    if (row_stride == 1 && columns >= 4 &&
        transpose_words(reinterpret_cast<std::byte*>(out), reinterpret_cast<const std::byte*>(in), rows,
                        columns, stride * static_cast<std::int64_t>(sizeof(T))))
      return;
  }
  if (row_stride == 1 && columns >= 16) {  // a transposition: blocks keep both sides in the cache
    for (std::int64_t jj = 0; jj < columns; jj += 16)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = jj; j < (jj + 16 < columns ? jj + 16 : columns); ++j)
          out[i * columns + j] = in[i + j * stride];
    return;
  }
  for (std::int64_t i = 0; i < rows; ++i, out += columns, in += row_stride) {
    if (stride == 1) {
      if (columns >= 8)
        std::memcpy(out, in, static_cast<std::size_t>(columns) * sizeof(T));
      else
        for (std::int64_t j = 0; j < columns; ++j) out[j] = in[j];
    } else if (stride == 0) {
      const T value = *in;
      for (std::int64_t j = 0; j < columns; ++j) out[j] = value;
    } else {
      for (std::int64_t j = 0; j < columns; ++j) out[j] = in[j * stride];
    }
  }
}

template <typename T>
void copy_all(std::byte* out_bytes, const std::byte* in_bytes, std::span<const std::int64_t> sizes,
              std::span<const std::int64_t> strides) {
  T* out = reinterpret_cast<T*>(out_bytes);
  const T* in = reinterpret_cast<const T*>(in_bytes);
  const std::size_t rank = sizes.size();
  const std::int64_t columns = sizes[rank - 1], stride = strides[rank - 1];
  if (rank == 1) return copy_plane(out, in, 1, columns, 0, stride);
  const std::int64_t rows = sizes[rank - 2], row_stride = strides[rank - 2];
  std::array<std::int64_t, 32> at{};
  std::int64_t offset = 0;
  while (true) {
    copy_plane(out, in + offset, rows, columns, row_stride, stride);
    out += rows * columns;
    auto d = static_cast<std::ptrdiff_t>(rank) - 3;
    for (; d >= 0; --d) {
      const auto e = static_cast<std::size_t>(d);
      offset += strides[e];
      if (++at[e] < sizes[e]) break;
      offset -= strides[e] * sizes[e];
      at[e] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace

void copy_strided(std::byte* out, const std::byte* in, std::size_t bytes, std::span<const std::int64_t> sizes,
                  std::span<const std::int64_t> strides) {
  switch (bytes) {
    case 1:
      return copy_all<std::uint8_t>(out, in, sizes, strides);
    case 2:
      return copy_all<std::uint16_t>(out, in, sizes, strides);
    case 4:
      return copy_all<std::uint32_t>(out, in, sizes, strides);
    default:
      return copy_all<std::uint64_t>(out, in, sizes, strides);
  }
}

namespace {

template <typename Block>
void rotate_blocks(std::byte* out, const std::byte* in, std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; ++i) {
    Block block;
    std::memcpy(&block, in + i * sizeof block, sizeof block);
    block = static_cast<Block>(block << (4 * sizeof block) | block >> (4 * sizeof block));
    std::memcpy(out + i * sizeof block, &block, sizeof block);
  }
}

template <std::size_t Half>
void swap_fixed(std::byte* out, const std::byte* in, std::size_t pairs) {
  for (std::size_t i = 0; i < pairs; ++i, out += 2 * Half, in += 2 * Half) {
    std::memcpy(out, in + Half, Half);
    std::memcpy(out + Half, in, Half);
  }
}

}  // namespace

void swap_halves(std::byte* out, const std::byte* in, std::size_t half, std::size_t pairs) {
  switch (half) {
    case 1:
      return rotate_blocks<std::uint16_t>(out, in, pairs);
    case 2:
      return rotate_blocks<std::uint32_t>(out, in, pairs);
    case 4:
      return rotate_blocks<std::uint64_t>(out, in, pairs);
    case 8:
      return swap_fixed<8>(out, in, pairs);
    case 16:
      return swap_fixed<16>(out, in, pairs);
    case 32:
      return swap_fixed<32>(out, in, pairs);
    default:
      for (std::size_t i = 0; i < pairs; ++i, out += 2 * half, in += 2 * half) {
        std::memcpy(out, in + half, half);
        std::memcpy(out + half, in, half);
      }
  }
}

}  // namespace kgb::vm
