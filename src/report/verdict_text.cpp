// SPDX-License-Identifier: Apache-2.0
// The screen of `kgbench judge`.
#include "report/verdict_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/conditions_text.hpp"
#include "report/number_text.hpp"
#include "report/report.hpp"
#include "vm/vm.hpp"

namespace kgb {
namespace {

constexpr std::size_t kMostOthers = 6;

std::string line(const std::string& key, const std::string& text) {
  return fmt::format("  {:<9} {}\n", key, text);
}

std::string painted(const std::string& text, Verdict verdict, bool colour) {
  if (!colour) return text;
  return fmt::format("\x1b[1;{}m{}\x1b[0m",
                     verdict == Verdict::pass    ? 32
                     : verdict == Verdict::infra ? 35
                                                 : 31,
                     text);
}

const WorkloadResult* find_workload(const Evaluation& e, const std::string& id) {
  for (const WorkloadResult& w : e.workloads)
    if (w.id == id) return &w;
  return nullptr;
}

// " --library flag_gems" for a candidate that is declared to call it.
std::string library_option(const Evaluation& e) {
  constexpr std::string_view kLibrary = "library:";
  return e.contestant.starts_with(kLibrary) ? " --library " + e.contestant.substr(kLibrary.size()) : "";
}

std::string mode_option(const Evaluation& e) {
  return e.mode == "in-process" && e.language != "cpp" ? " --in-process" : "";
}

std::string reason(const Evaluation& e, const Finding& why) {
  std::string out = line("reason", why.message);
  if (const WorkloadResult* w = find_workload(e, why.workload))
    out += line("workload", fmt::format("{}: {}", w->id, w->description)) +
           line("repeat", w->tier == "own"
                              ? fmt::format("the same command with --only {} --seed {}", w->id, e.seed)
                              : fmt::format("kgbench judge {} --op {}{}{} --workload {} --only {} --seed {}",
                                            e.candidate, e.op, library_option(e), mode_option(e), w->tier,
                                            w->id, e.seed));
  if (why.line > 0) out += line("where", fmt::format("{}:{}", why.file, why.line));
  for (const char* key :
       {"pattern", "wrong elements", "argument", "index", "program", "call", "source", "traceback", "stderr"})
    if (const auto detail = why.details.find(key); detail != why.details.end() && !detail->second.empty())
      out += line(key, detail->second);
  return out;
}

// Findings that tell the same of different workloads.
struct Alike {
  const Finding* first = nullptr;
  std::set<std::string> workloads;
};

// "such as f3: add_Tensor(...)", of the workload that is told of by name.
std::string example(const Evaluation& e, const std::string& id) {
  const WorkloadResult* w = find_workload(e, id);
  return w == nullptr ? id : fmt::format("{}: {}", id, w->description);
}

// The workload with the largest error over its bound, where it is beyond it.
std::string worst(const Evaluation& e) {
  const WorkloadResult* most = nullptr;
  for (const WorkloadResult& w : e.workloads)
    if (w.worst_ratio > (most == nullptr ? 1.0 : most->worst_ratio)) most = &w;
  if (most == nullptr) return {};
  const std::string error = std::isfinite(most->worst_ratio)
                                ? fmt::format("{:.3g} x the bound", most->worst_ratio)
                                : "beyond every bound";
  return line("worst", fmt::format("{} at {} of {}", error, most->worst_at, example(e, most->id)));
}

// What else was found: each kind and place once, with how many workloads show it, those that fail as the
// deciding one first.
std::string others(const Evaluation& e, const Finding* why) {
  std::vector<Alike> all;
  for (const Finding& f : e.findings) {
    const auto same = [&](const Alike& a) {
      return a.first->kind == f.kind && a.first->file == f.file && a.first->line == f.line;
    };
    auto found = std::find_if(all.begin(), all.end(), same);
    if (found == all.end()) found = all.insert(found, Alike{&f, {}});
    if (!f.workload.empty()) found->workloads.insert(f.workload);
  }
  std::string out;
  std::size_t shown = 0, left = 0;
  for (Alike& a : all) {
    const bool deciding = why != nullptr && a.first->kind == why->kind && a.first->file == why->file &&
                          a.first->line == why->line;
    if (deciding) a.workloads.erase(why->workload);
    if (deciding && a.workloads.empty()) continue;
    if (++shown > kMostOthers) {
      ++left;
      continue;
    }
    const std::size_t n = a.workloads.size();
    if (deciding) {
      out += line("also", fmt::format("{} in {} more: {}", why->kind, plural(n, "workload", "workloads"),
                                      example(e, *a.workloads.begin())));
      continue;
    }
    std::string where = a.first->workload;
    if (n > 1) where += fmt::format(" and {} more", plural(n - 1, "workload", "workloads"));
    out += line(verdict_of(a.first->kind) ? "also" : "note",
                fmt::format("{}{}", a.first->message, where.empty() ? "" : " (" + where + ")"));
  }
  if (left > 0) out += line("", fmt::format("and {} more: --json has all", left));
  return out;
}

std::string machine_options() {
  std::string out;
  for (const vm::Choice& choice : vm::choices(vm::judging_options()))
    if (choice.option) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", choice.name, choice.value);
  return out + " (kgbench doctor --vm explains)";
}

// A line for each timed workload, then how the device was.
std::string times(const Evaluation& e) {
  std::string out;
  for (const Timing& t : e.timings) {
    Evaluation one;
    one.timings = {t};
    std::string text =
        fmt::format("{}: {}{}", t.workload, time_text(one), t.ratio ? " against " + t.baseline_name : "");
    if (t.ratio && (t.call == "cannot tell" || !t.span.empty())) text += ": " + t.why;
    for (const std::string& more : {roof_text(t), energy_text(t)})
      if (!more.empty()) text += "; " + more;
    out += line("time", text);
    if (t.published) out += line("do_bench", t.workload + ": " + published_text(one));
  }
  const Conditions seen = joined_conditions(e.timings);
  if (const std::string text = conditions_text(seen); !text.empty()) out += line("device", text);
  for (const std::string& unknown : seen.unknown) out += line("unknown", unknown);
  return out;
}

// What ran on the device in in-process mode, the longest first.
std::string census(const Evaluation& e) {
  constexpr std::size_t kMostRows = 5;
  double total = 0;
  for (const CensusRow& row : e.census) total += row.ns;
  std::string out;
  for (std::size_t i = 0; i < std::min(e.census.size(), kMostRows); ++i) {
    const CensusRow& row = e.census[i];
    const std::string owner = row.kind != "kernel"   ? ""
                              : !row.library.empty() ? " of " + row.library
                              : !row.file.empty()    ? " of " + row.file
                                                     : ", the candidate's";
    out += line("ran", fmt::format("{:.1f} % {}{}{} (x{})", total > 0 ? 100 * row.ns / total : 0.0, row.kind,
                                   row.name.empty() ? "" : " " + row.name.substr(0, 80), owner, row.count));
  }
  if (e.census.size() > kMostRows)
    out += line("", fmt::format("and {} more: --json has all", e.census.size() - kMostRows));
  return out;
}

std::string passed(const Evaluation& e) {
  std::string out = e.workloads.empty() ? "no workload was judged" : workloads_text(e) + " workloads";
  const bool compared = std::any_of(e.workloads.begin(), e.workloads.end(),
                                    [](const WorkloadResult& w) { return w.elements > 0; });
  if (compared && worst(e).empty()) out += ", worst error over bound " + worst_text(e);
  if (!e.targets.empty()) out += ", targets " + targets_text(e);
  return out;
}

}  // namespace

std::string verdict_text(const Evaluation& e, bool colour) {
  std::string out = fmt::format("{}  {}  {}\n", e.op, e.candidate, painted(label_of(e), e.verdict, colour));
  const Finding* why = deciding_finding(e);
  if (why != nullptr) out += reason(e, *why);
  out += line("passed", passed(e));
  // A failure's `repeat` names it; a pass is one of these values and hidden workloads, too.
  if (e.verdict == Verdict::pass)
    out += line("seed", e.seed + ": --seed brings these values and hidden workloads back");
  out += worst(e);
  out += others(e, why);
  out += census(e);
  if (!e.timings.empty()) {
    out += times(e);
  } else if (e.verdict == Verdict::pass && e.mode == "plan" && e.chip == "cpu") {
    out += line("time", "none: on the chip cpu Triton kernels run on a virtual machine, which is no clock");
    out += line("machine", machine_options());
  }
  if (e.profile == Profile::quick)
    out +=
        line("profile",
             "quick: a draw of the workloads on one set of values; --profile careful looks at all of them");
  if (!e.memcheck.empty()) out += line("memcheck", e.memcheck);
  if (e.mode == "in-process")
    out += line("trust",
                "in-process mode: candidate and harness share a process. Values are checked from outside; "
                "times, the census "
                "and which inputs were written are that process's word");
  if (e.no_kernel)
    out += line("note",
                "this operator has no honest kernel; it is judged on contract and values and counted apart");
  return out;
}

}  // namespace kgb
