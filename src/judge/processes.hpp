// SPDX-License-Identifier: Apache-2.0
// The four kinds of processes that the judge drives, started once and shared by all lanes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "author/zygote.hpp"
#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "compiler/compiler.hpp"
#include "compiler/cuda_compiler.hpp"
#include "judge/case.hpp"
#include "judge/expectations.hpp"
#include "judge/judge.hpp"
#include "judge/station.hpp"
#include "model/trial.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

// Folders with experts and references, which no candidate may read: an installed package keeps them beneath
// folders that candidates and their compiler read.
[[nodiscard]] std::vector<std::string> answers_of(const Installation& installation);
// What CUDA_VISIBLE_DEVICES must hold in a child that shall see the device which this process sees as
// `index`.
[[nodiscard]] std::string visible_device(int index);
// The environment, "NAME=value" each, by which a child sees that device alone.
[[nodiscard]] std::vector<std::string> device_environment(int index);

class Processes {
 public:
  static Result<std::unique_ptr<Processes>> start(const JudgeSetup& setup);

  // One author session of at most `seconds`; `workspace` holds the candidate.
  [[nodiscard]] Result<author::AuthorOutcome> author(const std::string& session,
                                                     const std::filesystem::path& workspace, double seconds,
                                                     const std::atomic<bool>* stop = nullptr);

  // One trial in an executor. `fault` is set when the executor died or did not answer: a finding for the
  // candidate when it happens twice in a row with the same plan, `infra` otherwise.
  struct TrialAnswer {
    TrialResult result;
    std::optional<Finding> fault;
  };
  // In an executor of this station; nullptr: on the VM.
  [[nodiscard]] Result<TrialAnswer> trial(const TrialRequest& request, const std::string& recording_json,
                                          Station* station = nullptr,
                                          const std::atomic<bool>* stop = nullptr);

  [[nodiscard]] Stations& stations() { return *stations_; }
  // Path of compute-sanitizer; empty: there is none, or no device.
  [[nodiscard]] const std::string& memcheck_tool() const { return memcheck_tool_; }
  [[nodiscard]] Expectations& expectations() { return expectations_; }
  [[nodiscard]] Compiler& compiler() { return compiler_; }
  [[nodiscard]] CudaCompiler& cuda_compiler() { return cuda_compiler_; }
  [[nodiscard]] const JudgeSetup& setup() const { return setup_; }
  [[nodiscard]] const author::Interpreter& interpreter() const { return zygote_.interpreter(); }
  // Python processes of ours: environment and search path of the package; `threads` for torch.
  [[nodiscard]] static sandbox::Command python_worker(const Installation& at, const std::string& module,
                                                      int threads = 1);
  // The same with a device.
  [[nodiscard]] static sandbox::Command device_python(const Installation& at, const std::string& module,
                                                      const DeviceChoice& device, int threads = 1);

  // A locked process that holds a candidate and the device; what it may write is `workspace`.
  [[nodiscard]] sandbox::Command candidate_command(const std::filesystem::path& workspace,
                                                   const DeviceChoice& device) const;
  // Makes a folder that of the user whom such a process runs as.
  [[nodiscard]] static Status give_to_candidate(const std::filesystem::path& workspace);

 private:
  Processes(const JudgeSetup& setup, author::Zygote zygote, TempDir scratch);
  JudgeSetup setup_;
  TempDir scratch_;  // the compiler's workspace
  author::Zygote zygote_;
  sandbox::WorkerPool executors_;
  std::unique_ptr<Stations> stations_;  // none on chip cpu
  std::string memcheck_tool_;
  Expectations expectations_;
  Compiler compiler_;
  CudaCompiler cuda_compiler_;
};

}  // namespace kgb
