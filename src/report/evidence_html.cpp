// SPDX-License-Identifier: Apache-2.0
// Findings, workloads, targets, times and the marked source of one evaluation.
#include "report/evidence_html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/conditions_text.hpp"

namespace kgb::html {

std::string escaped(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

std::string verdict_class(const std::string& verdict) {
  if (verdict == "pass") return "pass";
  if (verdict == "infra") return "none";
  if (verdict == "not_custom" || verdict == "tampering" || verdict == "unsupported") return "policy";
  return "fail";
}

std::string anchor(const StoredEvaluation& stored) {
  std::string id = stored.evaluation.op + "." + std::to_string(stored.item.sample);
  std::replace_if(
      id.begin(), id.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '-');
  return id;
}

namespace {

std::string findings(const Evaluation& e) {
  std::string out;
  for (const Finding& f : e.findings) {
    const std::optional<Verdict> verdict = verdict_of(f.kind);
    out += fmt::format("<div class=\"finding {}\"><b>{}</b>{}{}<br>{}",
                       verdict ? verdict_class(std::string(name_of(*verdict))) : "none", escaped(f.kind),
                       f.workload.empty() ? "" : " in " + escaped(f.workload),
                       f.file.empty() ? "" : fmt::format(" at {}:{}", escaped(f.file), f.line),
                       escaped(f.message));
    for (const auto& [key, value] : f.details)
      out += fmt::format("<br><span class=\"soft\">{}</span> <code>{}</code>", escaped(key),
                         escaped(value.substr(0, 2000)));
    out += "</div>\n";
  }
  return out;
}

std::string meter(double ratio) {
  const double share = std::isfinite(ratio) ? std::clamp(ratio, 0.0, 1.0) : 1.0;
  return fmt::format("<span class=\"meter{}\"><i style=\"width:{:.1f}%\"></i></span>",
                     ratio > 1 ? " over" : "", 100 * share);
}

std::string workloads(const Evaluation& e) {
  if (e.workloads.empty()) return "";
  std::string out =
      "<h3>Workloads</h3><div class=\"scroll\"><table><thead><tr><th>id</th><th>call</th><th>verdict</th>"
      "<th>worst error / bound</th><th>at</th><th class=\"wide\">plan</th></tr></thead><tbody>\n";
  for (const WorkloadResult& w : e.workloads)
    out += fmt::format(
        "<tr><td>{}</td><td class=\"mono\">{}</td><td class=\"v {}\">{}</td><td>{}{}</td><td "
        "class=\"mono\">{}</td>"
        "<td class=\"wide mono\">{}</td></tr>\n",
        escaped(w.id), escaped(w.description), verdict_class(std::string(name_of(w.verdict))),
        name_of(w.verdict), std::isfinite(w.worst_ratio) ? fmt::format("{:.3g}", w.worst_ratio) : "inf",
        meter(w.worst_ratio), escaped(w.worst_at), escaped(w.plan_hash.substr(0, 12)));
  return out + "</tbody></table></div>\n";
}

std::string targets(const Evaluation& e) {
  if (e.targets.empty()) return "";
  std::string out =
      "<h3>Cross-compiled</h3><div "
      "class=\"scroll\"><table><thead><tr><th>target</th><th>result</th><th>kernels</th>"
      "<th>registers</th><th>shared, bytes</th><th>spills</th></tr></thead><tbody>\n";
  for (const TargetResult& t : e.targets)
    out += fmt::format(
        "<tr><td>{}</td><td class=\"v {}\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td>"
        "<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>\n",
        escaped(t.target), t.ok ? "pass" : "fail", t.ok ? "compiled" : escaped(t.message), t.kernels,
        t.registers, t.shared_bytes, t.spills);
  return out + "</tbody></table></div>\n";
}

std::string timings(const Evaluation& e) {
  if (e.timings.empty()) return "";
  const auto ms = [](const std::optional<double>& s) {
    return s ? fmt::format("{:.4g}", 1e3 * *s) : std::string("-");
  };
  std::string out =
      "<h3>Time</h3><div class=\"scroll\"><table><thead><tr><th>workload</th><th>candidate, "
      "ms</th><th>baseline, ms</th>"
      "<th>speedup, 95 % interval</th><th>call</th><th>of the roof</th><th>energy</th><th>device</th></tr>"
      "</thead><tbody>\n";
  for (const Timing& t : e.timings)
    out += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td class=\"n\">{} <span class=\"soft\">{}</span></td>"
        "<td>{}</td><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        escaped(t.workload), ms(t.candidate), ms(t.baseline), escaped(t.baseline_name),
        t.ratio ? fmt::format("{:.2f}x [{:.2f}, {:.2f}]", *t.ratio, t.ratio_low.value_or(0),
                              t.ratio_high.value_or(0))
                : "-",
        escaped(t.call), t.why.empty() ? "" : ": " + escaped(t.why), escaped(roof_text(t)),
        escaped(energy_text(t)), escaped(t.conditions ? conditions_text(*t.conditions) : ""));
  return out + "</tbody></table></div>\n";
}

// The source with the lines that findings name marked.
std::string source(const StoredEvaluation& stored) {
  std::set<int> marked;
  for (const Finding& f : stored.evaluation.findings)
    if (f.line > 0) marked.insert(f.line);
  std::string out = "<details><summary>Source</summary><div><pre>";
  std::size_t at = 0;
  for (int line = 1; at < stored.source.size(); ++line) {
    std::size_t end = stored.source.find('\n', at);
    if (end == std::string::npos) end = stored.source.size();
    const std::string text = fmt::format("{:4}  {}", line, escaped(stored.source.substr(at, end - at)));
    out += marked.count(line) != 0 ? "<span class=\"hit\">" + text + "</span>" : text + "\n";
    at = end + 1;
  }
  return out + "</pre></div></details>\n";
}

}  // namespace

std::string evidence(const StoredEvaluation& stored) {
  const Evaluation& e = stored.evaluation;
  std::string stages;
  for (const auto& [stage, ms] : e.stage_ms)
    stages += fmt::format("{}{} {:.0f} ms", stages.empty() ? "" : ", ", stage, ms);
  return fmt::format(
      "<article id=\"{0}\" data-op=\"{0}\"><details{1}><summary><b>{2}</b> <span class=\"v {3}\">{4}</span> "
      "<span class=\"soft\">{5}</span></summary><div>\n{6}{7}{8}{9}{10}<p class=\"soft\">gate reached: {11}. "
      "{12}. "
      "Source SHA-256 <code>{13}</code></p>\n</div></details></article>\n",
      anchor(stored), e.verdict == Verdict::pass ? "" : " open", escaped(e.op),
      verdict_class(std::string(name_of(e.verdict))), label_of(e), escaped(stored.item.candidate),
      findings(e), workloads(e), targets(e), timings(e), source(stored), name_of(e.reached), escaped(stages),
      escaped(e.source_hash.substr(0, 16)));
}

}  // namespace kgb::html
