// SPDX-License-Identifier: Apache-2.0
// Opens a case from a request and closes it into an evaluation.
#include "judge/case.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "judge/quick.hpp"
#include "judge/station.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

constexpr int kCallsPerTrial = 3;

// Position of a kind in finding_kinds.def; kinds that are not there come last.
std::size_t rank_of(const std::string& kind) {
  static const std::vector<std::string> order{
#define KGB_FINDING(kind, verdict) #kind,
#include "model/finding_kinds.def"
#undef KGB_FINDING
  };
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), kind) - order.begin());
}

// Takes the jobs of entries that the library lacks out of the way of the gates.
void put_absent_aside(Case& open) {
  const auto lacking = [&](const Job& job) {
    const std::vector<std::string>& names = open.request.lacking;
    return std::find(names.begin(), names.end(), job.workload.call.entry) != names.end();
  };
  const auto first = std::stable_partition(open.jobs.begin(), open.jobs.end(), std::not_fn(lacking));
  open.absent.assign(std::make_move_iterator(first), std::make_move_iterator(open.jobs.end()));
  open.jobs.erase(first, open.jobs.end());
  for (Job& job : open.absent)
    job.findings.push_back(make_finding("not_in_library", Gate::static_,
                                        "not in " + open.request.library + ": " + job.workload.call.entry,
                                        job.workload.call.workload));
}

Result<std::vector<Workload>> workloads_of(const JudgeRequest& request, const Operator& op,
                                           const Catalogue& catalogue, const std::string& language) {
  std::vector<Workload> all = request.own;
  for (const Tier tier : all.empty() ? request.tiers : std::vector<Tier>()) {
    std::vector<Workload> some;
    if (tier == Tier::hidden) {
      KGB_TRY(some, catalogue.hidden(op, request.seed));
    } else {
      some = catalogue.workloads(op, tier);
    }
    for (Workload& w : some) all.push_back(std::move(w));
  }
  std::erase_if(all, [&](const Workload& w) {
    if (request.only_workload && w.call.workload != *request.only_workload) return true;
    return language == "cpp" && !op.find_entry(w.call.entry)->native;
  });
  // What the user named is judged whole.
  if (request.profile == Profile::quick && request.own.empty()) keep_quick(all, request.seed);
  return all;
}

// Where a workload is that is not in the tiers asked for.
std::string place_of(const std::string& id, const Operator& op, const Catalogue& catalogue) {
  for (const Tier tier : {Tier::smoke, Tier::full, Tier::published})
    for (const Workload& workload : catalogue.workloads(op, tier))
      if (workload.call.workload == id)
        return "It is of the tier " + std::string(name_of(tier)) + ": --workload " +
               std::string(name_of(tier));
  if (id.starts_with('h')) return "A hidden one needs the seed that drew it: --workload hidden --seed";
  return "kgbench show " + op.name + " lists them";
}

// What speaks against the mode, the workloads that are to be timed and the baseline; nullopt: nothing.
std::optional<std::string> mistake_in_request(const JudgeRequest& request, const Operator& op,
                                              const std::string& language) {
  if (!request.baseline_file.empty() && language_of(request.baseline_file) != language)
    return "the baseline " + request.baseline_file + " and the candidate " + request.file +
           " are of two languages, which are not timed alike. Name one in the candidate's";
  if (request.in_process && language == "cpp")
    return "--in-process is for candidates in Python; a C++ candidate always has a process of its own";
  if (request.in_process && language == "cuda")
    return "--in-process is for candidates in Python; a CUDA candidate has no host code, so its plan is all "
           "of it";
  if (language != "cpp") return std::nullopt;
  for (const Workload& timed : request.timed)
    if (!op.find_entry(timed.call.entry)->native)
      return op.name + ": C++ candidates may not implement " + timed.call.entry +
             ", so it cannot be timed (kgbench show " + op.name + ")";
  return std::nullopt;
}

}  // namespace

std::string language_of(const std::string& file) {
  for (const char* suffix : {".cpp", ".cc", ".cxx"})
    if (file.size() > std::string(suffix).size() && file.ends_with(suffix)) return "cpp";
  return file.size() > 3 && file.ends_with(".cu") ? "cuda" : "triton";
}

const char* suffix_of(const std::string& language) {
  return language == "cpp" ? ".cpp" : language == "cuda" ? ".cu" : ".py";
}

std::string shown_file(const JudgeRequest& request, const std::string& told) {
  return !request.library.empty() && !told.empty() && told != kCandidateFile ? to_utf8_lossy(told)
                                                                             : request.file;
}

Finding make_finding(std::string kind, Gate gate, std::string message, std::string workload) {
  Finding finding;
  finding.kind = std::move(kind);
  finding.gate = gate;
  finding.message = std::move(message);
  finding.workload = std::move(workload);
  return finding;
}

Verdict decide(const std::vector<Finding>& findings) {
  const Finding* first = nullptr;
  for (const Finding& finding : findings)
    if (verdict_of(finding.kind) && (first == nullptr || rank_of(finding.kind) < rank_of(first->kind)))
      first = &finding;
  return first == nullptr ? Verdict::pass : *verdict_of(first->kind);
}

