// SPDX-License-Identifier: Apache-2.0
// Runs prefixes, and holds what an author says that it read against what it was given.
#include "judge/own_reads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "judge/policy.hpp"
#include "judge/trials.hpp"

namespace kgb {
namespace {

using Bytes = std::vector<std::byte>;

// Reads of a call that hold bytes, in order.
std::vector<const Bytes*> reads_of(const RecordedCall& call) {
  std::vector<const Bytes*> reads;
  for (const Node& node : call.nodes)
    if (const auto* read = std::get_if<Read>(&node); read != nullptr && read->bytes)
      reads.push_back(&*read->bytes);
  return reads;
}

// The bytes that the recording wants. nullopt: a finding of the job says why there are none.
Result<std::optional<Bytes>> run_prefix(const Case& open, Job& job, int trial, Processes& processes) {
  const std::size_t before = job.findings.size();
  // The VM first, on a device too: it keeps a stray access off the device.
  KGB_TRY(std::optional<Bytes> bytes, wanted_bytes(open, job, {trial, Where::vm}, processes));
  if (bytes || !open.on_device() || !are_limits_of_vm(std::span(job.findings).subspan(before))) return bytes;
  job.findings.resize(before);
  return wanted_bytes(open, job, {trial, Where::device}, processes);
}

Finding wandering(const Job& job, const Read& read) {
  Finding finding =
      make_finding("read_differs", Gate::static_,
                   "host code reads other things when it is called again with what it read before",
                   job.workload.call.workload);
  finding.line = read.line;
  return finding;
}

// True: the job is to be recorded again.
Result<bool> answer_one(const Case& open, Job& job, int trial, Processes& processes) {
  const NodeRef at = *wanted_read(*job.recording);
  const auto c = static_cast<std::size_t>(at.call);
  const RecordedCall& call = job.recording->calls[c];
  std::vector<Finding> found = policy_findings(*job.recording, job.workload.call.workload, open.request);
  const bool forbidden =
      std::any_of(found.begin(), found.end(), [](const Finding& f) { return ends_workload(f.kind); });
  if (forbidden) {  // the policy has spoken: nothing is run
    std::move(found.begin(), found.end(), std::back_inserter(job.findings));
    return false;
  }
  if (reads_of(call).size() != job.given[c].size()) {
    const Read& read = std::get<Read>(call.nodes.back());
    job.findings.push_back(wandering(job, read));
    job.findings.back().file = shown_file(open.request, read.file);
    return false;
  }
  KGB_TRY(std::optional<Bytes> bytes, run_prefix(open, job, trial, processes));
  if (!bytes) return false;
  job.given[c].push_back(*std::move(bytes));
  return true;
}

}  // namespace

std::string complaint_of_reads(const Case& open, const Job& job, const Recording& recording) {
  if (reads_intermediates(recording) && !open.entry_of(job).reads_own)
    return "it reads intermediates, which the card does not allow";
  for (std::size_t c = 0; c < recording.calls.size(); ++c) {
    const std::vector<const Bytes*> reads = reads_of(recording.calls[c]);
    for (std::size_t i = 0; i < reads.size(); ++i)
      if (i >= job.given[c].size() || *reads[i] != job.given[c][i])
        return fmt::format("read {} of call {} holds bytes that nobody gave", i + 1, c + 1);
  }
  return {};
}

Result<std::vector<Job*>> answer_reads(const Case& open, const std::vector<Job*>& asked, int trial,
                                       Processes& processes) {
  std::vector<Job*> again;
  for (Job* job : asked) {
    if (!job->recording || !wanted_read(*job->recording)) continue;
    KGB_TRY(const bool known, answer_one(open, *job, trial, processes));
    if (known) again.push_back(job);
    job->recording.reset();
    job->recording_json.clear();
  }
  return again;
}

}  // namespace kgb
