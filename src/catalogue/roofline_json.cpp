// SPDX-License-Identifier: Apache-2.0
// The roofline model over chip cards.
#include "catalogue/roofline.hpp"

#include <algorithm>

#include "nlohmann/json.hpp"

namespace kgb {
namespace {

// The rate that the card names first of these; 0: none.
double rate(const ChipCard& chip, std::initializer_list<std::string> names) {
  for (const std::string& name : names)
    if (const auto found = chip.peak.find(name); found != chip.peak.end()) return found->second;
  return 0;
}

double vector_rate(const ChipCard& chip, const std::string& type) {
  // Cards give no rate of 16-bit arithmetic outside of products; it is at least that of f32.
  return type == "f64" ? rate(chip, {"f64", "f32"}) : rate(chip, {"f32"});
}

// A product on a chip without units for its type is done in the next wider one that it has.
double product_rate(const ChipCard& chip, const Work& work) {
  if (!work.tensor()) return vector_rate(chip, work.type);
  if (work.type == "f64") return rate(chip, {"f64_dot", "f64", "f32"});
  if (work.type.starts_with("f8")) return rate(chip, {"f8_dot", "f16_dot", "f32"});
  if (work.type == "tf32") return rate(chip, {"tf32_dot", "f32"});
  return rate(chip, {work.type + "_dot", "f32"});
}

}  // namespace

std::optional<Roofline> roofline(const LaunchCounters& launch, const ChipCard& chip) {
  const double bandwidth = rate(chip, {"bandwidth"});
  if (bandwidth == 0 || rate(chip, {"f32"}) == 0) return std::nullopt;
  const CounterTotals sum = totals(launch);
  double vector_s = 0, tensor_s = 0;
  for (const Work& work : launch.work) {
    const auto count = static_cast<double>(work.count);
    if (work.kind == WorkKind::dot)
      (work.tensor() ? tensor_s : vector_s) += count / product_rate(chip, work);
    else if (work.flop())
      vector_s += count / vector_rate(chip, work.type);
  }
  Roofline made;
  made.chip = chip.name;
  made.compute_s = std::max(vector_s, tensor_s);
  made.memory_s = static_cast<double>(sum.unique_bytes()) / bandwidth;
  made.least_s = std::max(made.compute_s, made.memory_s);
  if (made.compute_s > 0) made.ridge = static_cast<double>(sum.flops) / made.compute_s / bandwidth;
  return made;
}

std::optional<Roofline> roofline(const CallCounters& call, const ChipCard& chip) {
  std::optional<Roofline> sum;
  double flops = 0;
  for (const LaunchCounters& launch : call.launches) {
    const std::optional<Roofline> one = roofline(launch, chip);
    if (!one) return std::nullopt;
    if (!sum) sum.emplace().chip = chip.name;
    sum->compute_s += one->compute_s;
    sum->memory_s += one->memory_s;
    sum->least_s += one->least_s;
    flops += static_cast<double>(totals(launch).flops);
  }
  if (sum && sum->compute_s > 0) sum->ridge = flops / sum->compute_s / rate(chip, {"bandwidth"});
  return sum;
}

nlohmann::json to_json(const Roofline& r) {
  return {{"chip", r.chip},         {"compute_s", r.compute_s},
          {"memory_s", r.memory_s}, {"least_s", r.least_s},
          {"ridge", r.ridge},       {"bound", r.memory_bound() ? "memory" : "compute"}};
}

}  // namespace kgb
