// SPDX-License-Identifier: Apache-2.0
// Tells public facts from hidden ones.
//
// Theory of operation. A text is quoted only where no hidden workload can be in it:
//   a finding of a public workload   whole
//   a finding of a hidden workload   kind, "a hidden workload", words of a closed list
//   a finding of no workload         whole where source or policy alone lead to it, else its kind
//   infra                            that it is not the candidate's fault
// Every quoted text is held against the secrets that are known (secrets.hpp): host code may print on a public
// workload what it saw of a hidden one.
#include "judge/disclosure.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "judge/secrets.hpp"

namespace kgb {
namespace {

constexpr std::size_t kLongestText = 4000;
constexpr std::string_view kWithheld = "(withheld: it tells of a hidden workload)";

// Findings that may belong to no workload and still hold nothing of any: they are made from the source.
constexpr std::array<std::string_view, 7> kOfTheSource{
    "not_utf8",     "syntax_error",         "missing_entry", "import_refused",
    "import_error", "native_compile_error", "output_flood"};

// Details that may be shown, in this order.
constexpr std::array<std::string_view, 25> kDetails{
    "pattern",  "wrong elements", "output",      "index",   "got",    "expected", "bound",
    "argument", "byte",           "bytes",       "program", "kernel", "operator", "call",
    "values",   "autotune",       "launched_at", "path",    "type",   "source",   "notes",
    "picture",  "traceback",      "stderr",      "log"};

struct Phrase {
  std::string_view seen, said;
};
// Words of compare_pattern.cpp that fit any shape, dtype and value.
constexpr Phrase kPlaces[] = {
    {"every row: the last", "the end of every row"},
    {"every row: the first", "the start of every row"},
    {"every row: elements", "a part of every row"},
    {" rows", "the last rows"},
    {"row ", "one row"},
    {"the last", "the last elements"},
    {"the first", "the first elements"},
    {"all ", "all elements"},
};
constexpr Phrase kContents[] = {
    {"never written", "never written"},
    {"all zero", "zero"},
    {"NaN where none is due", "NaN where none is due"},
    {"infinite where a finite value is due", "infinite where a finite value is due"},
    {"finite where NaN or infinity is due", "finite where NaN or infinity is due"},
    {"the sign is wrong", "the sign is wrong"},
    {"all the same value", "all the same value"},
    {"transposed", "transposed"},
    {"in reverse order", "in reverse order"},
    {"reads ahead", "shifted by one element (reads ahead)"},
    {"lags behind", "shifted by one element (lags behind)"},
    {"times the expected value", "a constant multiple of what is due"},
    {"small errors, as if computed in", "small errors, as if computed in a lower precision"},
};

template <std::size_t N>
std::string_view said_of(const Phrase (&phrases)[N], std::string_view text) {
  for (const Phrase& phrase : phrases)
    if (text.find(phrase.seen) != std::string_view::npos) return phrase.said;
  return {};
}

// "the end of every row, never written"; the place ends at the colon after which the content stands.
std::string words_of(const std::string& pattern) {
  const std::size_t colon = pattern.rfind(": ");
  const bool rows = pattern.starts_with("every row: ") && colon == std::string_view("every row").size();
  const std::size_t end = colon == std::string::npos || rows ? pattern.size() : colon;
  std::string words(said_of(kPlaces, std::string_view(pattern).substr(0, end)));
  const std::string_view content = said_of(kContents, std::string_view(pattern).substr(end));
  if (!words.empty() && !content.empty()) words += ", ";
  return words.append(content);
}

std::string detail_of(const Finding& finding, const char* key) {
  const auto found = finding.details.find(key);
  return found == finding.details.end() ? std::string() : found->second;
}

std::string reduced_message(const Finding& finding, bool of_a_workload) {
  if (finding.kind == "infra")
    return "the judge or its host failed; it is not the candidate's fault: try again";
  const std::string kind = finding_rank(finding.kind) < 0 ? "a finding" : finding.kind;
  if (!of_a_workload) return kind + "; its text may tell of hidden workloads and is withheld";
  std::string message = kind + " in a hidden workload";
  if (const std::string words = words_of(detail_of(finding, "pattern")); !words.empty())
    message += ": " + words;
  const std::string call = detail_of(finding, "call");
  if (call == "2" || call == "3") message += "; call 1 of the same process was right";
  if (finding.details.contains("autotune")) message += "; with the launches of every autotuned configuration";
  return message;
}

class Teller {
 public:
  explicit Teller(const Evaluation& evaluation) : e_(evaluation), secrets_(evaluation) {}

  [[nodiscard]] std::string quoted(const std::string& text) const {
    if (secrets_.in(text)) return std::string(kWithheld);
    const std::string clean = to_utf8_lossy(text);
    return std::string(cut_utf8(clean, kLongestText));
  }

