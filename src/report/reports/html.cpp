// SPDX-License-Identifier: Apache-2.0
// The page: one self-contained file without network access; whole without script, sortable with it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/evidence_html.hpp"
#include "report/report.hpp"
#include "report/statistics.hpp"

extern "C" const char kgb_page_head[];
extern "C" const char kgb_page_script[];

namespace kgb {
namespace {

using html::escaped;
using html::verdict_class;

std::string summary_of(const RunReport& report) {
  const RunInfo& run = report.run;
  std::string out = fmt::format("<h1>kgbench: {} on {}</h1>\n<p class=\"lead\">{}</p>\n",
                                escaped(run.contestant), escaped(run.suite), escaped(headline(report)));
  out += fmt::format(
      "<p class=\"soft\">run {}, started {}{}, kgbench {}, chip {}, tiers {}, tolerance {}, profile {}, seed "
      "<code>{}</code></p>\n",
      escaped(run.id), escaped(run.created),
      run.finished.empty() ? "" : ", finished " + escaped(run.finished), escaped(run.version),
      escaped(run.chip), escaped(run.tiers), escaped(run.tolerance), escaped(run.profile), escaped(run.seed));
  return out;
}

std::string verdict_bar(const RunReport& report) {
  const Counts counts = count(report);
  const auto total = static_cast<double>(std::max<std::size_t>(report.evaluations.size(), 1));
  std::string bar = "<div class=\"bar\" role=\"img\" aria-label=\"share of each verdict\">", legend;
  for (const auto& [verdict, n] : counts.by_verdict) {
    const std::string kind = verdict_class(verdict);
    bar += fmt::format("<span class=\"fill {}\" style=\"width:{:.2f}%\" title=\"{}: {}\"></span>", kind,
                       100.0 * static_cast<double>(n) / total, verdict, n);
    legend += fmt::format("<span><i class=\"dot fill {}\"></i>{} {}</span>", kind, n, verdict);
  }
  return bar + "</div>\n<div class=\"legend\">" + legend + "</div>\n";
}

double worst_ratio(const Evaluation& e) {
  double worst = 0;
  for (const WorkloadResult& w : e.workloads) worst = std::max(worst, w.worst_ratio);
  return worst;
}

std::string result_row(const StoredEvaluation& stored) {
  const Evaluation& e = stored.evaluation;
  const std::string id = html::anchor(stored);
  const double worst = worst_ratio(e);
  return fmt::format(
      "<tr data-op=\"{0}\"><td><a href=\"#{0}\">{1}</a>{2}</td><td class=\"v {3}\">{4}</td>"
      "<td data-key=\"{5}\">{6}</td><td>{7}</td><td class=\"wide\">{8}</td><td class=\"wide\">{9}</td>"
      "<td class=\"n\" data-key=\"{10:.3f}\">{10:.0f}</td></tr>\n",
      id, escaped(e.op), e.no_kernel ? " <span class=\"soft\">no honest kernel</span>" : "",
      verdict_class(std::string(name_of(e.verdict))), label_of(e),
      std::isfinite(worst) ? fmt::format("{:.6g}", worst) : "1e300", escaped(worst_text(e)),
      escaped(workloads_text(e)), escaped(targets_text(e)), escaped(time_text(e)), total_ms(e));
}

std::string result_table(const RunReport& report) {
  std::string out =
      "<h2>Results</h2>\n<input id=\"filter\" type=\"search\" placeholder=\"filter: operator, verdict, "
      "target\" "
      "aria-label=\"filter the table\"> <span id=\"shown\" class=\"soft\"></span>\n<div "
      "class=\"scroll\"><table "
      "id=\"results\"><thead><tr>";
  for (const char* head : {"operator", "verdict", "worst error / bound", "workloads"})
    out += fmt::format("<th><button>{}</button></th>", head);
  out +=
      "<th class=\"wide\"><button>targets compiled</button></th><th class=\"wide\"><button>time</button></th>"
      "<th><button>judged in, ms</button></th></tr></thead><tbody>\n";
  for (const StoredEvaluation& stored : report.evaluations) out += result_row(stored);
  return out + "</tbody></table></div>\n";
}

}  // namespace

std::string report_html(const RunReport& report, const ReportStyle&) {
  std::string out = "<!doctype html>\n<html lang=\"en\"><head>\n";
  out += kgb_page_head;
  out += fmt::format("<title>kgbench {}</title>\n</head><body>\n", escaped(report.run.id));
  out += summary_of(report) + verdict_bar(report) + statistics_html(report) + result_table(report);
  out += "<h2>Evidence</h2>\n";
  for (const StoredEvaluation& stored : report.evaluations) out += html::evidence(stored);
  out += fmt::format(
      "<p class=\"soft\">Host: <code>{}</code>. How to read a verdict: docs/read-a-verdict.md. Times in "
      "the last column are the judge's own and say nothing about the kernel.</p>\n",
      escaped(report.run.host));
  out += "<script>\n";
  out += kgb_page_script;
  return out + "</script>\n</body></html>\n";
}

}  // namespace kgb
