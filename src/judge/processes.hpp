// SPDX-License-Identifier: Apache-2.0
// The four kinds of processes that the judge drives, started once and shared by all lanes.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "author/zygote.hpp"
#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "compiler/compiler.hpp"
#include "judge/case.hpp"
#include "judge/expectations.hpp"
#include "judge/judge.hpp"
#include "model/trial.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

// Folders with experts and references, which no candidate may read: an installed package keeps them beneath
// folders that candidates and their compiler read.
[[nodiscard]] std::vector<std::string> answers_of(const Installation& installation);

class Processes {
 public:
  static Result<std::unique_ptr<Processes>> start(const JudgeSetup& setup);

  // One author session; `workspace` holds the candidate.
  [[nodiscard]] Result<author::AuthorOutcome> author(const std::string& session,
                                                     const std::filesystem::path& workspace,
                                                     const std::atomic<bool>* stop = nullptr);

  // One trial in an executor. `fault` is set when the executor died or did not answer: a finding for the
  // candidate when it happens twice in a row with the same plan, `infra` otherwise.
  struct TrialAnswer {
    TrialResult result;
    std::optional<Finding> fault;
  };
  // `on_device`: in an executor that holds the device of the setup; else on the VM.
  [[nodiscard]] Result<TrialAnswer> trial(const TrialRequest& request, const std::string& recording_json,
                                          bool on_device = false, const std::atomic<bool>* stop = nullptr);

  // Holds the device alone: no trial runs on it meanwhile. `work` gets an executor of the device and a
  // process for baselines on it.
  using DeviceWork = std::function<Status(sandbox::Worker& executor, sandbox::Worker& baseline)>;
  [[nodiscard]] Status with_device(const DeviceWork& work);
  [[nodiscard]] const std::optional<DeviceChoice>& device() const { return setup_.device; }

  [[nodiscard]] Expectations& expectations() { return expectations_; }
  [[nodiscard]] Compiler& compiler() { return compiler_; }
  [[nodiscard]] const JudgeSetup& setup() const { return setup_; }
  [[nodiscard]] const author::Interpreter& interpreter() const { return zygote_.interpreter(); }
  // Python processes of ours: environment and search path of the package; `threads` for torch.
  [[nodiscard]] static sandbox::Command python_worker(const Installation& at, const std::string& module,
                                                      int threads = 1);

 private:
  Processes(const JudgeSetup& setup, author::Zygote zygote, TempDir scratch);
  JudgeSetup setup_;
  TempDir scratch_;  // the compiler's workspace
  author::Zygote zygote_;
  sandbox::WorkerPool executors_;
  std::unique_ptr<sandbox::WorkerPool> devices_;
  std::unique_ptr<sandbox::Worker> baseline_;  // on the device; of whoever holds the lease
  std::shared_mutex lease_;                    // shared: trials on the device; alone: timing
  Expectations expectations_;
  Compiler compiler_;
};

}  // namespace kgb
