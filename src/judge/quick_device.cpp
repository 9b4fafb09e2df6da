// SPDX-License-Identifier: Apache-2.0
// Chooses by the kernels that have to be compiled.
#include "judge/quick_device.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

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

}  // namespace

std::vector<Job*> device_jobs(std::span<Job* const> right, std::span<Job* const> timed) {
  std::map<const Job*, std::set<std::string>> kernels;
  for (const Job* job : right) kernels[job] = kernels_of(*job);
  std::set<const Job*> chosen;
  std::set<std::string> compiled;
  std::set<bool> sides;
  const auto choose = [&](const Job* job) {
    chosen.insert(job);
    compiled.insert(kernels[job].begin(), kernels[job].end());
    sides.insert(job->workload.tier == Tier::hidden);
  };
  for (const Job* job : right)
    if (!watched(*job) || std::find(timed.begin(), timed.end(), job) != timed.end()) choose(job);
  // How many kernels more have to be compiled; without any kernel a workload says little of the device.
  const auto cost = [&](const Job* job) {
    const std::set<std::string>& needed = kernels[job];
    const auto fresh = std::count_if(needed.begin(), needed.end(),
                                     [&](const std::string& kernel) { return !compiled.contains(kernel); });
    return std::pair(needed.empty(), fresh);
  };
  for (const bool hidden : {false, true}) {
    if (sides.contains(hidden)) continue;
    std::vector<Job*> side;
    std::copy_if(right.begin(), right.end(), std::back_inserter(side),
                 [&](const Job* job) { return (job->workload.tier == Tier::hidden) == hidden; });
    const auto cheapest = std::min_element(side.begin(), side.end(),
                                           [&](const Job* a, const Job* b) { return cost(a) < cost(b); });
    if (cheapest != side.end()) choose(*cheapest);
  }
  std::vector<Job*> out;
  for (Job* job : right)
    if (chosen.contains(job) || cost(job).second == 0) out.push_back(job);
  return out;
}

}  // namespace kgb
