// SPDX-License-Identifier: Apache-2.0
// The form that compiler sanitizers have made familiar: a headline, the place, the other party, a picture.
#include "report/sanitize_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace kgb {
namespace {

std::string_view line_of(std::string_view text, int number) {
  for (; number > 1; --number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

void indented(std::string& out, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = lines.find('\n');
    out += fmt::format("    {}\n", lines.substr(0, end));
    if (end == std::string_view::npos) return;
    lines.remove_prefix(end + 1);
  }
}

}  // namespace

std::string sanitize_text(const Finding& finding, std::string_view source) {
  std::string out = fmt::format("== {}: {}\n", finding.kind, finding.message);
  const auto detail = [&](const char* name) {
    const auto found = finding.details.find(name);
    return found == finding.details.end() ? std::string() : found->second;
  };
  if (finding.line > 0) {
    const std::string_view line = line_of(source, finding.line);
    out += fmt::format("  at {}:{}{}\n", finding.file, finding.line,
                       line.empty() ? "" : fmt::format(":  {}", line));
  }
  std::string where = finding.workload.empty() ? std::string() : "workload " + finding.workload;
  for (const auto& [name, text] : {std::pair("call", "call "), std::pair("program", "program ")})
    if (!detail(name).empty()) where += (where.empty() ? "" : ", ") + std::string(text) + detail(name);
  if (!where.empty()) out += fmt::format("  in {}\n", where);
  if (!detail("launched_at").empty()) out += fmt::format("  launched at {}\n", detail("launched_at"));
  indented(out, detail("notes"));
  indented(out, detail("picture"));
  return out;
}

std::string sanitize_key(const Finding& finding) {
  const auto kernel = finding.details.find("kernel");
  return finding.kind + " " +
         (kernel == finding.details.end() ? finding.file + ":" + std::to_string(finding.line)
                                          : kernel->second);
}

std::string folded_text(const std::vector<const Finding*>& more) {
  if (more.empty()) return {};
  std::set<int> lines;
  std::set<std::string> workloads;
  for (const Finding* finding : more) {
    if (finding->line > 0) lines.insert(finding->line);
    if (!finding->workload.empty()) workloads.insert(finding->workload);
  }
  const auto kernel = more.front()->details.find("kernel");
  std::string out = fmt::format("== {}: {} more", more.front()->kind, more.size());
  if (kernel != more.front()->details.end()) out += " in kernel " + kernel->second;
  if (!lines.empty())
    out += fmt::format(", at line{} {}", lines.size() == 1 ? "" : "s", fmt::join(lines, ", "));
  if (!workloads.empty())
    out += fmt::format(", workload{} {}", workloads.size() == 1 ? "" : "s", fmt::join(workloads, ", "));
  return out + "\n";
}

}  // namespace kgb
