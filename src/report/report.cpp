// SPDX-License-Identifier: Apache-2.0
// What all reports share: loading, counting and the short texts of a row.
#include "report/report.hpp"

#include "model/operator_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.hpp"

namespace kgb {

#define KGB_REPORT(name, join) std::string report_##name(const RunReport&, const ReportStyle&);
#include "report/reports.def"
#undef KGB_REPORT

namespace {

using Join = std::string (*)(const std::vector<std::string>&);
constexpr Join one_chip = nullptr;

std::string blocks(const std::vector<std::string>& texts) {
  return join(texts, "\n");
}

std::string documents(const std::vector<std::string>& texts) {
  return "{\"schema\": 1, \"runs\": [\n" + join(texts, ",\n") + "]}\n";
}

Result<RunReport> read_report(const Store& store, RunInfo run) {
  RunReport report;
  report.run = std::move(run);
  KGB_TRY(report.evaluations, store.evaluations(report.run.id));
  KGB_TRY(report.items, store.item_count(report.run.id));
  KGB_TRY(report.attempts, store.attempts(report.run.id));
  KGB_TRY(report.calls, store.calls(report.run.id));
  return report;
}

}  // namespace

const std::vector<ReportRow>& reports() {
  static const std::vector<ReportRow> rows{
#define KGB_REPORT(name, join) {#name, report_##name, join},
#include "report/reports.def"
#undef KGB_REPORT
  };
  return rows;
}

Result<std::vector<RunReport>> load_reports(const Store& store) {
  KGB_TRY(std::vector<RunInfo> runs, store.runs());
  if (runs.empty()) return user_error("the run store holds no run yet. Start one with kgbench run");
  std::vector<RunReport> all;
  for (RunInfo& run : runs) {
    KGB_TRY(RunReport report, read_report(store, std::move(run)));
    all.push_back(std::move(report));
  }
  return all;
}

Result<RunReport> load_report(const Store& store, const std::string& run) {
  KGB_TRY(const std::vector<RunInfo> runs, store.runs());
  for (const RunInfo& info : runs)
    if (info.id == run) return read_report(store, info);
  return user_error("the run store holds no run " + in_quotes(run));
}

std::map<std::string, std::string> families_of(const Catalogue& catalogue) {
  std::map<std::string, std::string> families;
  for (const Operator& op : catalogue.operators()) families[op.name] = op.family;
  return families;
}

double total_ms(const Evaluation& evaluation) {
  const auto found = evaluation.stage_ms.find("total");
  return found == evaluation.stage_ms.end() ? 0 : found->second;
}

Counts count(const RunReport& report) {
  Counts counts;
  std::map<std::string, std::pair<std::int64_t, std::int64_t>> by_source;
  std::map<Verdict, std::int64_t> by_verdict;
  for (const StoredEvaluation& stored : report.evaluations) {
    const Evaluation& e = stored.evaluation;
    const bool pass = e.verdict == Verdict::pass;
    ++by_verdict[e.verdict];
    const Finding* why = deciding_finding(e);
    counts.absent += why != nullptr && why->kind == "not_in_library" ? 1 : 0;
    if (e.no_kernel) {
      ++counts.no_kernel;
      counts.no_kernel_passed += pass ? 1 : 0;
      continue;
    }
    ++counts.judged;
    counts.passed += pass ? 1 : 0;
    auto& source = by_source[source_of(e.op)];
    source.first += pass ? 1 : 0;
    ++source.second;
  }
  counts.by_source.assign(by_source.begin(), by_source.end());
  for (const auto& [verdict, n] : by_verdict) counts.by_verdict.emplace_back(name_of(verdict), n);
  return counts;
}

std::string headline(const RunReport& report) {
  const Counts counts = count(report);
  std::string sources;
  for (const auto& [source, pair] : counts.by_source)
    sources += fmt::format("{}{} {} of {}", sources.empty() ? "" : ", ", source, pair.first, pair.second);
  std::string line = fmt::format(
      "{} of {} pass{}", counts.passed + counts.no_kernel_passed, counts.judged + counts.no_kernel,
      report.run.profile == "careful" ? "" : " the " + report.run.profile + " profile");
  if (!sources.empty()) line += ": " + sources + " with kernels";
  if (counts.no_kernel > 0)
    line += fmt::format("; {} of {} without an honest kernel, counted apart", counts.no_kernel_passed,
                        counts.no_kernel);
  if (counts.absent > 0)
    line += fmt::format("; {} fail for nothing but entries that the library lacks", counts.absent);
  if (report.items > counts.judged + counts.no_kernel)
    line += fmt::format(". {} not judged yet", report.items - counts.judged - counts.no_kernel);
  return line;
}

std::string worst_text(const Evaluation& evaluation) {
  const WorkloadResult* worst = nullptr;
  for (const WorkloadResult& w : evaluation.workloads)
    if (worst == nullptr || w.worst_ratio > worst->worst_ratio) worst = &w;
  if (worst == nullptr) return "-";
  if (worst->worst_ratio == 0) return "exact";
  if (!std::isfinite(worst->worst_ratio)) return fmt::format("inf  {}", worst->id);
  return fmt::format("{:.2f}  {}", worst->worst_ratio, worst->id);
}

std::string workloads_text(const Evaluation& evaluation) {
  const auto passed = std::count_if(evaluation.workloads.begin(), evaluation.workloads.end(),
                                    [](const WorkloadResult& w) { return w.verdict == Verdict::pass; });
  return evaluation.workloads.empty() ? "-" : fmt::format("{}/{}", passed, evaluation.workloads.size());
}

std::string targets_text(const Evaluation& evaluation) {
  if (evaluation.targets.empty()) return "-";
  const TargetResult* failed = nullptr;
  std::size_t good = 0;
  for (const TargetResult& t : evaluation.targets) {
    good += t.ok ? 1 : 0;
    if (!t.ok && failed == nullptr) failed = &t;
  }
  std::string text = fmt::format("{}/{}", good, evaluation.targets.size());
  if (failed != nullptr) text += fmt::format("  {}: {}", failed->target, failed->message);
  return text;
}

const Timing* shown_timing(const Evaluation& evaluation) {
  const Timing* shown = nullptr;
  for (const Timing& t : evaluation.timings)
    if (shown == nullptr || t.baseline.value_or(0) > shown->baseline.value_or(0)) shown = &t;
  return shown;
}

std::string time_text(const Evaluation& evaluation) {
  const Timing* shown = shown_timing(evaluation);
  if (shown == nullptr) return "-";
  if (!shown->ratio) return shown->why.empty() ? shown->call : shown->why;
  return fmt::format("{:.2f}x [{:.2f}, {:.2f}] {}", *shown->ratio, shown->ratio_low.value_or(0),
                     shown->ratio_high.value_or(0), shown->call);
}

std::string published_text(const Evaluation& evaluation) {
  const Timing* shown = shown_timing(evaluation);
  if (shown == nullptr || !shown->published) return "-";
  const Published& p = *shown->published;
  if (!p.candidate) return p.why;
  if (!p.baseline) return fmt::format("{:.4g} us", 1e6 * *p.candidate);
  return fmt::format("{:.2f}x: {:.4g} us against {:.4g}", *p.baseline / *p.candidate, 1e6 * *p.candidate,
                     1e6 * *p.baseline);
}

const Finding* deciding_finding(const Evaluation& evaluation) {
  for (const Finding& finding : evaluation.findings)
    if (verdict_of(finding.kind) == evaluation.verdict) return &finding;
  return nullptr;
}

}  // namespace kgb
