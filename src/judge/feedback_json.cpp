// SPDX-License-Identifier: Apache-2.0
// The disclosed facts of an evaluation as JSON.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "judge/disclosure.hpp"
#include "judge/feedback.hpp"
#include "judge/finding_help.hpp"

namespace kgb {
namespace {

using nlohmann::json;

json number(const std::optional<double>& value) {  // JSON has neither infinity nor NaN
  return value && std::isfinite(*value) ? json(*value) : json();
}

json finding_json(const ToldFinding& told) {
  json details = json::object();
  for (const auto& [key, value] : told.details) details[key] = value;
  json out{{"kind", told.kind},       {"gate", name_of(told.gate)}, {"advisory", told.advisory},
           {"message", told.message}, {"workload", told.workload},  {"description", told.description},
           {"file", told.file},       {"line", told.line},          {"details", details},
           {"hidden", told.reduced}};
  if (const FindingHelp* help = finding_help(told.kind)) {
    out["seen"] = help->seen;
    out["what_to_do"] = help->cure;
  }
  return out;
}

json timing_json(const Timing& timing) {
  return {{"workload", timing.workload.empty() ? "hidden" : timing.workload},
          {"ratio", number(timing.ratio)},
          {"low", number(timing.ratio_low)},
          {"high", number(timing.ratio_high)},
          {"candidate_s", number(timing.candidate)},
          {"baseline_s", number(timing.baseline)},
          {"call", timing.call},
          {"baseline", timing.baseline_name},
          {"why", timing.why}};
}

json target_json(const TargetResult& target) {
  json out{{"target", target.target}, {"ok", target.ok}, {"message", target.message}};
  if (target.kernels > 0)
    out.update({{"registers", target.registers},
                {"shared_bytes", target.shared_bytes},
                {"spills", target.spills},
                {"kernels", target.kernels}});
  return out;
}

}  // namespace

json feedback_json(const Evaluation& evaluation) {
  const Disclosure told = disclose(evaluation);
  json out{{"schema", 1},
           {"op", told.op},
           {"candidate", told.candidate},
           {"chip", told.chip},
           {"language", told.language},
           {"mode", told.mode},
           {"verdict", name_of(told.verdict)},
           {"gate", name_of(told.reached)},
           {"retryable", told.verdict == Verdict::infra},
           {"no_kernel", told.no_kernel},
           {"reason", told.reason ? finding_json(*told.reason) : json()},
           {"also", json::array()},
           {"passed", json::object()},
           {"worst", json()},
           {"timings", json::array()},
           {"targets", json::array()}};
  for (const ToldFinding& other : told.others) out["also"].push_back(finding_json(other));
  for (const ToldTier& tier : told.tiers)
    out["passed"][tier.tier] = {{"passed", tier.passed}, {"judged", tier.judged}};
  if (told.worst)
    out["worst"] = {
        {"ratio", number(told.worst->ratio)}, {"workload", told.worst->workload}, {"at", told.worst->at}};
  for (const Timing& timing : told.timings) out["timings"].push_back(timing_json(timing));
  for (const TargetResult& target : told.targets) out["targets"].push_back(target_json(target));
  return out;
}

}  // namespace kgb
