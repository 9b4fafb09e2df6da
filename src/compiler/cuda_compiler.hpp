// SPDX-License-Identifier: Apache-2.0
// CUDA kernels of a plan as a target's code: asked of a locked process, cached by content.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/kernel_image.hpp"
#include "model/launch_plan.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

// One kernel, compiled or refused.
struct CudaBuild {
  KernelImage image;    // with its code; only where `kind` is empty
  std::string kind;     // of a refusal: cuda_compile_error, target_failure, deadline, memory_limit
  std::string message;  // one line
  int line = 0;         // of the candidate's text; 0: in a header, or nowhere
  std::string log;      // the compiler's words
  std::vector<std::string> clocks;  // registers of the kind %clock64 that the code reads
  std::int64_t registers = 0;       // per thread
  std::int64_t shared_bytes = 0;    // static, per block
  std::int64_t spills = 0;          // bytes per thread
  [[nodiscard]] bool ok() const { return kind.empty(); }
};

// Thread-safe. Results lie in `cache`, which only this process writes.
class CudaCompiler {
 public:
  // `worker`: the locked command that runs serve_cuda_compiler; its first descriptor is the channel. An Error
  // in its place (there is no NVRTC) is what every build gives. `identity` of the library is part of every
  // key.
  CudaCompiler(Result<sandbox::Command> worker, std::size_t processes, std::filesystem::path cache,
               std::string identity, Millis limit);

  // An Error is the host's. A worker that dies or takes longer than the limit is the kernel's failure.
  [[nodiscard]] Result<CudaBuild> build(const Kernel& kernel, const std::string& target);

 private:
  std::optional<Error> missing_;
  std::unique_ptr<sandbox::WorkerPool> pool_;
  std::filesystem::path cache_;
  std::string identity_;
  Millis limit_;
};

// The place in the candidate's text that a log blames, and the sentence there: of "candidate.cu(12): error:
// ...", else of the place in it that brought in what failed elsewhere.
struct CudaComplaint {
  std::string message;
  int line = 0;
};
[[nodiscard]] CudaComplaint complaint_in_log(const std::string& log);

}  // namespace kgb
