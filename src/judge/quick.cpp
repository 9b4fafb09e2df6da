// SPDX-License-Identifier: Apache-2.0
// Draws the workloads of the profile quick.
#include "judge/quick.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <set>
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

constexpr std::int64_t kTiny = 32, kSeveralPrograms = 256;  // elements

bool out_of_the_ordinary(const Domain& domain) {
  static const std::set<std::string> kinds{"special",   "finite_special", "spike",
                                           "precision", "ties",           "large"};
  return kinds.contains(domain.kind);
}

bool contiguous(const TensorSpec& spec) {
  std::int64_t stride = 1;
  for (std::size_t i = spec.shape.size(); i-- > 0;) {
    if (spec.shape[i] != 1 && spec.strides[i] != stride) return false;
    stride *= spec.shape[i];
  }
  return true;
}

// Edge workloads last, then a race that heavier ones tend to win: an exponential time at the rate of the
// weight.
using Rank = std::pair<bool, double>;

Rank rank_of_quick(const Workload& workload, std::uint64_t seed) {
  const Digest digest = sha256("quick/" + seed_text(seed) + "/" + workload.call.workload);
  std::uint64_t bits = 0;
  std::memcpy(&bits, digest.data(), sizeof bits);
  const double uniform = (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
  return {workload.edge, -std::log(uniform) / quick_weight_of(workload.call)};
}

// What a workload stands for: its entry on its side of the secret, and its class of dtypes.
std::array<std::string, 2> stands_for(const Workload& workload) {
  const char* side = workload.tier == Tier::hidden ? "hidden " : "public ";
  return {side + workload.call.entry, "class " + dtype_class_of(workload.call)};
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

double quick_weight_of(const Call& call) {
  std::int64_t largest = 0;
  bool strided = false, unusual = false;
  for (const auto& [path, spec] : tensors_of(call)) {
    largest = std::max(largest, spec.numel());
    strided = strided || spec.offset != 0 || !contiguous(spec);
    unusual = unusual || out_of_the_ordinary(spec.domain);
  }
  const double size = largest < kTiny ? 0.2 : largest < kSeveralPrograms ? 1 : 3;
  return size * (strided ? 2 : 1) * (unusual ? 2 : 1);
}

void keep_quick(std::vector<Workload>& workloads, std::uint64_t seed) {
  std::vector<std::pair<Rank, std::size_t>> order;
  for (std::size_t i = 0; i < workloads.size(); ++i) order.emplace_back(rank_of_quick(workloads[i], seed), i);
  std::sort(order.begin(), order.end());
  std::set<std::string> covered;
  std::vector<bool> kept(workloads.size(), false);
  // What covers two things at once goes first, so that a class rides along with an entry where it can.
  for (const auto& [edge, wanted] : {std::pair{false, 2}, {false, 1}, {true, 2}, {true, 1}})
    for (const auto& [rank, i] : order) {
      if (workloads[i].edge != edge) continue;
      const auto marks = stands_for(workloads[i]);
      const auto fresh = std::count_if(marks.begin(), marks.end(),
                                       [&](const std::string& mark) { return !covered.contains(mark); });
      if (kept[i] || fresh < wanted) continue;
      kept[i] = true;
      covered.insert(marks.begin(), marks.end());
    }
  std::size_t at = 0;
  std::erase_if(workloads, [&](const Workload&) { return !kept[at++]; });
}

}  // namespace kgb
