// SPDX-License-Identifier: Apache-2.0
// Finds cuBLAS, sets a handle up, and calls functions on it. Source of names and numbers: cublas_api.h of
// CUDA 12 and 13; of the workspace's size: the documentation of cublasSetWorkspace.
#include "device/cuda/cublas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/text.hpp"
#include "device/cuda/cublas_call.hpp"

namespace kgb::device::cuda {
namespace {

constexpr int kDefaultMath = 0;  // CUBLAS_DEFAULT_MATH: f32 stays IEEE f32
constexpr int kPointersToHost = 0, kPointersToDevice = 1;
constexpr std::size_t kWorkspace = std::size_t{4} << 20, kWorkspaceHopper = std::size_t{32} << 20;

// Opens the first that is there; a library that was named must be it.
Result<CublasLibrary> find_library() {
  CublasLibrary found;
  const char* named = std::getenv("KGBENCH_CUBLAS_LIBRARY");
  if (named != nullptr && *named != '\0') {
    found.path = named;
    found.opened = ::dlopen(named, RTLD_NOW | RTLD_LOCAL);
    if (found.opened == nullptr) return host_error("cuBLAS cannot be opened: " + std::string(::dlerror()));
    return found;
  }
  for (const char* path : {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib64/libcublas.so"}) {
    found.path = path;
    found.opened = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (found.opened != nullptr) return found;
  }
  return host_error(
      "cuBLAS was not found beside torch nor by the loader: set KGBENCH_CUBLAS_LIBRARY to the path of "
      "libcublas.so");
}

Result<CublasLibrary> load_library() {
  KGB_TRY(CublasLibrary library, find_library());
  std::string missing;
  const auto find = [&](auto& function, const char* symbol) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library.opened, symbol));
    if (function == nullptr) missing = symbol;
  };
  find(library.create, "cublasCreate_v2");
  find(library.destroy, "cublasDestroy_v2");
  find(library.set_stream, "cublasSetStream_v2");
  find(library.set_workspace, "cublasSetWorkspace_v2");
  find(library.set_math_mode, "cublasSetMathMode");
  find(library.set_pointer_mode, "cublasSetPointerMode_v2");
  find(library.get_property, "cublasGetProperty");
  find(library.status_name, "cublasGetStatusName");
  if (!missing.empty())
    return host_error(library.path + " has no " + missing + ": kgbench needs cuBLAS 12 or later");
  int major = 0, minor = 0;
  library.get_property(0, &major);
  library.get_property(1, &minor);
  library.name = "cuBLAS " + std::to_string(major) + "." + std::to_string(minor);
  return library;
}

class Bound final : public VendorCall {
 public:
  Bound(const CublasLibrary& library, CublasCall call, void* symbol, void* handle)
      : library_(library), call_(std::move(call)), symbol_(symbol), handle_(handle) {}
  [[nodiscard]] const std::string& library() const override { return library_.name; }
  Status queue() override {
    KGB_CHECK(library_.check(
        library_.set_pointer_mode(handle_, call_.device_answer ? kPointersToDevice : kPointersToHost),
        "cublasSetPointerMode_v2"));
    return library_.check(call_.run(symbol_, handle_), call_.function);
  }

 private:
  const CublasLibrary& library_;
  CublasCall call_;
  void* symbol_;
  void* handle_;
};

}  // namespace

Result<const CublasLibrary*> CublasLibrary::open() {
  static const Result<CublasLibrary> library = load_library();
  if (!library.ok()) return library.error();
  return &*library;
}

Status CublasLibrary::check(int status, const std::string& what) const {
  if (status == 0) return ok_status();
  const char* text = status_name(status);
  return host_error(what + " of " + name + ": " + (text == nullptr ? std::to_string(status) : text));
}

Result<std::unique_ptr<Cublas>> Cublas::open(const Driver& driver, void* stream, bool hopper_or_later) {
  KGB_TRY(const CublasLibrary* const library, CublasLibrary::open());
  auto cublas = std::unique_ptr<Cublas>(new Cublas(*library, driver));
  const std::size_t bytes = hopper_or_later ? kWorkspaceHopper : kWorkspace;
  KGB_CHECK(driver.check(driver.memory_alloc(&cublas->workspace_, bytes), "the workspace of cuBLAS"));
  KGB_CHECK(library->check(library->create(&cublas->handle_), "cublasCreate_v2"));
  KGB_CHECK(library->check(library->set_stream(cublas->handle_, stream), "cublasSetStream_v2"));
  // After the stream, which puts cuBLAS's own pool back: that one allocates while a graph is recorded.
  auto* const memory = reinterpret_cast<void*>(static_cast<std::uintptr_t>(cublas->workspace_));
  KGB_CHECK(library->check(library->set_workspace(cublas->handle_, memory, bytes), "cublasSetWorkspace_v2"));
  KGB_CHECK(library->check(library->set_math_mode(cublas->handle_, kDefaultMath), "cublasSetMathMode"));
  return cublas;
}

Cublas::~Cublas() {
  if (handle_ != nullptr) library_.destroy(handle_);
  if (workspace_ != 0) driver_.memory_free(workspace_);
}

Result<std::unique_ptr<VendorCall>> Cublas::bind(const std::string& function, const Call& call,
                                                 const Places& places) const {
  KGB_TRY(CublasCall bound, cublas_call(function, call, places));
  void* symbol = ::dlsym(library_.opened, function.c_str());
  if (symbol == nullptr)
    return host_error(library_.name + " has no " + function + " (" + library_.path + ")");
  return std::unique_ptr<VendorCall>(new Bound(library_, std::move(bound), symbol, handle_));
}

std::string cublas_in(const std::vector<std::string>& folders) {
  std::error_code ignored;
  for (const std::string& folder : folders)
    for (const char* inside : {"nvidia/cu13/lib/libcublas.so.13", "nvidia/cublas/lib/libcublas.so.12"})
      if (const auto path = std::filesystem::path(folder) / inside;
          std::filesystem::is_regular_file(path, ignored))
        return path.string();
  return {};
}

}  // namespace kgb::device::cuda
