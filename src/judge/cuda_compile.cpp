// SPDX-License-Identifier: Apache-2.0
// CUDA kernels through NVRTC: what the compiler says, and whether launches fit what it made.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "judge/cuda.hpp"
#include "judge/described_plan.hpp"

namespace kgb {
namespace {

bool is_nvidia(const std::string& target) {
  return target.starts_with("sm_");
}

Finding refusal(const Case& open, const Kernel& kernel, const CudaBuild& build, const std::string& target,
                Gate gate) {
  const bool own = build.kind == "cuda_compile_error";
  Finding finding =
      make_finding(own                              ? build.kind
                   : build.kind == "target_failure" ? "device_compile_error"
                                                    : build.kind,
                   gate, fmt::format("kernel {} for {}: {}", kernel.name, target, build.message));
  if (build.line > 0) {
    finding.file = open.request.file;
    finding.line = build.line;
  }
  finding.details["kernel"] = kernel.name;
  finding.details["target"] = target;
  if (!build.log.empty()) finding.details["log"] = std::string(cut_utf8(build.log, 4000));
  return finding;
}

// What a kernel's code does that no launch of it may: read the time.
std::optional<Finding> clock_finding(const Kernel& kernel, const CudaBuild& build, Gate gate) {
  if (build.clocks.empty()) return std::nullopt;
  Finding finding =
      make_finding("reads_clock", gate,
                   fmt::format("kernel {} reads {}: with a clock it could tell the calls that are timed "
                               "from those that are checked",
                               kernel.name, join(build.clocks, " and ")));
  finding.details["kernel"] = kernel.name;
  return finding;
}

// The first launch of the kernel that does not fit it, or asks for more shared memory than the chip has.
std::optional<Finding> launch_finding(const Case& open, const Job& job, std::size_t number,
                                      const CudaBuild& build, const ChipCard& chip, Gate gate) {
  const Kernel& kernel = job.recording->kernels[number];
  const auto limit = chip.facts.find("shared_optin_bytes");
  for (const Node& node : job.recording->calls.front().nodes) {
    const auto* launch = std::get_if<Launch>(&node);
    if (launch == nullptr || launch->kernel != static_cast<int>(number)) continue;
    std::string kind = "bad_description", what = misfit(kernel, *launch, *build.image.parameters);
    const std::int64_t shared = build.shared_bytes + launch->shared_bytes;
    if (what.empty() && limit != chip.facts.end() && shared > limit->second) {
      kind = "device_refused";
      what = fmt::format("kernel {} needs {} bytes of shared memory; {} has {}", kernel.name, shared,
                         chip.name, limit->second);
    }
    if (what.empty()) continue;
    Finding finding = make_finding(kind, gate, what, job.workload.call.workload);
    finding.file = open.request.file;
    finding.line = launch->line;
    finding.details["kernel"] = kernel.name;
    return finding;
  }
  return std::nullopt;
}

// The kernels of all recordings, each once.
std::map<std::string, const Kernel*> kernels_of(const Case& open) {
  std::map<std::string, const Kernel*> kernels;
  for (const Job& job : open.jobs)
    if (job.recording)
      for (const Kernel& kernel : job.recording->kernels) kernels.emplace(kernel.name, &kernel);
  return kernels;
}

// Compiles all for the chip itself. True: there is code for each.
Result<bool> compile_at_home(Case& open, const ChipCard& chip, Processes& processes) {
  const std::string& target = chip.targets.front();
  std::map<std::string, CudaBuild> builds;
  for (const auto& [name, kernel] : kernels_of(open)) {
    if (open.stopped()) return false;
    KGB_TRY(CudaBuild build, processes.cuda_compiler().build(*kernel, target));
    if (!build.ok()) {
      open.findings.push_back(refusal(open, *kernel, build, target, Gate::compile));
      return false;
    }
    if (auto clock = clock_finding(*kernel, build, Gate::compile)) open.findings.push_back(*std::move(clock));
    builds.emplace(name, std::move(build));
  }
  for (Job& job : open.jobs)
    for (std::size_t k = 0; job.recording && k < job.recording->kernels.size(); ++k)
      if (auto wrong =
              launch_finding(open, job, k, builds.at(job.recording->kernels[k].name), chip, Gate::compile)) {
        job.findings.push_back(*std::move(wrong));
        break;
      }
  return true;
}

Result<TargetResult> compile_for(Case& open, const ChipCard& card, Processes& processes) {
  TargetResult target;
  target.target = card.name;
  for (const auto& [name, kernel] : kernels_of(open)) {
    if (open.stopped()) return target;
    KGB_TRY(const CudaBuild build, processes.cuda_compiler().build(*kernel, card.name));
    ++target.kernels;
    target.registers = std::max(target.registers, build.registers);
    target.shared_bytes = std::max(target.shared_bytes, build.shared_bytes);
    target.spills = std::max(target.spills, build.spills);
    if (build.ok() || !target.ok) continue;
    target.ok = false;
    target.message = fmt::format("{}: {}", kernel->name, build.message);
    open.findings.push_back(make_finding("target_failure", Gate::compile, card.name + ": " + target.message));
  }
  return target;
}

Result<const ChipCard*> home_chip(const Case& open, const Catalogue& catalogue) {
  return catalogue.chip(open.on_device() ? open.chip.name : open.chip.impersonates);
}

}  // namespace

std::optional<Finding> cuda_needs_device(const Case& open) {
  if (open.on_device() && !open.chip.targets.empty() && is_nvidia(open.chip.targets.front()))
    return std::nullopt;
  return make_finding(
      "needs_device", Gate::correct,
      fmt::format("CUDA C++ cannot run on chip {}: {} was compiled and its plans were made, and no value "
                  "was checked. Judge it on a machine with an NVIDIA GPU (--chip nvidia)",
                  open.chip.name, open.request.file));
}

Status compile_cuda(Case& open, Processes& processes, const Catalogue& catalogue) {
  const StageClock clock(open, "compile");
  KGB_TRY(const ChipCard* const home, home_chip(open, catalogue));
  if (home->targets.empty() || !is_nvidia(home->targets.front())) return ok_status();  // gate correct says so
  KGB_TRY(const bool compiled, compile_at_home(open, *home, processes));
  for (const std::string& name : compiled ? open.request.targets : std::vector<std::string>()) {
    if (!is_nvidia(name)) continue;
    KGB_TRY(const ChipCard* const card, catalogue.chip(name));
    KGB_TRY(TargetResult target, compile_for(open, *card, processes));
    open.targets.push_back(std::move(target));
  }
  return ok_status();
}

Result<std::optional<KernelImage>> cuda_image(const Case& open, Job& job, std::size_t kernel,
                                              Processes& processes) {
  using Image = std::optional<KernelImage>;
  const Kernel& asked = job.recording->kernels[kernel];
  if (auto nowhere = cuda_needs_device(open)) {
    nowhere->workload = job.workload.call.workload;
    job.findings.push_back(*std::move(nowhere));
    return Image();
  }
  const std::string& target = open.chip.targets.front();
  KGB_TRY(CudaBuild build, processes.cuda_compiler().build(asked, target));
  std::optional<Finding> wrong;
  if (!build.ok())
    wrong = refusal(open, asked, build, target, Gate::correct);
  else if (!(wrong = clock_finding(asked, build, Gate::correct)))
    wrong = launch_finding(open, job, kernel, build, open.chip, Gate::correct);
  if (!wrong) return Image(std::move(build.image));
  wrong->workload = job.workload.call.workload;
  job.findings.push_back(*std::move(wrong));
  return Image();
}

}  // namespace kgb
