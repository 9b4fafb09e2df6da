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
#include "judge/conditions.hpp"
#include "judge/crew.hpp"
#include "judge/expectations.hpp"
#include "judge/judge.hpp"
#include "judge/peaks.hpp"
#include "model/trial.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

// Folders with experts and references, which no candidate may read: an installed package keeps them beneath
// folders that candidates and their compiler read.
[[nodiscard]] std::vector<std::string> answers_of(const Installation& installation);
// What CUDA_VISIBLE_DEVICES must hold in a child that shall see the device which this process sees as
// `index`.
[[nodiscard]] std::string visible_device(int index);

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

  // Times on the device: `prepare` runs beside trials and other preparations, then `work` has the device
  // alone. An Error of either ends it.
  using DeviceWork = std::function<Status(Crew& crew)>;
  [[nodiscard]] Status with_device(const DeviceWork& prepare, const DeviceWork& work);
  [[nodiscard]] const std::optional<DeviceChoice>& device() const { return setup_.device; }
  // Of the device; not without one.
  [[nodiscard]] const DeviceMonitor& monitor();
  // The device's peaks, which the first call may have to measure, with the device alone. Where that fails,
  // nothing but `problem`.
  [[nodiscard]] const Peaks& peaks();

  [[nodiscard]] Expectations& expectations() { return expectations_; }
  [[nodiscard]] Compiler& compiler() { return compiler_; }
  [[nodiscard]] const JudgeSetup& setup() const { return setup_; }
  [[nodiscard]] const author::Interpreter& interpreter() const { return zygote_.interpreter(); }
  // Python processes of ours: environment and search path of the package; `threads` for torch.
  [[nodiscard]] static sandbox::Command python_worker(const Installation& at, const std::string& module,
                                                      int threads = 1);
  // The same with a device.
  [[nodiscard]] static sandbox::Command device_python(const Installation& at, const std::string& module,
                                                      const DeviceChoice& device, int threads = 1);

 private:
  Processes(const JudgeSetup& setup, author::Zygote zygote, TempDir scratch);
  // Held while something is done on the device beside others.
  [[nodiscard]] std::shared_lock<std::shared_mutex> share_device();
  JudgeSetup setup_;
  TempDir scratch_;  // the compiler's workspace
  author::Zygote zygote_;
  sandbox::WorkerPool executors_;
  std::unique_ptr<sandbox::WorkerPool> devices_;
  std::unique_ptr<CrewPool> crews_;
  std::once_flag monitor_once_, peaks_once_;
  std::optional<DeviceMonitor> monitor_;
  Peaks peaks_;
  std::mutex door_;          // to the lease
  std::shared_mutex lease_;  // shared: trials on the device, preparations; alone: timing
  Expectations expectations_;
  Compiler compiler_;
};

}  // namespace kgb
