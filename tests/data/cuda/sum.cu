// SPDX-License-Identifier: Apache-2.0
/* kgbench
# aten::sum of all elements: each block leaves a partial sum in scratch memory, a second launch adds those.
[[entry]]
name       = "sum"
contiguous = ["self"]
let        = { n = "numel(self)", blocks = "min(max(cdiv(n, 1024), 1), 512)" }
scratch    = { partial = { dtype = "f64", shape = ["blocks"] } }

[[entry.launch]]
kernel = "partial_sums<{dtype(self)}, {dtype(return)}>"
grid   = "blocks"
block  = 256
args   = ["self", "partial", "n"]

[[entry.launch]]
kernel = "last_sum<{dtype(return)}>"
block  = 256
args   = ["partial", "return", "blocks"]
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Integers are added as integers, everything else as f64.
template <typename T> struct Wide { typedef double type; };
template <> struct Wide<long long> { typedef long long type; };
template <typename T> __device__ double number(T x) { return double(float(x)); }
__device__ double number(double x) { return x; }
__device__ long long number(int x) { return x; }
__device__ long long number(long long x) { return x; }

template <typename W>
__device__ W sum_of_block(W mine) {
  __shared__ W shared[256];
  shared[threadIdx.x] = mine;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  return shared[0];
}

// With dtype the elements are rounded to it first. A partial sum has eight bytes, whatever it is.
template <typename T, typename O>
__global__ void partial_sums(const T* x, void* partial, long long n) {
  typedef typename Wide<O>::type W;
  W mine = 0;
  for (long long i = blockIdx.x * 256ll + threadIdx.x; i < n; i += gridDim.x * 256ll)
    mine += W(number(O(number(x[i]))));
  const W all = sum_of_block(mine);
  if (threadIdx.x == 0) static_cast<W*>(partial)[blockIdx.x] = all;
}

template <typename O>
__global__ void last_sum(const void* partial, O* out, int blocks) {
  typedef typename Wide<O>::type W;
  W mine = 0;
  for (int i = threadIdx.x; i < blocks; i += 256) mine += static_cast<const W*>(partial)[i];
  const W all = sum_of_block(mine);
  if (threadIdx.x == 0) *out = O(all);
}
