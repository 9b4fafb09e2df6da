// SPDX-License-Identifier: Apache-2.0
// A cuBLAS without a GPU: some functions of src/device/cuda/cublas.def, one at least for each kind of
// argument, on the memory of the driver's stand-in. What kgbench promises of its handle is held against every
// call: a workspace set after the stream, the default math mode, and answers in device memory but factors in
// host memory.
#include <complex>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "model/element.hpp"
#include "model/generate_words.hpp"
#include "standin/work.hpp"

namespace {

using kgb::DType;
using kgb::standin::submit;
using Index = std::int64_t;

constexpr int kNotInitialised = 1, kInvalidCall = 7, kExecutionFailed = 13, kNotSupported = 15;

struct Handle {
  void* stream = nullptr;
  bool workspace = false;
  int math_mode = -1, pointer_mode = 0;
};

enum class Pointers : int { host = 0, device = 1 };

// The status of a call on this handle whose work is `work`.
template <typename Function>
int run(void* handle, Pointers pointers, Function work) {
  const auto* at = static_cast<const Handle*>(handle);
  if (at == nullptr || at->stream == nullptr || !at->workspace || at->math_mode != 0) return kNotInitialised;
  if (at->pointer_mode != static_cast<int>(pointers)) return kInvalidCall;
  return submit([work] { return work(), 0; }) == 0 ? 0 : kExecutionFailed;
}

template <typename T>
T conjugate(T value) {
  return value;
}
template <typename T>
std::complex<T> conjugate(std::complex<T> value) {
  return std::conj(value);
}

// Elements of any of the types, computed with in T.
template <typename T>
struct Plain {
  static T load(const void* data, Index at) { return static_cast<const T*>(data)[at]; }
  static void store(void* data, Index at, T value) { static_cast<T*>(data)[at] = value; }
};
template <DType dtype>
struct Narrow {
  static float load(const void* data, Index at) {
    double value = 0;
    kgb::decode_reals(dtype, static_cast<const std::byte*>(data) + 2 * at, {&value, 1});
    return static_cast<float>(value);
  }
  static void store(void* data, Index at, float value) {
    const double wide = value;
    kgb::generating::store_values(&wide, 1, dtype, static_cast<std::byte*>(data) + 2 * at);
  }
};
struct Byte {
  static float load(const void* data, Index at) { return static_cast<const std::int8_t*>(data)[at]; }
};
using Half = Narrow<DType::f16>;
using Brain = Narrow<DType::bf16>;

template <typename Element>
using Number = decltype(Element::load(nullptr, 0));

// op(X)(i, j) of a column-major matrix.
template <typename Element>
Number<Element> entry(const void* x, Index ld, int op, Index i, Index j) {
  if (op == 0) return Element::load(x, i + j * ld);
  const auto value = Element::load(x, j + i * ld);
  return op == 2 ? conjugate(value) : value;
}

struct Shape {
  int transa, transb;
  Index m, n, k, lda, ldb, ldc;
};

template <typename In, typename Out>
void multiply(const Shape& s, Number<In> alpha, const void* a, const void* b, Number<In> beta, void* c) {
  using T = Number<In>;
  for (Index j = 0; j < s.n; ++j)
    for (Index i = 0; i < s.m; ++i) {
      T sum{};
      for (Index p = 0; alpha != T{} && p < s.k; ++p)  // alpha = 0: A and B are not read
        sum += entry<In>(a, s.lda, s.transa, i, p) * entry<In>(b, s.ldb, s.transb, p, j);
      const T before = beta == T{} ? T{} : beta * static_cast<T>(Out::load(c, i + j * s.ldc));
      Out::store(c, i + j * s.ldc, alpha * sum + before);
    }
}

template <typename T>
T host_factor(const void* at) {
  return *static_cast<const T*>(at);
}

bool fits(const Shape& s) {
  return s.m >= 0 && s.n >= 0 && s.k >= 0 && s.ldc >= s.m && s.lda >= (s.transa == 0 ? s.m : s.k) &&
         s.ldb >= (s.transb == 0 ? s.k : s.n);
}

}  // namespace

