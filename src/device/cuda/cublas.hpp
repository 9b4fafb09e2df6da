// SPDX-License-Identifier: Apache-2.0
// cuBLAS by dlopen: one handle on one stream, with a workspace of our own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/cuda/driver.hpp"
#include "device/vendor.hpp"
#include "model/call.hpp"

namespace kgb::device::cuda {

// The functions that manage a handle; those that compute are in cublas.def.
struct CublasLibrary {
  void* opened = nullptr;
  std::string path, name;  // "cuBLAS 13.1"
  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*set_stream)(void* handle, void* stream) = nullptr;
  int (*set_workspace)(void* handle, void* memory, std::size_t bytes) = nullptr;
  int (*set_math_mode)(void* handle, int mode) = nullptr;
  int (*set_pointer_mode)(void* handle, int mode) = nullptr;
  int (*get_property)(int which, int* value) = nullptr;
  const char* (*status_name)(int status) = nullptr;

  // Opens what KGBENCH_CUBLAS_LIBRARY names, else libcublas of CUDA 13 or 12 where the loader finds one. Once
  // per process.
  static Result<const CublasLibrary*> open();
  [[nodiscard]] Status check(int status, const std::string& what) const;
};

class Cublas {
 public:
  // Of the driver's current context; its work is queued on `stream`. Nothing of `stream` may be recorded
  // yet.
  static Result<std::unique_ptr<Cublas>> open(const Driver& driver, void* stream, bool hopper_or_later);
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;
  // Waits for the stream.
  ~Cublas();

  // Error: the library or its table lacks the function, or an argument does not fit it.
  [[nodiscard]] Result<std::unique_ptr<VendorCall>> bind(const std::string& function, const Call& call,
                                                         const Places& places) const;

 private:
  Cublas(const CublasLibrary& library, const Driver& driver) : library_(library), driver_(driver) {}
  const CublasLibrary& library_;
  const Driver& driver_;
  void* handle_ = nullptr;
  std::uint64_t workspace_ = 0;
};

// cuBLAS among the packages in these folders (a Python's sys.path), as torch's wheels bring it; "": none.
[[nodiscard]] std::string cublas_in(const std::vector<std::string>& folders);

}  // namespace kgb::device::cuda
