// SPDX-License-Identifier: Apache-2.0
// Opens NVRTC and compiles one program at a time.
#include "compiler/nvrtc.hpp"

#include <dlfcn.h>

#include <algorithm>

#include "base/text.hpp"

namespace kgb {
namespace {

// Of nvrtcResult: what no source can bring about.
constexpr int kSuccess = 0, kInvalidOption = 5, kBuiltinsMissing = 7;
constexpr int kFirstWithFeatures =
    90;  // from here on tensor memory and warp groups are in the targets "sm_90a" alone

}  // namespace

struct Nvrtc::Functions {
#define KGB_NVRTC(name, symbol, parameters) int(*name) parameters = nullptr;
#include "compiler/nvrtc.def"
#undef KGB_NVRTC
};

namespace {

// "sm_90" -> 90; 0: no target of NVIDIA's
int number_of(const std::string& target) {
  if (!target.starts_with("sm_")) return 0;
  return static_cast<int>(parse_int(target.substr(3)).value_or(0));
}

std::vector<std::string> arguments_of(const NvrtcRequest& request,
                                      const std::vector<std::filesystem::path>& includes) {
  const auto option = [&](const char* name) {
    const auto it = request.options.find(name);
    return it == request.options.end() ? std::string() : it->second;
  };
  const bool features = number_of(request.target) >= kFirstWithFeatures;
  std::vector<std::string> arguments{"-arch=" + request.target + (features ? "a" : ""), "-lineinfo",
                                     "--ptxas-options=-v"};
  const std::string standard = option("std");
  arguments.push_back("-std=" + (standard.empty() ? std::string("c++17") : standard));
  if (option("fast_math") == "true") arguments.emplace_back("--use_fast_math");
  if (option("fmad") == "false") arguments.emplace_back("--fmad=false");
  if (const std::string most = option("max_registers"); !most.empty())
    arguments.push_back("--maxrregcount=" + most);
  for (const auto& folder : includes) arguments.push_back("-I" + folder.string());
  return arguments;
}

}  // namespace

Result<Nvrtc> Nvrtc::open(const NvrtcPlace& place) {
  void* handle = ::dlopen(place.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return host_error("NVRTC cannot be opened: " + std::string(::dlerror()));
  auto functions = std::make_shared<Functions>();
#define KGB_NVRTC(name, symbol, parameters)                                                \
  functions->name = reinterpret_cast<decltype(functions->name)>(::dlsym(handle, #symbol)); \
  if (functions->name == nullptr)                                                          \
    return host_error(place.library.string() + " has no " #symbol                          \
                                               ": it is older than CUDA 12. Install a newer one");
#include "compiler/nvrtc.def"
#undef KGB_NVRTC
  Nvrtc opened;
  opened.functions_ = std::move(functions);
  opened.includes_ = place.includes;
  return opened;
}

std::string Nvrtc::version() const {
  int major = 0, minor = 0;
  functions_->version(&major, &minor);
  return std::to_string(major) + "." + std::to_string(minor);
}

bool Nvrtc::knows(const std::string& target) const {
  int count = 0;
  if (functions_->arch_count(&count) != kSuccess || count <= 0) return false;
  std::vector<int> archs(static_cast<std::size_t>(count));
  if (functions_->archs(archs.data()) != kSuccess) return false;
  return std::find(archs.begin(), archs.end(), number_of(target)) != archs.end();
}

namespace {

// The text that a pair of functions of NVRTC gives, without the zero at its end.
template <typename Size, typename Get>
std::string text_of(void* program, Size size, Get get) {
  std::size_t bytes = 0;
  if (size(program, &bytes) != kSuccess || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (get(program, text.data()) != kSuccess) return {};
  while (!text.empty() && text.back() == '\0') text.pop_back();
  return text;
}

}  // namespace

Result<NvrtcOutput> Nvrtc::compile(const NvrtcRequest& request) const {
  // NVRTC reads the text up to its first zero: what follows would be hidden from whoever reads the file.
  if (request.source.find('\0') != std::string::npos) return user_error("the source holds a zero byte");
  NvrtcOutput out;
  void* program = nullptr;
  if (functions_->create(&program, request.source.c_str(), kCudaFile, 0, nullptr, nullptr) != kSuccess)
    return host_error("NVRTC does not begin a program");
  const auto destroy = [this](void* held) { functions_->destroy(&held); };
  const std::unique_ptr<void, decltype(destroy)> guard(program, destroy);
  if (functions_->add_name(program, request.kernel.c_str()) != kSuccess) {
    out.log = "NVRTC takes no kernel named " + in_quotes(request.kernel);
    return out;
  }
  const std::vector<std::string> arguments = arguments_of(request, includes_);
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  const int result = functions_->compile(program, static_cast<int>(pointers.size()), pointers.data());
  out.log = text_of(program, functions_->log_size, functions_->log);
  if (result == kInvalidOption || result == kBuiltinsMissing)
    return host_error("NVRTC ends with code " + std::to_string(result) + ": " +
                      std::string(cut_utf8(out.log, 300)));
  if (result != kSuccess) return out;
  const char* lowered = nullptr;
  if (functions_->lowered_name(program, request.kernel.c_str(), &lowered) != kSuccess || lowered == nullptr) {
    out.log = in_quotes(request.kernel) + " names no kernel of the source";
    return out;
  }
  out.lowered = lowered;
  out.ptx = text_of(program, functions_->ptx_size, functions_->ptx);
  std::size_t bytes = 0;
  if (functions_->cubin_size(program, &bytes) != kSuccess || bytes == 0)
    return host_error("NVRTC makes no code for " + request.target);
  out.cubin.resize(bytes);
  functions_->cubin(program, reinterpret_cast<char*>(out.cubin.data()));
  out.ok = true;
  return out;
}

}  // namespace kgb
