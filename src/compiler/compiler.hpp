// SPDX-License-Identifier: Apache-2.0
// Cross-compilation of a plan's kernels in a process of their own, cached by content.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/kernel_image.hpp"
#include "model/launch_plan.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

struct CompileResult {
  bool ok = false;
  std::string message;            // of a failure, one line
  std::int64_t registers = 0;     // per thread
  std::int64_t shared_bytes = 0;  // per program
  std::int64_t spills = 0;        // bytes (NVIDIA) or registers (AMD)
  double ms = 0;                  // 0: from the cache
};

// Thread-safe. Results lie in `cache` as small JSON files that only this process writes.
class Compiler {
 public:
  // `worker`: the command that runs kgbench.compiler.worker; its first descriptor is the channel.
  // `compiler_version` is part of every cache key.
  Compiler(sandbox::Command worker, std::size_t processes, std::filesystem::path cache,
           std::string compiler_version);

  // An Error is the host's. A worker that dies or takes longer than the limit is the kernel's failure on the
  // target.
  [[nodiscard]] Result<CompileResult> compile(const Kernel& kernel, const std::string& target);

  // The kernel's code, to be run; where it does not compile, why.
  struct Image {
    KernelImage image;
    std::string message;  // empty: it compiled
  };
  [[nodiscard]] Result<Image> image(const Kernel& kernel, const std::string& target);

 private:
  [[nodiscard]] Result<sandbox::Answer> ask(const Kernel& kernel, const std::string& target, bool image);
  [[nodiscard]] std::string key(const Kernel& kernel, const std::string& target) const;
  sandbox::WorkerPool pool_;
  std::filesystem::path cache_;
  std::string version_;
};

}  // namespace kgb
