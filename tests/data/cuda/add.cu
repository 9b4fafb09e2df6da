// SPDX-License-Identifier: Apache-2.0
/* kgbench
# aten::add: out = self + alpha * other, over broadcast shapes and any dtypes.

[[entry]]
name       = ["add_Tensor", "add_out"]
expand     = { self = "return", other = "return" }
contiguous = ["self", "other"]
let        = { n = "numel(return)" }

[[entry.launch]]
kernel = "add<{dtype(self)}, {dtype(other)}, {dtype(return)}>"
grid   = "cdiv(n, 256)"
block  = 256
args   = ["self", "other", "return", "shape(return)", "stride(return)", "ndim(return)", "f64(alpha)", "n"]

[[entry]]
name       = "add_Scalar"
contiguous = ["self"]
let        = { n = "numel(return)" }

[[entry.launch]]
kernel = "add_scalar<{dtype(self)}, {dtype(return)}>"
grid   = "cdiv(n, 256)"
block  = 256
args   = ["self", "return", "shape(return)", "stride(return)", "ndim(return)", "f64(other)", "f64(alpha)", "n"]
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct Sizes {
  long long at[8];
};

// Integers are added as integers, f64 as f64, everything narrower as f32 and rounded once.
template <typename T> struct Wide { typedef long long type; };
template <> struct Wide<float> { typedef float type; };
template <> struct Wide<__half> { typedef float type; };
template <> struct Wide<__nv_bfloat16> { typedef float type; };
template <> struct Wide<double> { typedef double type; };

// Where element i lies: an output may have any layout.
__device__ long long place(long long i, const Sizes& shape, const Sizes& stride, int rank) {
  long long at = 0;
  for (int d = rank - 1; d >= 0; --d) {
    at += i % shape.at[d] * stride.at[d];
    i /= shape.at[d];
  }
  return at;
}

template <typename A, typename B, typename T>
__global__ void add(const A* x, const B* y, T* out, Sizes shape, Sizes stride, int rank, double alpha, long long n) {
  typedef typename Wide<T>::type W;
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) out[place(i, shape, stride, rank)] = T(W(x[i]) + W(alpha) * W(y[i]));
}

template <typename A, typename T>
__global__ void add_scalar(const A* x, T* out, Sizes shape, Sizes stride, int rank, double other, double alpha, long long n) {
  typedef typename Wide<T>::type W;
  const long long i = blockIdx.x * 256ll + threadIdx.x;
  if (i < n) out[place(i, shape, stride, rank)] = T(W(x[i]) + W(alpha * other));
}
