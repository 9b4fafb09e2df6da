// SPDX-License-Identifier: Apache-2.0
// The roofline of one call.
#include "judge/roof.hpp"

#include <string>
#include <vector>

namespace kgb {
namespace {

// The smallest kernels take about 1.5 us on the judge's clock (bench/results/2026-12-01-h200.md): near it the
// roof is not what binds.
constexpr double kLaunchSeconds = 2e-6;

// The rates that stand for products and sums of a type, the fastest first; of integers of more than eight
// bits cards give none.
std::vector<std::string> rate_names(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3:
    case DType::f8e5m2:
      return {"f8_dot"};
    case DType::i8:
    case DType::u8:
      return {"i8_dot"};
    case DType::f16:
      return {"f16_dot"};
    case DType::bf16:
      return {"bf16_dot"};
    case DType::f32:
    case DType::c64:
      return {"f32"};
    case DType::f64:
    case DType::c128:
      return {"f64_dot", "f64"};
    default:
      return {};
  }
}

struct Arithmetic {
  std::string name;
  Peak peak;
  bool unknown = false;  // a type has a rate, but nobody knows it
};

Arithmetic fastest(const Call& call, const Peaks& peaks) {
  Arithmetic best;
  for (const auto& [path, tensor] : tensors_of(call)) {
    const std::vector<std::string> names = rate_names(tensor.dtype);
    bool known = names.empty();
    for (const std::string& name : names) {
      const Peak* peak = peaks.find(name);
      if (peak == nullptr) continue;
      known = true;
      if (peak->rate > best.peak.rate) best = {name, *peak, best.unknown};
    }
    best.unknown = best.unknown || !known;
  }
  return best;
}

}  // namespace

std::optional<RoofShare> roof_share(const Cost& cost, const Call& call, const Peaks& peaks, double seconds) {
  const Peak* bandwidth = peaks.find("bandwidth");
  if (bandwidth == nullptr || seconds <= 0 || (cost.bytes <= 0 && cost.flops <= 0)) return std::nullopt;
  RoofShare share{cost.bytes / bandwidth->rate, 0,    "memory", "bandwidth", bandwidth->rate,
                  bandwidth->measured,          false};
  if (cost.flops > 0) {
    const Arithmetic arithmetic = fastest(call, peaks);
    if (arithmetic.unknown) return std::nullopt;
    if (!arithmetic.name.empty() && cost.flops / arithmetic.peak.rate > share.least_s)
      share = {cost.flops / arithmetic.peak.rate, 0,    "compute", arithmetic.name, arithmetic.peak.rate,
               arithmetic.peak.measured,          false};
  }
  share.share = share.least_s / seconds;
  share.launch_bound = share.least_s < kLaunchSeconds;
  return share;
}

}  // namespace kgb
