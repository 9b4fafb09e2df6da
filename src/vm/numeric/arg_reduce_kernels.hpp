// SPDX-License-Identifier: Apache-2.0
// Trees over pairs of value and index. Included per instruction set (see for_each_isa.hpp).
namespace {

// out may be a.
template <bool Largest, bool First, typename T>
inline void pick_pairs(const T* a, const std::int32_t* ai, const T* b, const std::int32_t* bi, T* out,
                       std::int32_t* oi, std::size_t n) {
  KGB_INDEPENDENT
  for (std::size_t k = 0; k < n; ++k) {
    const T x = a[k], y = b[k];
    const std::int32_t i = ai[k], j = bi[k];
    const bool beyond = Largest ? x > y : x < y;
    const bool left = First ? beyond | ((x == y) & (i < j)) : beyond;
    out[k] = left ? x : y;
    oi[k] = left ? i : j;
  }
}

// As fold_pages of reduce_kernels.hpp: the two halves of a long row are read side by side, which the
// processor does not prefetch well, so the row after it is fetched meanwhile.
template <bool Largest, bool First, typename T>
inline void pick_pages(const T* in, const std::int32_t* indices, std::size_t half, T* value,
                       std::int32_t* index) {
  constexpr std::size_t step = 1024 / sizeof(T);
  auto next = reinterpret_cast<std::uintptr_t>(in + 2 * half);
  for (std::size_t k = 0; k < half; k += step) {
    for (const std::uintptr_t end = next + 2048; next != end; next += 64)
      __builtin_prefetch(reinterpret_cast<const void*>(next), 0, 2);
    pick_pairs<Largest, First, T>(in + k, indices + k, in + half + k, indices + half + k, value + k,
                                  index + k, std::min(step, half - k));
  }
}

template <bool Largest, bool First, typename T>
void arg_reduce_axis(const void* values, const std::int32_t* indices, void* value, std::int32_t* index,
                     AxisShape shape, void* scratch) {
  const T* in = static_cast<const T*>(values);
  T* out = static_cast<T*>(value);
  const std::size_t inner = shape.inner, kept = (shape.n + 1) / 2 * inner;
  T* const best = static_cast<T*>(scratch);
  auto* const where = reinterpret_cast<std::int32_t*>(best + kept);
  for (std::size_t o = 0; o < shape.outer; ++o) {
    std::size_t rest = shape.n - shape.n / 2, half = shape.n / 2;  // the first `rest` stay
    if (rest == half && half * inner * sizeof(T) >= 4096)
      pick_pages<Largest, First, T>(in, indices, half * inner, best, where);
    else
      pick_pairs<Largest, First, T>(in, indices, in + rest * inner, indices + rest * inner, best, where,
                                    half * inner);
    if (rest != half) {
      std::copy_n(in + half * inner, inner, best + half * inner);
      std::copy_n(indices + half * inner, inner, where + half * inner);
    }
    for (std::size_t n = rest; n > 1; n = rest) {
      half = n / 2;
      rest = n - half;
      pick_pairs<Largest, First, T>(best, where, best + rest * inner, where + rest * inner, best, where,
                                    half * inner);
    }
    std::copy_n(best, inner, out + o * inner);
    std::copy_n(where, inner, index + o * inner);
    in += shape.n * inner;
    indices += shape.n * inner;
  }
}

template <typename T>
ArgReducer arg_kernel_of(ArgOrder order) {
  if (order.first)
    return {order.largest ? &arg_reduce_axis<true, true, T> : &arg_reduce_axis<false, true, T>};
  return {order.largest ? &arg_reduce_axis<true, false, T> : &arg_reduce_axis<false, false, T>};
}

ArgReducer arg_kernels(ArgOrder order, DType dtype) {
  if (dtype == DType::f32) return arg_kernel_of<float>(order);
  if (dtype != DType::i32) return {};
  return order.is_unsigned ? arg_kernel_of<std::uint32_t>(order) : arg_kernel_of<std::int32_t>(order);
}

}  // namespace