bool reads_values(const Job& job) {
  if (job.recording && reads_intermediates(*job.recording)) return true;
  const auto tensors = tensors_of(job.workload.call);
  return std::any_of(tensors.begin(), tensors.end(),
                     [](const auto& item) { return item.second.host_readable; });
}

bool ends_workload(const std::string& kind) {
  static const std::set<std::string> kinds{"torch_compute",        "torch_random",      "helper_is_operator",
                                           "upload_too_large",     "upload_after_read", "host_read",
                                           "recorder_unsupported", "judge_patched",     "odd_return"};
  return kinds.count(kind) != 0;
}

Result<Case> open_case(const JudgeRequest& request, const Catalogue& catalogue) {
  KGB_TRY(const Operator* const op, catalogue.find(request.op));
  KGB_TRY(const ChipCard* const chip, catalogue.chip(request.chip));
  Case open{request,
            *op,
            *chip,
            language_of(request.file),
            {},
            {},
            {},
            {},
            {},
            {},
            Gate::static_,
            nullptr,
            {},
            nullptr,
            {},
            nullptr,
            {}};
  KGB_TRY(std::vector<Workload> workloads, workloads_of(request, *op, catalogue, open.language));
  if (workloads.empty() && open.language == "cpp")
    return user_error(op->name + " has no entry that C++ candidates may implement (kgbench show " + op->name +
                      ")");
  if (workloads.empty() && request.only_workload)
    return user_error(op->name + " has no workload " + in_quotes(*request.only_workload) +
                      " in the tiers asked for. " + place_of(*request.only_workload, *op, catalogue));
  if (workloads.empty())
    return user_error(op->name + " has no workload in the tiers asked for (kgbench show " + op->name + ")");
  if (const std::optional<std::string> mistake = mistake_in_request(request, *op, open.language))
    return user_error(*mistake);
  const std::size_t judged = workloads.size();
  workloads.insert(workloads.end(), request.timed.begin(), request.timed.end());
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    Job job;
    KGB_TRY(job.bound, catalogue.error_for(*op, workloads[i].call));
    job.bound.published = request.tolerance == "published";
    job.calls.assign(kCallsPerTrial, workloads[i].call);
    job.workload = std::move(workloads[i]);
    job.only_timed = i >= judged;
    open.jobs.push_back(std::move(job));
  }
  put_absent_aside(open);
  return open;
}

namespace {

WorkloadResult result_of(const Job& job) {
  WorkloadResult result;
  result.id = job.workload.call.workload;
  result.tier = std::string(name_of(job.workload.tier));
  result.description = describe(job.workload.call);
  result.verdict = decide(job.findings);
  result.worst_ratio = job.worst_ratio;
  result.worst_at = job.worst_at;
  result.elements = job.elements;
  if (job.recording) result.plan_hash = canonical_hash(*job.recording);
  return result;
}

}  // namespace

Evaluation close_case(Case&& open) {
  Evaluation e;
  e.op = open.op.name;
  e.candidate = open.request.file;
  e.source_hash = sha256_hex(open.request.source);
  e.contestant = open.request.contestant;
  e.chip = open.chip.name;
  e.language = open.language;
  e.tolerance = open.request.tolerance;
  e.profile = open.request.profile;
  e.mode = open.language == "cpp" || open.in_process() ? "in-process" : "plan";
  e.no_kernel = open.op.tagged("no_kernel");
  e.seed = seed_text(open.request.seed);
  e.reached = open.reached;
  e.findings = std::move(open.findings);
  for (Job& job : open.jobs) {
    // What was never run is neither passed nor failed.
    if (job.judged || !job.findings.empty()) e.workloads.push_back(result_of(job));
    for (Finding& finding : job.findings) e.findings.push_back(std::move(finding));
  }
  std::set<std::string> told;
  for (Job& job : open.absent) {
    e.workloads.push_back(result_of(job));
    if (told.insert(job.workload.call.entry).second) e.findings.push_back(std::move(job.findings.front()));
  }
  // The deciding finding first: whoever shows one line shows that one.
  std::stable_sort(e.findings.begin(), e.findings.end(),
                   [](const Finding& a, const Finding& b) { return rank_of(a.kind) < rank_of(b.kind); });
  e.verdict = decide(e.findings);
  e.targets = std::move(open.targets);
  e.timings = std::move(open.timings);
  e.census = std::move(open.census);
  e.stage_ms = std::move(open.stage_ms);
  e.memcheck = std::move(open.memcheck);
  if (open.seat != nullptr) {
    const Station& station = open.seat->station();
    e.device = JudgedOn{station.told().name, station.told().uuid, station.device().index, {}};
  }
  return e;
}

bool watched(const Job& job) {
  return std::none_of(job.findings.begin(), job.findings.end(),
                      [](const Finding& finding) { return finding.kind == "vm_unchecked"; });
}

StageClock::StageClock(Case& open, std::string stage)
    : case_(open), stage_(std::move(stage)), start_(std::chrono::steady_clock::now()) {}
StageClock::~StageClock() {
  case_.stage_ms[stage_] +=
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
}

}  // namespace kgb
