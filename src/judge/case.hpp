// SPDX-License-Identifier: Apache-2.0
// The state of one candidate on its way through the gates.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "catalogue/catalogue.hpp"
#include "judge/judge.hpp"
#include "model/compare.hpp"
#include "model/launch_plan.hpp"
#include "model/verdict.hpp"

namespace kgb {

class DeviceHost;
class NativeHost;
class Seat;

// Bytes of the reads of intermediates, in order, by call.
using OwnReads = std::vector<std::vector<std::vector<std::byte>>>;

// One workload of the candidate.
struct Job {
  Workload workload;
  ErrorBound bound;
  std::vector<Call> calls;             // the three calls of a trial
  std::optional<Recording> recording;  // missing: the author could not make it
  std::string recording_json;          // as the executor gets it
  OwnReads given;                      // what the author was told that its reads give
  std::vector<Finding> findings;       // of this workload
  double worst_ratio = 0;
  std::string worst_at;
  std::int64_t elements = 0;    // compared, all trials
  bool judged = false;          // at least one trial was compared to its end
  bool only_timed = false;      // of JudgeRequest::timed: gate fast is all that runs it
  bool tuned = false;           // the candidate tunes a kernel; the recording holds one configuration
  bool wanting_launch = false;  // an output element that no launch wrote
};

// Whether the VM could run the job's plan; what it could not was run on a device alone, where nobody sees
// accesses.
[[nodiscard]] bool watched(const Job& job);

// The candidate's file as its author sees it.
inline constexpr const char* kCandidateFile = "candidate.py";
// A place that the author told: the candidate by the name that the user gave, a library's file by its own.
[[nodiscard]] std::string shown_file(const JudgeRequest& request, const std::string& told);

struct Case {
  const JudgeRequest& request;
  const Operator& op;
  const ChipCard& chip;
  std::string language;  // "triton", "cpp" or "cuda"
  std::vector<Job> jobs;
  std::vector<Finding> findings;  // of no workload
  std::vector<Job> absent;        // of entries that the library lacks: never run
  std::vector<TargetResult> targets;
  std::vector<Timing> timings;
  std::map<std::string, double> stage_ms;
  Gate reached = Gate::static_;
  std::shared_ptr<NativeHost> native;  // C++ candidates: their process
  Observer observer;
  Seat* seat = nullptr;    // at a device; none on the VM and for native candidates
  std::string memcheck{};  // what compute-sanitizer said, in words; empty: nothing was asked of it
  std::shared_ptr<DeviceHost> host{};  // in-process mode on a device: likewise
  std::vector<CensusRow> census{};     // of it, by kind and name

  [[nodiscard]] bool stopped() const { return request.stop != nullptr && *request.stop; }
  [[nodiscard]] bool quick() const { return request.profile == Profile::quick; }
  // Of a time, which of two is faster is enough: no narrow interval, no energy.
  [[nodiscard]] bool call_is_enough() const { return request.quick || quick(); }
  // Value sets that each workload is tried on.
  [[nodiscard]] int value_sets() const { return quick() ? 1 : request.value_sets; }
  [[nodiscard]] bool random() const { return op.tagged("random"); }
  [[nodiscard]] bool in_process() const { return request.in_process; }
  [[nodiscard]] bool on_device() const { return chip.backend != "cpu"; }
  [[nodiscard]] const Entry& entry_of(const Job& job) const {
    return *op.find_entry(job.workload.call.entry);
  }
};

// Whether host code saw values, of an input that the card gives it or of intermediates: then a recording
// serves one set of values.
[[nodiscard]] bool reads_values(const Job& job);

[[nodiscard]] Finding make_finding(std::string kind, Gate gate, std::string message,
                                   std::string workload = {});
// The verdict that findings lead to: that of the kind that stands first in finding_kinds.def; pass when none
// has one.
[[nodiscard]] Verdict decide(const std::vector<Finding>& findings);
// Whether a finding of this kind makes running the plan pointless: the policy has spoken, or there is no
// plan.
[[nodiscard]] bool ends_workload(const std::string& kind);

// The case of a request: its workloads in order of tiers, each with its bound. A user's mistake is an Error.
[[nodiscard]] Result<Case> open_case(const JudgeRequest& request, const Catalogue& catalogue);
// Everything the case has gathered, with its verdict.
[[nodiscard]] Evaluation close_case(Case&& open);

// Adds the time of a scope to a stage of the case.
class StageClock {
 public:
  StageClock(Case& open, std::string stage);
  ~StageClock();
  StageClock(const StageClock&) = delete;
  StageClock& operator=(const StageClock&) = delete;

 private:
  Case& case_;
  std::string stage_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace kgb
