// SPDX-License-Identifier: Apache-2.0
// One line per candidate and operator, RFC 4180.
#include <fmt/format.h>

#include "report/csv_field.hpp"
#include "report/report.hpp"

namespace kgb {
namespace {

// Names of model/conditions.hpp with spaces between; empty also where it is not known.
std::string throttled(const Timing& timing) {
  std::string names;
  if (!timing.conditions) return names;
  for (const std::string& name : timing.conditions->throttled.value_or(std::vector<std::string>()))
    names += (names.empty() ? "" : " ") + name;
  return names;
}

}  // namespace

std::string report_csv(const RunReport& report, const ReportStyle&) {
  std::string out =
      "operator,sample,contestant,chip,language,verdict,gate,no_kernel,workloads_passed,workloads_judged,"
      "worst_ratio,"
      "targets_ok,targets,ratio,ratio_low,ratio_high,roof_share,energy_mj,throttled,total_ms,reason,profile,"
      "mode,published_candidate_us,published_baseline_us";
  const bool recorded = has_recorded(report);
  out += recorded ? ",recorded,recorded_evidence,disagrees\r\n" : "\r\n";
  for (const StoredEvaluation& stored : report.evaluations) {
    const Evaluation& e = stored.evaluation;
    std::size_t passed = 0, good = 0;
    double worst = 0;
    for (const WorkloadResult& w : e.workloads) {
      passed += w.verdict == Verdict::pass ? 1 : 0;
      worst = std::max(worst, w.worst_ratio);
    }
    for (const TargetResult& t : e.targets) good += t.ok ? 1 : 0;
    const Timing* timing = shown_timing(e);
    const auto number = [](std::optional<double> value) {
      return value ? fmt::format("{:.6g}", *value) : std::string();
    };
    const auto micros = [&](std::optional<double> seconds) {
      return number(seconds ? std::optional(1e6 * *seconds) : std::nullopt);
    };
    const Finding* why = deciding_finding(e);
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{:.6g},{},{},{},{},{},{},{},{},{:.3f},{},{},{},{},{}", csv_field(e.op),
        stored.item.sample, csv_field(e.contestant), e.chip, e.language, name_of(e.verdict),
        name_of(e.reached), e.no_kernel ? 1 : 0, passed, e.workloads.size(), worst, good, e.targets.size(),
        timing ? number(timing->ratio) : "", timing ? number(timing->ratio_low) : "",
        timing ? number(timing->ratio_high) : "", timing && timing->roof ? number(timing->roof->share) : "",
        timing && timing->energy ? number(timing->energy->call_mj) : "",
        timing ? csv_field(throttled(*timing)) : "", total_ms(e), csv_field(why ? why->message : ""),
        name_of(e.profile), e.mode, timing && timing->published ? micros(timing->published->candidate) : "",
        timing && timing->published ? micros(timing->published->baseline) : "");
    if (recorded)
      out += fmt::format(",{},{},{}", csv_field(stored.item.recorded),
                         csv_field(stored.item.recorded_evidence), disagrees(stored) ? 1 : 0);
    out += "\r\n";
  }
  return out;
}

}  // namespace kgb
