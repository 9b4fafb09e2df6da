// SPDX-License-Identifier: Apache-2.0
// JUnit XML, which every CI system shows: one test case per operator and sample, a suite per source.
#include <fmt/format.h>

#include <map>

#include "base/text.hpp"
#include "model/operator_name.hpp"
#include "report/report.hpp"

namespace kgb {
namespace {

// Control characters cannot stand in XML 1.0, not even escaped.
std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : to_utf8_lossy(text)) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20)
      out += c;
    else
      out += ' ';
  }
  return out;
}

// What a library does not claim to have is not its failure; CI systems show it as skipped.
bool is_skipped(const Evaluation& e) {
  const Finding* why = deciding_finding(e);
  return why != nullptr && why->kind == "not_in_library";
}

// infra is an error of the machine, everything else that is not a pass a failure of the kernel.
std::string outcome(const Evaluation& e) {
  if (e.verdict == Verdict::pass) return "";
  const Finding* why = deciding_finding(e);
  const std::string message = xml_escaped(why ? why->message : std::string(name_of(e.verdict)));
  if (is_skipped(e)) return fmt::format("      <skipped message=\"{}\"/>\n", message);
  const std::string place =
      why && why->line > 0 ? fmt::format("{}:{}", xml_escaped(why->file), why->line) : std::string();
  const char* element = e.verdict == Verdict::infra ? "error" : "failure";
  return fmt::format("      <{0} type=\"{1}\" message=\"{2}\">{3}</{0}>\n", element, name_of(e.verdict),
                     message, place);
}

struct Suite {
  std::string cases;
  int tests = 0, failures = 0, errors = 0, skipped = 0;
};

}  // namespace

std::string report_junit(const RunReport& report, const ReportStyle&) {
  std::map<std::string, Suite> suites;
  for (const StoredEvaluation& stored : report.evaluations) {
    const Evaluation& e = stored.evaluation;
    Suite& suite = suites[source_of(e.op)];
    ++suite.tests;
    if (is_skipped(e))
      ++suite.skipped;
    else if (e.verdict == Verdict::infra)
      ++suite.errors;
    else if (e.verdict != Verdict::pass)
      ++suite.failures;
    const std::string sample = stored.item.sample > 0 ? fmt::format(" #{}", stored.item.sample) : "";
    suite.cases +=
        fmt::format("    <testcase classname=\"{}\" name=\"{}{}\" time=\"{:.3f}\">\n{}    </testcase>\n",
                    xml_escaped(e.contestant), xml_escaped(e.op), sample, total_ms(e) / 1e3, outcome(e));
  }
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"kgbench {}{}\">\n",
      xml_escaped(report.run.id),
      report.run.profile == "careful" ? "" : " (profile " + xml_escaped(report.run.profile) + ")");
  for (const auto& [name, suite] : suites)
    out += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n{}"
        "  </testsuite>\n",
        xml_escaped(name), suite.tests, suite.failures, suite.errors, suite.skipped, suite.cases);
  return out + "</testsuites>\n";
}

}  // namespace kgb
