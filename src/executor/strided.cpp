// SPDX-License-Identifier: Apache-2.0
// Walks over strided views, dimensions merged and ordered so that the inner loop is as long and as local as
// can be.
#include "executor/strided.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "executor/cast.hpp"

namespace kgb::executor {
namespace {

struct Dim {
  std::int64_t extent, dst, src;  // strides in bytes
};

// Dimensions from the outermost to the innermost, those of extent 1 left out, neighbours merged.
std::vector<Dim> plan_dims(const Strided& dst, const Strided& src) {
  const auto dst_size = static_cast<std::int64_t>(size_of(dst.dtype)),
             src_size = static_cast<std::int64_t>(size_of(src.dtype));
  std::vector<Dim> dims;
  for (std::size_t d = 0; d < dst.shape.size(); ++d)
    if (dst.shape[d] != 1)
      dims.push_back({dst.shape[d], dst.strides[d] * dst_size, src.strides[d] * src_size});
  std::stable_sort(dims.begin(), dims.end(),
                   [](const Dim& a, const Dim& b) { return std::abs(a.dst) > std::abs(b.dst); });
  std::vector<Dim> merged;
  for (const Dim& dim : dims) {
    if (!merged.empty() && merged.back().dst == dim.extent * dim.dst &&
        merged.back().src == dim.extent * dim.src) {
      merged.back() = {merged.back().extent * dim.extent, dim.dst, dim.src};
    } else {
      merged.push_back(dim);
    }
  }
  return merged;
}

void copy_disjoint(const Strided& dst, const Strided& src) {
  if (dst.numel() == 0) return;
  std::vector<Dim> dims = plan_dims(dst, src);
  Dim inner{1, 0, 0};
  if (!dims.empty()) {
    inner = dims.back();
    dims.pop_back();
  }
  std::vector<std::int64_t> position(dims.size(), 0);
  Run run{dst.data, src.data, inner.extent, inner.dst, inner.src};
  while (true) {
    cast_run(dst.dtype, src.dtype, run, {src.conj, src.neg});
    std::size_t d = dims.size();
    while (d > 0) {
      const Dim& dim = dims[--d];
      run.dst += dim.dst;
      run.src += dim.src;
      if (++position[d] < dim.extent) break;
      position[d] = 0;
      run.dst -= dim.dst * dim.extent;
      run.src -= dim.src * dim.extent;
      if (d == 0) return;
    }
    if (dims.empty()) return;
  }
}

bool memory_overlaps(const Strided& a, const Strided& b) {
  const Extent x = extent_of(a.dtype, a.shape, a.strides), y = extent_of(b.dtype, b.shape, b.strides);
  return a.data + x.low < b.data + y.high && b.data + y.low < a.data + x.high;
}

// Copies one wide value into the element of dst at `index` of its only or of two dimensions.
class ConstantWriter {
 public:
  explicit ConstantWriter(const Strided& dst) : dst_(dst) {}
  template <typename Wide>
  void put(std::int64_t offset_elements, Wide value) const {
    Run run;
    run.dst = dst_.data + offset_elements * static_cast<std::int64_t>(size_of(dst_.dtype));
    run.src = reinterpret_cast<const std::byte*>(&value);
    run.n = 1;
    cast_run(dst_.dtype, std::is_same_v<Wide, double> ? DType::f64 : DType::i64, run, {});
  }

 private:
  const Strided& dst_;
};

void make_linspace(const Strided& dst, double start, double end) {
  // From both ends, as torch does, so that the last element is `end` exactly. Computed in the result's
  // precision.
  const ConstantWriter writer(dst);
  const std::int64_t n = dst.shape[0];
  const bool single = dst.dtype != DType::f64;
  const double step = n > 1 ? (end - start) / static_cast<double>(n - 1) : 0;
  const float step32 =
      n > 1 ? (static_cast<float>(end) - static_cast<float>(start)) / static_cast<float>(n - 1) : 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const bool front = i < n / 2 || n == 1;
    const std::int64_t k = front ? i : n - 1 - i;
    double value = front ? start + step * static_cast<double>(k) : end - step * static_cast<double>(k);
    if (single && is_float(dst.dtype)) {
      const float wide = step32 * static_cast<float>(k);
      value = front ? static_cast<float>(start) + wide : static_cast<float>(end) - wide;
    }
    writer.put(i * dst.strides[0], value);
  }
}

void make_triangle(const Strided& dst, bool lower, std::int64_t rows, std::int64_t columns,
                   std::int64_t offset) {
  const ConstantWriter writer(dst);
  std::int64_t k = 0;
  const std::int64_t n = dst.shape[1];
  for (std::int64_t r = 0; r < rows && k < n; ++r) {
    const std::int64_t first = lower ? 0 : std::clamp<std::int64_t>(r + offset, 0, columns);
    const std::int64_t last = lower ? std::clamp<std::int64_t>(r + offset + 1, 0, columns) : columns;
    for (std::int64_t c = first; c < last && k < n; ++c, ++k) {
      writer.put(k * dst.strides[1], r);
      writer.put(dst.strides[0] + k * dst.strides[1], c);
    }
  }
}

}  // namespace

