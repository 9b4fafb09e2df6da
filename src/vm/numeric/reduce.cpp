// SPDX-License-Identifier: Apache-2.0
// Tree reductions and scans built from the two-operand kernels.
#include "vm/numeric/reduce.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kgb::vm::numeric {
namespace {

using Byte = unsigned char;

// Scratch for one tree: no allocation, so large inputs are cut into strips that fit.
constexpr std::size_t scratch_bytes = 32768;

// rows x width (row distance `pitch` elements) folded to one row in `out`; rows/2 * width fits the scratch.
void fold_rows(const BinaryKernel& op, std::size_t bytes, const Byte* in, std::size_t rows, std::size_t pitch,
               std::size_t width, Byte* scratch, Byte* out) {
  if (rows == 1) {
    std::memcpy(out, in, width * bytes);
    return;
  }
  std::size_t half = (rows + 1) / 2;
  if (pitch == width) {
    op.vv(in, in + half * width * bytes, scratch, (rows - half) * width);
  } else {
    for (std::size_t r = 0; r + half < rows; ++r)
      op.vv(in + r * pitch * bytes, in + (r + half) * pitch * bytes, scratch + r * width * bytes, width);
  }
  if (half * 2 != rows)
    std::memcpy(scratch + (half - 1) * width * bytes, in + (half - 1) * pitch * bytes, width * bytes);
  while (half > 1) {
    const std::size_t next = (half + 1) / 2;
    op.vv(scratch, scratch + next * width * bytes, scratch, (half - next) * width);
    half = next;
  }
  std::memcpy(out, scratch, width * bytes);
}

void reduce_one(const BinaryKernel& op, std::size_t bytes, const Byte* in, std::size_t n, std::size_t inner,
                Byte* out) {
  alignas(64) Byte scratch[scratch_bytes];
  const std::size_t capacity = scratch_bytes / bytes;
  const std::size_t rows = (n + 1) / 2;
  if (rows <= capacity) {
    const std::size_t strip = std::max<std::size_t>(1, capacity / rows);
    for (std::size_t j = 0; j < inner; j += strip)
      fold_rows(op, bytes, in + j * bytes, n, inner, std::min(strip, inner - j), scratch, out + j * bytes);
    return;
  }
  // The tree of a long axis: first fold n = groups * columns over the groups, then the columns that are left.
  alignas(64) Byte column[scratch_bytes];
  const std::size_t columns = n % 1024 == 0 && n / 2048 <= capacity ? 1024 : 1;
  for (std::size_t j = 0; j < inner; ++j) {
    if (columns == 1) {  // beyond Triton's limits of 2^20 elements: fold in sequence
      std::memcpy(out + j * bytes, in + j * bytes, bytes);
      for (std::size_t i = 1; i < n; ++i)
        op.vv(out + j * bytes, in + (i * inner + j) * bytes, out + j * bytes, 1);
      continue;
    }
    const std::size_t groups = n / columns;
    const std::size_t width = std::max<std::size_t>(1, capacity / ((groups + 1) / 2));
    if (inner == 1) {
      for (std::size_t c = 0; c < columns; c += width)
        fold_rows(op, bytes, in + c * bytes, groups, columns, std::min(width, columns - c), scratch,
                  column + c * bytes);
    } else {
      for (std::size_t c = 0; c < columns; ++c)
        fold_rows(op, bytes, in + (c * inner + j) * bytes, groups, columns * inner, 1, scratch,
                  column + c * bytes);
    }
    fold_rows(op, bytes, column, columns, 1, 1, scratch, out + j * bytes);
  }
}

void run_reduce(BinaryKernel op, std::size_t bytes, const void* in, void* out, AxisShape shape) {
  const Byte* source = static_cast<const Byte*>(in);
  Byte* target = static_cast<Byte*>(out);
  for (std::size_t o = 0; o < shape.outer; ++o)
    reduce_one(op, bytes, source + o * shape.n * shape.inner * bytes, shape.n, shape.inner,
               target + o * shape.inner * bytes);
}

// Level by level: in blocks of 2*step, the last element (row) of the left half goes onto the right half.
void scan_one(const BinaryKernel& op, std::size_t bytes, Byte* data, std::size_t n, std::size_t inner,
              bool reverse) {
  for (std::size_t step = 1; step < n; step *= 2) {
    for (std::size_t start = 0; start + step < n; start += 2 * step) {
      const std::size_t count = std::min(step, n - start - step);
      // Reversed, element i of the scan lies at n - 1 - i: the right half is then the lower block.
      const std::size_t total = reverse ? n - start - step : start + step - 1;
      const std::size_t first = reverse ? n - start - step - count : start + step;
      if (inner == 1) {
        op.sv(data + total * bytes, data + first * bytes, data + first * bytes, count);
        continue;
      }
      for (std::size_t r = 0; r < count; ++r) {
        Byte* row = data + (first + r) * inner * bytes;
        op.vv(data + total * inner * bytes, row, row, inner);
      }
    }
  }
}

void run_scan(BinaryKernel op, std::size_t bytes, const void* in, void* out, AxisShape shape, bool reverse) {
  Byte* target = static_cast<Byte*>(out);
  const std::size_t block = shape.n * shape.inner;
  if (in != out) std::memcpy(out, in, shape.outer * block * bytes);
  for (std::size_t o = 0; o < shape.outer; ++o)
    scan_one(op, bytes, target + o * block * bytes, shape.n, shape.inner, reverse);
}

}  // namespace

Reducer reducer(BinaryOp op, DType dtype) {
  const BinaryKernel kernel = binary(op, dtype);
  if (!kernel) return {};
  return {&run_reduce, kernel, size_of(dtype)};
}

Scanner scanner(BinaryOp op, DType dtype) {
  const BinaryKernel kernel = binary(op, dtype);
  if (!kernel) return {};
  return {&run_scan, kernel, size_of(dtype)};
}

}  // namespace kgb::vm::numeric
