// SPDX-License-Identifier: Apache-2.0
/* kgbench
# aten::softmax: a block for each row, its maximum and sum in shared memory.

[[entry]]
name       = ["softmax", "softmax_out"]
contiguous = ["self"]

[entry.let]
n     = "shape(self, dim)"
inner = "1 if ndim(self) == 0 else stride(self, dim)"   # elements between neighbours of a row
rows  = "numel(self) // n if n > 0 else 0"

[[entry.launch]]
kernel       = "softmax<{dtype(self)}, {dtype(return)}>"
grid         = "rows"
block        = 256
shared_bytes = "256 * 8"
args         = ["self", "return", "shape(return)", "stride(return)", "ndim(return)", "n", "inner"]
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Sizes {
  long long at[8];
};

template <typename T> struct Wide { typedef float type; };
template <> struct Wide<double> { typedef double type; };

__device__ long long place(long long i, const Sizes& shape, const Sizes& stride, int rank) {
  long long at = 0;
  for (int d = rank - 1; d >= 0; --d) {
    at += i % shape.at[d] * stride.at[d];
    i /= shape.at[d];
  }
  return at;
}

template <typename W, typename F>
__device__ W all_of(W mine, W* shared, F join) {
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] = join(shared[threadIdx.x], shared[threadIdx.x + half]);
    __syncthreads();
  }
  const W all = shared[0];
  __syncthreads();
  return all;
}

template <typename T, typename O>
__global__ void softmax(const T* x, O* out, Sizes shape, Sizes stride, int rank, long long n, long long inner) {
  typedef typename Wide<T>::type T1;
  typedef typename Wide<O>::type T2;
  typedef decltype(T1() + T2()) W;
  extern __shared__ double memory[];
  W* shared = reinterpret_cast<W*>(memory);
  const long long row = blockIdx.x;
  const long long first = row / inner * n * inner + row % inner;
  // With dtype the input is rounded to it before anything else.
  const auto value = [&](long long i) { return W(O(W(x[first + i * inner]))); };
  const W infinity = W(1) / W(0);
  W most = -infinity;
  bool nan = false;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) {
    const W v = value(i);
    nan = nan || v != v;
    most = v > most ? v : most;
  }
  most = all_of<W>(nan ? infinity - infinity : most, shared, [](W a, W b) { return a != a || a > b ? a : b; });
  W sum = 0;
  for (long long i = threadIdx.x; i < n; i += blockDim.x) sum += exp(value(i) - most);
  sum = all_of<W>(sum, shared, [](W a, W b) { return a + b; });
  for (long long i = threadIdx.x; i < n; i += blockDim.x)
    out[place(first + i * inner, shape, stride, rank)] = O(exp(value(i) - most) / sum);
}