extern "C" {

int cublasCreate_v2(void** handle) {
  return *handle = new Handle, 0;
}
int cublasDestroy_v2(void* handle) {
  return delete static_cast<Handle*>(handle), 0;
}
int cublasSetStream_v2(void* handle, void* stream) {
  auto* at = static_cast<Handle*>(handle);
  at->workspace = false;  // as the documentation says
  return at->stream = stream, 0;
}
int cublasSetWorkspace_v2(void* handle, void* memory, std::size_t bytes) {
  static_cast<Handle*>(handle)->workspace = memory != nullptr && bytes >= (std::size_t{4} << 20);
  return 0;
}
int cublasSetMathMode(void* handle, int mode) {
  return static_cast<Handle*>(handle)->math_mode = mode, 0;
}
int cublasSetPointerMode_v2(void* handle, int mode) {
  return static_cast<Handle*>(handle)->pointer_mode = mode, 0;
}
int cublasGetProperty(int which, int* value) {
  constexpr int kVersion[] = {13, 7, 0};
  return *value = kVersion[which], 0;
}
const char* cublasGetStatusName(int status) {
  return status == kNotInitialised    ? "CUBLAS_STATUS_NOT_INITIALIZED"
         : status == kInvalidCall     ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == kExecutionFailed ? "CUBLAS_STATUS_EXECUTION_FAILED"
                                      : "CUBLAS_STATUS_NOT_SUPPORTED";
}

int cublasSscal_v2(void* handle, int n, const void* alpha, void* x, int incx) {
  return run(handle, Pointers::host, [=, factor = host_factor<float>(alpha)] {
    for (Index i = 0; i < n && incx > 0; ++i) static_cast<float*>(x)[i * incx] *= factor;
  });
}

int cublasSdot_v2(void* handle, int n, const void* x, int incx, const void* y, int incy, void* result) {
  return run(handle, Pointers::device, [=] {
    double sum = 0;
    const auto at = [n](const void* data, int inc, Index i) {
      return static_cast<double>(static_cast<const float*>(data)[inc < 0 ? (i - n + 1) * inc : i * inc]);
    };
    for (Index i = 0; i < n; ++i) sum += at(x, incx, i) * at(y, incy, i);
    *static_cast<float*>(result) = static_cast<float>(sum);
  });
}

int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                   const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  const Shape s{transa, transb, m, n, k, lda, ldb, ldc};
  if (!fits(s)) return kInvalidCall;
  return run(handle, Pointers::host, [=, f = host_factor<float>(alpha), g = host_factor<float>(beta)] {
    multiply<Plain<float>, Plain<float>>(s, f, a, b, g, c);
  });
}

int cublasCgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                   const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc) {
  using T = std::complex<float>;
  const Shape s{transa, transb, m, n, k, lda, ldb, ldc};
  if (!fits(s)) return kInvalidCall;
  return run(handle, Pointers::host, [=, f = host_factor<T>(alpha), g = host_factor<T>(beta)] {
    multiply<Plain<T>, Plain<T>>(s, f, a, b, g, c);
  });
}

int cublasSgemmEx(void* handle, int transa, int transb, int m, int n, int k, const void* alpha, const void* a,
                  int atype, int lda, const void* b, int btype, int ldb, const void* beta, void* c, int ctype,
                  int ldc) {
  constexpr int kFloat = 0, kHalf = 2, kByte = 3, kBrain = 14;
  const Shape s{transa, transb, m, n, k, lda, ldb, ldc};
  if (!fits(s)) return kInvalidCall;
  const bool narrow_out = ctype == atype && (atype == kHalf || atype == kBrain);
  if (atype != btype || (ctype != kFloat && !narrow_out)) return kNotSupported;
  const auto multiplier =
      atype == kFloat   ? &multiply<Plain<float>, Plain<float>>
      : atype == kByte  ? &multiply<Byte, Plain<float>>
      : atype == kHalf  ? (narrow_out ? &multiply<Half, Half> : &multiply<Half, Plain<float>>)
      : atype == kBrain ? (narrow_out ? &multiply<Brain, Brain> : &multiply<Brain, Plain<float>>)
                        : nullptr;
  if (multiplier == nullptr) return kNotSupported;
  return run(handle, Pointers::host, [=, f = host_factor<float>(alpha), g = host_factor<float>(beta)] {
    multiplier(s, f, a, b, g, c);
  });
}