  [[nodiscard]] ToldFinding finding(const Finding& f) const {
    ToldFinding told;
    told.kind = finding_rank(f.kind) < 0 ? "infra" : f.kind;
    told.gate = f.gate;
    told.advisory = !verdict_of(f.kind);
    told.reduced = !may_quote(f);
    if (told.reduced) {
      told.message = reduced_message(f, !f.workload.empty());
      return told;
    }
    told.message = quoted(f.message);
    told.workload = f.workload;
    for (const WorkloadResult& w : e_.workloads)
      if (w.id == f.workload) told.description = w.description;
    told.file = quoted(f.file);
    told.line = f.line;
    for (const std::string_view key : kDetails)
      if (const auto found = f.details.find(std::string(key));
          found != f.details.end() && !found->second.empty())
        told.details.emplace_back(key, quoted(found->second));
    return told;
  }

  [[nodiscard]] Timing timing(const Timing& t) const {
    Timing told = t;
    told.why = quoted(t.why);
    if (is_public_workload(e_, t.workload)) return told;
    told.workload = "";
    told.candidate.reset();
    told.baseline.reset();
    told.why.clear();
    return told;
  }

  // Kernels are those of the smoke workloads, where one of them could be recorded.
  [[nodiscard]] TargetResult target(const TargetResult& t) const {
    TargetResult told = t;
    told.message = quoted(t.message);
    if (kernels_are_public()) return told;
    told = {};
    told.target = t.target;
    told.ok = t.ok;
    return told;
  }

 private:
  [[nodiscard]] bool may_quote(const Finding& f) const {
    if (f.kind == "infra" || finding_rank(f.kind) < 0) return false;
    if (!f.workload.empty()) return is_public_workload(e_, f.workload);
    if (f.kind == "target_failure" || f.kind == "target_limit") return kernels_are_public();
    return std::find(kOfTheSource.begin(), kOfTheSource.end(), f.kind) != kOfTheSource.end();
  }
  [[nodiscard]] bool kernels_are_public() const {
    const auto is_open = [this](const WorkloadResult& w) { return is_public_workload(e_, w.id); };
    const auto passed_smoke = [&](const WorkloadResult& w) {
      return is_open(w) && w.tier == "smoke" && w.verdict == Verdict::pass;
    };
    return std::all_of(e_.workloads.begin(), e_.workloads.end(), is_open) ||
           std::any_of(e_.workloads.begin(), e_.workloads.end(), passed_smoke);
  }

  const Evaluation& e_;
  Secrets secrets_;
};

std::vector<ToldFinding> others_of(const Evaluation& e, const Finding* reason, const Teller& teller) {
  std::vector<ToldFinding> others;
  std::set<std::tuple<std::string, int, std::string>> seen;
  const auto place = [](const ToldFinding& told) {
    return std::tuple(told.kind, told.line, told.line > 0 ? std::string() : told.message);
  };
  if (reason != nullptr) seen.insert(place(teller.finding(*reason)));
  for (const Finding& finding : e.findings) {
    if (&finding == reason) continue;
    ToldFinding told = teller.finding(finding);
    if (seen.insert(place(told)).second) others.push_back(std::move(told));
  }
  return others;
}

std::vector<ToldTier> tiers_of(const Evaluation& e) {
  std::vector<ToldTier> tiers;
  for (const WorkloadResult& w : e.workloads) {
    const std::string name = is_public_workload(e, w.id) ? w.tier : "hidden";
    auto tier = std::find_if(tiers.begin(), tiers.end(), [&](const ToldTier& t) { return t.tier == name; });
    if (tier == tiers.end()) tier = tiers.insert(tier, {name, 0, 0});
    ++tier->judged;
    tier->passed += w.verdict == Verdict::pass ? 1 : 0;
  }
  return tiers;
}

std::optional<ToldWorst> worst_of(const Evaluation& e, const Teller& teller) {
  std::optional<ToldWorst> worst;
  for (const WorkloadResult& w : e.workloads) {
    if (!is_public_workload(e, w.id) || w.worst_at.empty()) continue;
    if (!worst || w.worst_ratio > worst->ratio) worst = {w.worst_ratio, w.id, teller.quoted(w.worst_at)};
  }
  return worst;
}

}  // namespace

Disclosure disclose(const Evaluation& e) {
  const Teller teller(e);
  Disclosure told;
  told.op = e.op;
  told.candidate = e.candidate;
  told.chip = e.chip;
  told.language = e.language;
  told.mode = e.mode;
  told.verdict = e.verdict;
  told.reached = e.reached;
  told.no_kernel = e.no_kernel;
  const Finding* reason = deciding_finding(e.findings);
  if (reason != nullptr) told.reason = teller.finding(*reason);
  told.others = others_of(e, reason, teller);
  told.tiers = tiers_of(e);
  told.worst = worst_of(e, teller);
  for (const Timing& timing : e.timings) told.timings.push_back(teller.timing(timing));
  for (const TargetResult& target : e.targets) told.targets.push_back(teller.target(target));
  return told;
}

}  // namespace kgb
