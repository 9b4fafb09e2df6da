// SPDX-License-Identifier: Apache-2.0
// Chooses by the kernels that have to be compiled.
#include "judge/quick_device.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace kgb {
namespace {

std::set<std::string> kernels_of(const Job& job) {
  std::set<std::string> kernels;
  for (const Kernel& kernel : job.recording->kernels) {
    std::string key = kernel.name + "\n" + kernel.ttir;
    for (const auto& [name, value] : kernel.options) key += "\n" + name + "=" + value;
    kernels.insert(std::move(key));
  }
  return kernels;
}

bool judged_by_vm(const Job& job) {
  return std::none_of(job.findings.begin(), job.findings.end(),
                      [](const Finding& finding) { return finding.kind == "vm_unchecked"; });
}

}  // namespace

std::vector<Job*> device_jobs(std::span<Job* const> right, std::span<Job* const> timed) {
  std::set<const Job*> chosen;
  std::set<std::string> compiled;
  std::set<bool> sides;
  const auto choose = [&](const Job* job) {
    chosen.insert(job);
    compiled.merge(kernels_of(*job));
    sides.insert(job->workload.tier == Tier::hidden);
  };
  for (const Job* job : right)
    if (!judged_by_vm(*job) || std::find(timed.begin(), timed.end(), job) != timed.end()) choose(job);
  for (const Job* job : right)
    if (!sides.contains(job->workload.tier == Tier::hidden)) choose(job);
  const auto nothing_new = [&](const Job* job) {
    const std::set<std::string> needed = kernels_of(*job);
    return std::includes(compiled.begin(), compiled.end(), needed.begin(), needed.end());
  };
  std::vector<Job*> out;
  for (Job* job : right)
    if (chosen.contains(job) || nothing_new(job)) out.push_back(job);
  return out;
}

}  // namespace kgb
