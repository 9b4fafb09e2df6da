// SPDX-License-Identifier: Apache-2.0
// From the launch description to recordings.
#include <set>

#include "base/text.hpp"
#include "judge/cuda.hpp"
#include "judge/described_plan.hpp"

namespace kgb {
namespace {

constexpr std::size_t kMostCudaBytes = std::size_t{256} << 10;

Finding at_line(Finding finding, const Case& open, int line) {
  finding.line = line;
  if (line > 0) finding.file = open.request.file;
  return finding;
}

// Names that the card does not have, and entries that are judged and not described.
void check_names(Case& open, const LaunchDescription& description) {
  std::vector<std::string> known;
  for (const Entry& entry : open.op.entries) known.push_back(entry.name);
  for (const DescribedEntry& entry : description.entries)
    for (const std::string& name : entry.names)
      if (open.op.find_entry(name) == nullptr)
        open.findings.push_back(at_line(
            make_finding("bad_description", Gate::static_,
                         open.op.name + " has no entry " + in_quotes(name) + did_you_mean(name, known)),
            open, entry.line));
  if (!open.findings.empty()) return;  // what is missing is what is misspelt
  std::set<std::string> missing;
  for (const Job& job : open.jobs)
    if (description.find(job.workload.call.entry) == nullptr) missing.insert(job.workload.call.entry);
  for (const std::string& name : missing) {
    Finding finding = make_finding("missing_entry", Gate::static_,
                                   "the launch description has no [[entry]] named " + in_quotes(name));
    finding.details["entries"] = name;
    open.findings.push_back(at_line(std::move(finding), open, description.entries.front().line));
  }
}

// Why a call cannot be described; empty: it can.
std::string undescribable(const Case& open, const Entry& entry) {
  if (open.random()) return "draws random numbers, whose seed a launch description cannot name";
  if (entry.reads_own)
    return "returns tensors whose shape depends on values, which a launch description cannot name";
  if (entry.schema.gives_number()) return "returns a Python number, which no kernel can";
  return {};
}

Status describe_job(Case& open, Job& job, const LaunchDescription& description, const ChipCard& chip,
                    Processes& processes) {
  const Entry& entry = open.entry_of(job);
  const std::string& workload = job.workload.call.workload;
  if (const std::string why = undescribable(open, entry); !why.empty()) {
    job.findings.push_back(make_finding("recorder_unsupported", Gate::static_,
                                        "a .cu candidate cannot serve " + entry.name + ": it " + why,
                                        workload));
    return ok_status();
  }
  KGB_TRY(const std::shared_ptr<const Expectation> contract,
          processes.expectations().contract(open.op, job.workload.call));
  const DescribedPlan plan =
      plan_of({description, open.request.source, entry.schema, job.calls, *contract, chip.name});
  Result<Recording> recording = user_error(plan.complaint);
  if (plan.recording) {
    // What a description asks for is as hostile as what a recorder writes: one validation for both.
    job.recording_json = to_json_text(*plan.recording);
    recording = recording_from_json(job.recording_json, job.calls);
  }
  if (recording.ok()) {
    job.recording = std::move(*recording);
  } else {
    job.findings.push_back(
        at_line(make_finding("bad_description", Gate::static_, recording.error().message, workload), open,
                plan.line));
  }
  return ok_status();
}

}  // namespace

Status describe_jobs(Case& open, const ChipCard& chip, Processes& processes) {
  if (open.request.source.size() > kMostCudaBytes) {
    open.findings.push_back(make_finding(
        "bad_description", Gate::static_,
        "a CUDA source may have 256 KiB, this one has " + human_bytes(open.request.source.size())));
    return ok_status();
  }
  const ReadDescription read = read_launch_description(open.request.source);
  if (!read.description) {
    open.findings.push_back(
        at_line(make_finding("bad_description", Gate::static_, read.complaint), open, read.line));
    return ok_status();
  }
  check_names(open, *read.description);
  for (Job& job : open.jobs) {
    if (open.stopped()) return ok_status();
    if (read.description->find(job.workload.call.entry) != nullptr)
      KGB_CHECK(describe_job(open, job, *read.description, chip, processes));
  }
  return ok_status();
}

}  // namespace kgb