int cublasSgemmStridedBatched(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                              const void* a, int lda, long long stride_a, const void* b, int ldb,
                              long long stride_b, const void* beta, void* c, int ldc, long long stride_c,
                              int batch) {
  const Shape s{transa, transb, m, n, k, lda, ldb, ldc};
  if (!fits(s)) return kInvalidCall;
  return run(handle, Pointers::host, [=, f = host_factor<float>(alpha), g = host_factor<float>(beta)] {
    for (Index i = 0; i < batch; ++i)
      multiply<Plain<float>, Plain<float>>(s, f, static_cast<const float*>(a) + i * stride_a,
                                           static_cast<const float*>(b) + i * stride_b, g,
                                           static_cast<float*>(c) + i * stride_c);
  });
}

int cublasHgemmBatched(void* handle, int transa, int transb, int m, int n, int k, const void* alpha,
                       const void* const* a, int lda, const void* const* b, int ldb, const void* beta,
                       void* const* c, int ldc, int batch) {
  const Shape s{transa, transb, m, n, k, lda, ldb, ldc};
  if (!fits(s)) return kInvalidCall;
  return run(handle, Pointers::host, [=, f = Half::load(alpha, 0), g = Half::load(beta, 0)] {
    for (Index i = 0; i < batch; ++i) multiply<Half, Half>(s, f, a[i], b[i], g, c[i]);
  });
}

int cublasCgemvBatched_64(void* handle, int trans, Index m, Index n, const void* alpha, const void* const* a,
                          Index lda, const void* const* x, Index incx, const void* beta, void* const* y,
                          Index incy, Index batch) {
  using T = std::complex<float>;
  if (lda < m || incx == 0 || incy == 0) return kInvalidCall;
  return run(handle, Pointers::host, [=, f = host_factor<T>(alpha), g = host_factor<T>(beta)] {
    const Index rows = trans == 0 ? m : n, columns = trans == 0 ? n : m;
    const auto place = [](Index i, Index n_, Index inc) { return inc < 0 ? (i - n_ + 1) * inc : i * inc; };
    for (Index item = 0; item < batch; ++item)
      for (Index i = 0; i < rows; ++i) {
        T sum{};
        for (Index j = 0; f != T{} && j < columns; ++j)
          sum += entry<Plain<T>>(a[item], lda, trans, i, j) *
                 static_cast<const T*>(x[item])[place(j, columns, incx)];
        T& out = static_cast<T*>(y[item])[place(i, rows, incy)];
        out = f * sum + (g == T{} ? T{} : g * out);
      }
  });
}

int cublasStrsm_v2(void* handle, int side, int uplo, int trans, int diag, int m, int n, const void* alpha,
                   const void* a, int lda, void* b, int ldb) {
  const Index order = side == 0 ? m : n, others = side == 0 ? n : m;
  if (lda < order || ldb < m) return kInvalidCall;
  return run(handle, Pointers::host, [=, f = host_factor<float>(alpha)] {
    // op(A) X = f B, or X op(A) = f B: then A is transposed, and rows of B are solved for.
    const int op = (trans != 0) != (side == 1) ? 1 : 0;
    const bool lower = (uplo == 0) == (op == 0);
    auto* data = static_cast<float*>(b);
    for (Index j = 0; j < others; ++j) {
      const auto x = [&](Index i) -> float& { return side == 0 ? data[i + j * ldb] : data[j + i * ldb]; };
      for (Index step = 0; step < order; ++step) {
        const Index i = lower ? step : order - 1 - step;
        float value = f == 0 ? 0 : f * x(i);
        for (Index p = lower ? 0 : i + 1; f != 0 && p < (lower ? i : order); ++p)
          value -= entry<Plain<float>>(a, lda, op, i, p) * x(p);
        x(i) = f == 0 || diag == 1 ? value : value / entry<Plain<float>>(a, lda, op, i, i);
      }
    }
  });
}

}  // extern "C"
