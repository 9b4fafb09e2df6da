// SPDX-License-Identifier: Apache-2.0
// NVIDIA's run-time compiler for CUDA C++ by dlopen: no CUDA header or library is needed to build or to
// start.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace kgb {

struct NvrtcPlace {
  std::filesystem::path library;                // libnvrtc.so.12, .13, ...
  std::vector<std::filesystem::path> includes;  // folders with cuda_fp16.h and its likes; may be none
};
// What KGBENCH_NVRTC_LIBRARY names, else what lies below these folders of Python packages (torch brings it),
// else that of the newest CUDA toolkit below /usr/local. Error: there is none, and what to install.
[[nodiscard]] Result<NvrtcPlace> find_nvrtc(const std::vector<std::string>& packages);
// What tells one library from another without opening it: its file's place, size and time.
[[nodiscard]] std::string identity_of(const NvrtcPlace& place);

// The file by whose name NVRTC knows the candidate's text, in messages and line tables.
inline constexpr const char* kCudaFile = "candidate.cu";

struct NvrtcRequest {
  std::string source;
  std::string kernel;                          // expression that names it: "add<float>"
  std::string target;                          // "sm_90"
  std::map<std::string, std::string> options;  // std, fast_math, fmad, max_registers: docs/contracts/cuda.md
};
struct NvrtcOutput {
  bool ok = false;
  std::string log;      // the compiler's words
  std::string lowered;  // the kernel's symbol
  std::string ptx;
  std::vector<std::byte> cubin;
};

// One loaded library; not thread-safe.
class Nvrtc {
 public:
  // Error: the library cannot be opened, or lacks a function.
  [[nodiscard]] static Result<Nvrtc> open(const NvrtcPlace& place);
  // "13.0"
  [[nodiscard]] std::string version() const;
  // Whether it makes code for a target: "sm_90".
  [[nodiscard]] bool knows(const std::string& target) const;
  // What the source does wrong is in the output; an Error is the library's or the caller's own.
  [[nodiscard]] Result<NvrtcOutput> compile(const NvrtcRequest& request) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  std::vector<std::filesystem::path> includes_;
};

}  // namespace kgb
