// SPDX-License-Identifier: Apache-2.0
// Matches two runs operator by operator and tells what changed.
#include "report/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/text.hpp"

namespace kgb {
namespace {

using Key = std::pair<std::string, int>;

bool passed(const Evaluation* evaluation) {
  return evaluation != nullptr && evaluation->verdict == Verdict::pass;
}

std::string verdict_text_of(const Evaluation* evaluation) {
  return evaluation == nullptr ? "not judged" : label_of(*evaluation);
}

std::string reason_of(const Evaluation* evaluation) {
  const Finding* why = evaluation == nullptr ? nullptr : deciding_finding(*evaluation);
  if (why == nullptr) return "";
  return why->message + (why->workload.empty() ? "" : "  (" + why->workload + ")");
}

// Workloads that pass in `from` and do not in `to`.
std::vector<std::string> lost_workloads(const Evaluation& from, const Evaluation& to, bool hidden) {
  std::map<std::string, Verdict> now;
  for (const WorkloadResult& w : to.workloads) now[w.id] = w.verdict;
  std::vector<std::string> lost;
  for (const WorkloadResult& w : from.workloads) {
    if (w.verdict != Verdict::pass || (w.tier == "hidden" && !hidden)) continue;
    const auto found = now.find(w.id);
    if (found != now.end() && found->second != Verdict::pass) lost.push_back(w.id);
  }
  return lost;
}

// Workloads on which `slow` is slower than `fast` beyond both intervals.
std::vector<std::string> slower_workloads(const Evaluation& fast, const Evaluation& slow) {
  std::vector<std::string> slower;
  for (const Timing& a : fast.timings)
    for (const Timing& b : slow.timings)
      if (a.workload == b.workload && a.ratio_low && b.ratio_high && *b.ratio_high < *a.ratio_low)
        slower.push_back(
            fmt::format("{} {:.2f}x -> {:.2f}x", a.workload, a.ratio.value_or(0), b.ratio.value_or(0)));
  return slower;
}

std::string listed(const char* what, const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, names.size())));
  return what + join(shown, ", ") +
         (names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "");
}

// What is worse in `to` than in `from`.
std::vector<std::string> losses(const Evaluation* from, const Evaluation* to, bool hidden) {
  std::vector<std::string> out;
  if (passed(from) && !passed(to)) out.push_back("pass -> " + verdict_text_of(to));
  if (from == nullptr || to == nullptr) return out;
  if (!passed(from))
    if (const auto lost = lost_workloads(*from, *to, hidden); !lost.empty())
      out.push_back(listed("workloads that passed: ", lost));
  if (const auto slower = slower_workloads(*from, *to); !slower.empty())
    out.push_back(listed("slower: ", slower));
  return out;
}

void note_difference(std::vector<std::string>& notes, const char* what, const std::string& before,
                     const std::string& after) {
  if (before != after) notes.push_back(fmt::format("{}: {} and {}", what, before, after));
}

std::string arrow(const std::string& before, const std::string& after) {
  return before == after ? before : before + " -> " + after;
}

}  // namespace

bool ComparedRow::same() const {
  return regressions.empty() && gains.empty() && verdict_text_of(before) == verdict_text_of(after);
}

std::size_t Comparison::regressions() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const ComparedRow& r) { return !r.regressions.empty(); }));
}
std::size_t Comparison::gains() const {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const ComparedRow& r) { return !r.gains.empty(); }));
}

Comparison compare_runs(const RunReport& before, const RunReport& after) {
  Comparison comparison;
  note_difference(comparison.notes, "chip", before.run.chip, after.run.chip);
  note_difference(comparison.notes, "tiers", before.run.tiers, after.run.tiers);
  note_difference(comparison.notes, "tolerance", before.run.tolerance, after.run.tolerance);
  if (before.run.seed != after.run.seed)
    comparison.notes.emplace_back(
        "other seeds: hidden workloads differ, only their verdict as a whole counts");
  std::map<Key, ComparedRow> rows;
  for (const StoredEvaluation& s : before.evaluations)
    rows[{s.evaluation.op, s.item.sample}].before = &s.evaluation;
  for (const StoredEvaluation& s : after.evaluations)
    rows[{s.evaluation.op, s.item.sample}].after = &s.evaluation;
  const bool hidden = before.run.seed == after.run.seed;
  for (auto& [key, row] : rows) {
    std::tie(row.op, row.sample) = key;
    row.regressions = losses(row.before, row.after, hidden);
    row.gains = losses(row.after, row.before, hidden);
    comparison.rows.push_back(std::move(row));
  }
  return comparison;
}

std::string comparison_text(const Comparison& comparison, const RunReport& before, const RunReport& after) {
  std::string out = fmt::format("before  {}  {}  kgbench {}\nafter   {}  {}  kgbench {}\n", before.run.id,
                                before.run.contestant, before.run.version, after.run.id, after.run.contestant,
                                after.run.version);
  for (const std::string& note : comparison.notes) out += "  " + note + "\n";
  std::size_t width = 0, equal = 0;
  for (const ComparedRow& row : comparison.rows) width = std::max(width, row.op.size());
  for (const ComparedRow& row : comparison.rows) {
    equal += row.same() ? 1 : 0;
    if (row.same()) continue;
    const char* kind = !row.regressions.empty() ? "worse" : !row.gains.empty() ? "better" : "other";
    out += fmt::format("  {:<6} {:<{}}  {}", kind, row.op, width,
                       arrow(verdict_text_of(row.before), verdict_text_of(row.after)));
    if (row.before != nullptr && row.after != nullptr)
      out += "  err/bound " + arrow(worst_text(*row.before), worst_text(*row.after));
    out += "\n";
    for (const std::string& text : row.regressions)
      if (!text.starts_with("pass ->")) out += "         " + text + "\n";
    if (const std::string reason = reason_of(row.after); !reason.empty() && kind[0] != 'b')
      out += "         " + reason + "\n";
  }
  return out + fmt::format("{} worse, {} better, {} unchanged of {} operators\n", comparison.regressions(),
                           comparison.gains(), equal, comparison.rows.size());
}

}  // namespace kgb
