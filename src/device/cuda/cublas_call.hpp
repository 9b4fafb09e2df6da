// SPDX-License-Identifier: Apache-2.0
// The arguments of an operator's call as cuBLAS takes them.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "device/vendor.hpp"
#include "model/call.hpp"

namespace kgb::device::cuda {

struct CublasCall {
  std::string function;  // a row of cublas.def
  // The function writes a number to device memory. It has no factors, which would be read from there as well.
  bool device_answer = false;
  // Calls `symbol`, the function's address in the library, and gives its status.
  std::function<int(void* symbol, void* handle)> run;
};

// Every argument of the call in the place that the function has for it. Error: which one does not fit and
// why, or that cublas.def lacks the function; `places` is asked for tensors that fit alone.
[[nodiscard]] Result<CublasCall> cublas_call(const std::string& function, const Call& call,
                                             const Places& places);

}  // namespace kgb::device::cuda
