// SPDX-License-Identifier: Apache-2.0
// Copies between a contiguous tile and a strided view of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kgb::vm {

// Drops dimensions of size 1 and joins neighbours that one stride walks; at least one dimension remains.
void collapse(std::vector<std::int64_t>& sizes, std::vector<std::int64_t>& strides);

// out, contiguous with dimensions `sizes`, becomes in[sum of i[d] * strides[d]]; strides in elements of
// `bytes`.
void copy_strided(std::byte* out, const std::byte* in, std::size_t bytes, std::span<const std::int64_t> sizes,
                  std::span<const std::int64_t> strides);

// Exchanges the two halves of each of `pairs` blocks of 2 * half bytes. Buffers do not overlap.
void swap_halves(std::byte* out, const std::byte* in, std::size_t half, std::size_t pairs);

// out[i][j] = the 4-byte element i of the row at in + j * step, rows x columns of them. False, with nothing
// done, where the sizes or the processor do not suit.
bool transpose_words(std::byte* out, const std::byte* in, std::int64_t rows, std::int64_t columns,
                     std::int64_t step);

}  // namespace kgb::vm