std::int64_t Strided::numel() const {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  return n;
}

std::vector<std::int64_t> contiguous_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= std::max<std::int64_t>(shape[d], 1);
  }
  return strides;
}

Extent extent_of(DType dtype, std::span<const std::int64_t> shape, std::span<const std::int64_t> strides) {
  Extent extent;
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0) return {};
    const std::int64_t reach = (shape[d] - 1) * strides[d] * size;
    (reach < 0 ? extent.low : extent.high) += reach;
  }
  extent.high += size;
  return extent;
}

void copy_strided(const Strided& dst, const Strided& src) {
  if (dst.numel() == 0) return;
  if (!memory_overlaps(dst, src)) return copy_disjoint(dst, src);
  std::vector<std::byte> away(static_cast<std::size_t>(src.numel()) * size_of(src.dtype));
  const Strided held{away.data(), src.dtype, src.shape, contiguous_strides(src.shape)};
  Strided plain = src;
  plain.conj = plain.neg = false;
  copy_disjoint(held, plain);
  Strided flagged = held;
  flagged.conj = src.conj;
  flagged.neg = src.neg;
  copy_disjoint(dst, flagged);
}

void fill_strided(const Strided& dst, std::span<const std::byte> value) {
  std::vector<std::byte> element(value.begin(), value.end());
  const Strided one{element.data(), dst.dtype, dst.shape, std::vector<std::int64_t>(dst.shape.size(), 0)};
  const auto first = value.front();
  const bool uniform = std::all_of(value.begin(), value.end(), [&](std::byte b) { return b == first; });
  const Extent extent = extent_of(dst.dtype, dst.shape, dst.strides);
  const auto bytes = dst.numel() * static_cast<std::int64_t>(size_of(dst.dtype));
  if (uniform && extent.high - extent.low == bytes) {  // dense: no gaps to leave alone
    std::memset(dst.data + extent.low, std::to_integer<int>(first), static_cast<std::size_t>(bytes));
    return;
  }
  copy_disjoint(dst, one);
}

void make_constant(const Strided& dst, std::string_view kind, std::span<const double> params) {
  const ConstantWriter writer(dst);
  if (kind == "arange") {
    const bool whole = params[0] == std::floor(params[0]) && params[1] == std::floor(params[1]) &&
                       std::abs(params[0]) < 0x1p53 && std::abs(params[1]) < 0x1p53 && !is_float(dst.dtype);
    for (std::int64_t i = 0; i < dst.shape[0]; ++i) {
      if (whole) {
        const auto step = static_cast<std::uint64_t>(static_cast<std::int64_t>(params[1]));  // may wrap
        const auto start = static_cast<std::uint64_t>(static_cast<std::int64_t>(params[0]));
        writer.put(i * dst.strides[0],
                   static_cast<std::int64_t>(start + static_cast<std::uint64_t>(i) * step));
      } else {
        writer.put(i * dst.strides[0], params[0] + static_cast<double>(i) * params[1]);
      }
    }
  } else if (kind == "linspace") {
    make_linspace(dst, params[0], params[1]);
  } else if (kind == "eye") {
    std::vector<std::byte> zero(size_of(dst.dtype));
    fill_strided(dst, zero);
    for (std::int64_t i = 0; i < std::min(dst.shape[0], dst.shape[1]); ++i)
      writer.put(i * (dst.strides[0] + dst.strides[1]), std::int64_t{1});
  } else {
    make_triangle(dst, kind == "tril_indices", static_cast<std::int64_t>(params[0]),
                  static_cast<std::int64_t>(params[1]), static_cast<std::int64_t>(params[2]));
  }
}

}  // namespace kgb::executor
