// SPDX-License-Identifier: Apache-2.0
// Draws the workloads of the profile quick.
#include "judge/quick.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/hash.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

std::string class_of(DType dtype) {
  if (dtype == DType::b8) return "bool";
  if (is_complex(dtype)) return "complex";
  if (!is_float(dtype)) return "integer";
  return size_of(dtype) >= 4 ? "wide" : size_of(dtype) == 2 ? "half" : "fp8";
}

// Entry, class, hidden or not.
using Group = std::tuple<std::string, std::string, bool>;
// Edge workloads last, then the order of the seed.
using Rank = std::pair<bool, std::string>;

Group group_of(const Workload& workload) {
  return {workload.call.entry, dtype_class_of(workload.call), workload.tier == Tier::hidden};
}

Rank rank_of_quick(const Workload& workload, std::uint64_t seed) {
  return {workload.edge, sha256_hex("quick/" + seed_text(seed) + "/" + workload.call.workload)};
}

}  // namespace

std::string dtype_class_of(const Call& call) {
  const auto tensors = tensors_of(call);
  const auto floating = std::find_if(tensors.begin(), tensors.end(), [](const auto& item) {
    return is_float(item.second.dtype) || is_complex(item.second.dtype);
  });
  if (floating != tensors.end()) return class_of(floating->second.dtype);
  return tensors.empty() ? "none" : class_of(tensors.front().second.dtype);
}

void keep_quick(std::vector<Workload>& workloads, std::uint64_t seed) {
  std::map<Group, std::pair<Rank, std::string>> chosen;
  for (const Workload& workload : workloads) {
    std::pair<Rank, std::string> own{rank_of_quick(workload, seed), workload.call.workload};
    const auto [held, fresh] = chosen.try_emplace(group_of(workload), own);
    if (!fresh && own < held->second) held->second = std::move(own);
  }
  std::erase_if(workloads, [&](const Workload& workload) {
    return chosen.at(group_of(workload)).second != workload.call.workload;
  });
}

}  // namespace kgb
