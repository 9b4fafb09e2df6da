// SPDX-License-Identifier: Apache-2.0
// Finds the driver's functions.
#include "device/cuda/driver.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace kgb::device::cuda {
namespace {

Result<Driver> load() {
  const char* named = std::getenv("KGBENCH_CUDA_LIBRARY");
  const std::string library = named != nullptr && *named != '\0' ? named : "libcuda.so.1";
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    return host_error("no CUDA driver on this machine: " + library + " could not be opened. Use --chip cpu");
  Driver driver;
#define KGB_CUDA(name, symbol, parameters)                                         \
  driver.name = reinterpret_cast<decltype(driver.name)>(::dlsym(handle, #symbol)); \
  if (driver.name == nullptr)                                                      \
    return host_error("the CUDA driver has no " #symbol ": it is older than CUDA 12. Update the driver");
#include "device/cuda/driver.def"
#undef KGB_CUDA
  driver.parameter_info =
      reinterpret_cast<decltype(driver.parameter_info)>(::dlsym(handle, "cuFuncGetParamInfo"));
  if (const int result = driver.init(0); result != code::kSuccess)
    return host_error("the CUDA driver does not start: " + driver.describe(result));
  return driver;
}

}  // namespace

Result<const Driver*> Driver::open() {
  static const Result<Driver> driver = load();
  if (!driver.ok()) return driver.error();
  return &*driver;
}

std::string Driver::describe(int result) const {
  const char *name = nullptr, *text = nullptr;
  error_name(result, &name);
  error_string(result, &text);
  return std::string(text == nullptr ? "unknown error" : text) + " (" +
         (name == nullptr ? std::to_string(result) : name) + ")";
}

Status Driver::check(int result, const char* what) const {
  if (result == code::kSuccess) return ok_status();
  return host_error(std::string(what) + ": " + describe(result));
}

}  // namespace kgb::device::cuda
