// SPDX-License-Identifier: Apache-2.0
// The author's session: request, frames, recordings.
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "base/base64.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "judge/authoring.hpp"
#include "judge/cuda.hpp"
#include "judge/own_reads.hpp"
#include "judge/policy.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

using nlohmann::json;

// Real values of the inputs that the card lets host code read: "call/path" -> base64 of the storage.
json host_values(const Job& job, std::uint64_t seed, int trial) {
  json values = json::object();
  for (std::size_t c = 0; c < job.calls.size(); ++c)
    for (const auto& [path, spec] : tensors_of(job.calls[c])) {
      if (!spec.host_readable) continue;
      std::vector<std::byte> bytes(static_cast<std::size_t>(spec.storage_bytes()));
      generate(spec, path, seed, trial, static_cast<int>(c), bytes);
      values[std::to_string(c) + "/" + path] = base64_encode(std::span<const std::byte>(bytes));
    }
  return values;
}

// What the author's generators start from. It follows from the seed and does not lead back to it: whoever has
// the seed has every value of the trials, and a candidate shares its process with the recorder.
std::uint64_t generator_seed_of(std::uint64_t seed) {
  const Digest digest = sha256("generators/" + seed_text(seed));
  std::uint64_t derived = 0;
  std::memcpy(&derived, digest.data(), sizeof derived);
  return derived >> 1;  // 63 bits, as torch takes them
}

// What the author may import besides, and what it needs for that.
json library_of(const std::optional<LibrarySite>& site) {
  if (!site) return nullptr;
  json environment = json::object();
  for (const auto& [name, value] : site->environment) environment[name] = value;
  return {{"folders", site->folders}, {"environment", environment}};
}

// What the reads of intermediates give, as far as that is known.
json given_reads(const Job& job) {
  json reads = json::array();
  for (const auto& call : job.given) {
    json& list = reads.emplace_back(json::array());
    for (const std::vector<std::byte>& bytes : call) list.push_back(base64_encode(bytes));
  }
  return reads;
}

json session_of(const Case& open, const std::vector<Job*>& asked, const JudgeSetup& setup,
                const ChipCard& chip, const AuthorRequest& request) {
  json entries = json::array(), forbid = json::array(), jobs = json::array(), reads_own = json::array();
  std::set<std::string> wanted;
  for (const Job& job : open.jobs) wanted.insert(job.workload.call.entry);
  for (const Job* job : asked) {
    json calls = json::array();
    for (const Call& call : job->calls) calls.push_back(to_json(call));
    jobs.push_back({{"workload", job->workload.call.workload},
                    {"calls", calls},
                    {"reads", given_reads(*job)},
                    {"host_values", host_values(*job, open.request.seed, request.trial)}});
  }
  for (const Entry& entry : open.op.entries) {
    if (wanted.count(entry.name) != 0) entries.push_back(entry.name);
    if (entry.reads_own) reads_own.push_back(entry.name);
    for (const std::string& name : entry.forbid) forbid.push_back(name);
  }
  return {{"op", open.op.name},
          {"file", kCandidateFile},
          {"language", "triton"},
          {"target", chip.name},
          {"chip", to_json(chip)},
          {"entries", entries},
          {"forbid", forbid},
          {"reads_own", reads_own},
          {"no_kernel", open.op.tagged("no_kernel")},
          {"library", library_of(setup.library)},
          {"upload_cap", kUploadCap},
          {"generator_seed", generator_seed_of(request.generator_seed)},
          {"autotune", {{"mode", request.all_configurations ? "all" : "first"}, {"table", json::object()}}},
          {"jobs", jobs}};
}

// A detail as one text; the file is told by the name that the user gave it.
std::string detail_text(const json& value, const std::string& file) {
  std::string text;
  if (value.is_array()) {
    for (const json& item : value)
      text += (text.empty() ? "" : "; ") + (item.is_string() ? item.get<std::string>() : item.dump());
  } else {
    text = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return replace_all(text, kCandidateFile, file);
}

Finding finding_of_error(const json& error, Gate gate, const std::string& workload,
                         const JudgeRequest& request) {
  const std::string& file = request.file;
  Finding finding =
      make_finding(error.value("kind", "infra"), gate, error.value("message", "no reason given"), workload);
  // An error that decides nothing, or that the judge does not know, would leave the job without a verdict.
  if (finding_rank(finding.kind) < 0 || !verdict_of(finding.kind)) finding.kind = "invalid_plan";
  finding.line = error.value("line", 0);
  const std::string told = error.value("file", "");
  if (finding.line > 0 || !told.empty()) finding.file = shown_file(request, told);
  if (const auto details = error.find("details"); details != error.end() && details->is_object())
    for (const auto& [key, value] : details->items()) finding.details[key] = detail_text(value, file);
  // The author may call its own failures what it likes; only the judge says infra.
  if (finding.kind == "infra") finding.kind = "host_exception";
  finding.message = replace_all(to_utf8_lossy(finding.message).substr(0, 2000), kCandidateFile, file);
  return finding;
}

Job* job_named(Case& open, const std::string& name) {
  for (Job& job : open.jobs)
    if (job.workload.call.workload == name) return &job;
  return nullptr;
}

void take_recording(const Case& open, Job& job, const author::ResultFrame& frame) {
  const std::string_view text(reinterpret_cast<const char*>(frame.blob.data()), frame.blob.size());
  Result<Recording> recording = recording_from_json(text, job.calls);
  const std::string complaint =
      recording.ok() ? complaint_of_reads(open, job, *recording) : recording.error().message;
  if (!complaint.empty()) {
    job.findings.push_back(make_finding("invalid_plan", Gate::static_,
                                        "the launch plan is not valid: " + complaint,
                                        job.workload.call.workload));
    return;
  }
  job.recording = std::move(*recording);
  job.recording_json = std::string(text);
}

// One frame of the author. False: the import failed, nothing more is to come.
bool take_frame(Case& open, const author::ResultFrame& frame) {
  const json header = json::parse(frame.json, nullptr, false);
  const std::string name = header.value("job", "");
  const json error = header.value("error", json::object());
  if (name == "import") {
    if (!header.value("ok", false))
      open.findings.push_back(finding_of_error(error, Gate::static_, "", open.request));
    return header.value("ok", false);
  }
  Job* job = job_named(open, name);
  if (job == nullptr) return true;  // "end"
  if (!header.value("ok", false))
    job->findings.push_back(finding_of_error(error, Gate::static_, name, open.request));
  else if (!job->recording)
    take_recording(open, *job, frame);
  job->tuned = !header.value("autotuned", json::object()).empty();
  return true;
}

// What the author's end says of a candidate that gave less than it was asked for.
std::optional<Finding> finding_of_end(const author::AuthorOutcome& outcome) {
  using sandbox::End;
  const std::string how = "the candidate's process " + outcome.finished.describe();
  switch (outcome.finished.end) {
    case End::timeout:
      return make_finding("deadline", Gate::static_, how);
    case End::out_of_memory:
      return make_finding("memory_limit", Gate::static_, how);
    case End::output_flood:
      return make_finding("deadline", Gate::static_, how);
    case End::signalled:
      return make_finding("native_crash", Gate::static_, how);
    case End::exited:
      break;
  }
  return make_finding("exited", Gate::static_, how + " before its calls were done");
}

struct Taken {
  bool imported = true, ended = false;
};

// A candidate shares its process with the recorder and can learn the nonce, so a frame may hold anything.
Taken take_frames(Case& open, const author::AuthorOutcome& outcome) {
  Taken taken;
  try {
    for (const author::ResultFrame& frame : outcome.result.frames) {
      if (!taken.imported) break;
      taken.imported = take_frame(open, frame);
      taken.ended = taken.ended || json::parse(frame.json, nullptr, false).value("job", "") == "end";
    }
  } catch (const json::exception&) {
    open.findings.push_back(make_finding("forged_result", Gate::static_,
                                         "a frame in the result channel that the recorder does not write"));
    taken.ended = true;
  }
  return taken;
}

// Silence is no answer: every workload has a plan, or a finding that says why not.
void blame_silence(Case& open, const std::vector<Job*>& asked) {
  if (decide(open.findings) != Verdict::pass) return;
  for (Job* job : asked)
    if (!job->recording && decide(job->findings) == Verdict::pass)
      job->findings.push_back(make_finding("forged_result", Gate::static_,
                                           "the result channel ended without a word on this workload",
                                           job->workload.call.workload));
}

void take_outcome(Case& open, const author::AuthorOutcome& outcome) {
  const auto [imported, ended] = take_frames(open, outcome);
  if (!outcome.result.forged.empty())
    open.findings.push_back(make_finding(
        "forged_result", Gate::static_,
        "bytes in the result channel that the recorder did not write: " + outcome.result.forged));
  if (outcome.out_cut || outcome.err_cut)
    open.findings.push_back(
        make_finding("output_flood", Gate::static_, "printed more than is kept; the rest was cut"));
  // What follows forged bytes is not read, so that how the process ended explains nothing.
  if (!imported || ended || !outcome.result.forged.empty()) return;
  std::optional<Finding> finding = finding_of_end(outcome);
  finding->details["stderr"] = outcome.err.substr(0, 4000);
  // The first job without an answer is the one that it ended in.
  for (const Job& job : open.jobs)
    if (!job.recording && job.findings.empty()) {
      finding->workload = job.workload.call.workload;
      break;
    }
  open.findings.push_back(std::move(*finding));
}

// The limit is that of a usual tier; full ones of some operators have several times as many workloads.
double author_limit(const Case& open, const Processes& processes) {
  constexpr double kWorkloads = 240;
  return processes.setup().limits.author_s *
         std::max(1.0, static_cast<double>(open.jobs.size()) / kWorkloads);
}

Status author_once(Case& open, const std::vector<Job*>& asked, const ChipCard& chip, Processes& processes,
                   const AuthorRequest& request) {
  KGB_TRY(const TempDir workspace, author::make_workspace());
  KGB_CHECK(write_file(workspace.path() / kCandidateFile, open.request.source));
  const json session = session_of(open, asked, processes.setup(), chip, request);
  KGB_TRY(const author::AuthorOutcome outcome,
          processes.author(session.dump(-1, ' ', false, json::error_handler_t::replace), workspace.path(),
                           author_limit(open, processes), open.request.stop));
  take_outcome(open, outcome);
  blame_silence(open, asked);
  return ok_status();
}

}  // namespace

Status author_jobs(Case& open, Processes& processes, const Catalogue& catalogue,
                   const AuthorRequest& request) {
  KGB_TRY(const ChipCard* const chip,
          catalogue.chip(open.on_device() ? open.chip.name : open.chip.impersonates));
  if (open.language == "cuda") return describe_jobs(open, *chip, processes);
  std::vector<Job*> asked;
  for (Job& job : open.jobs) {
    job.given.assign(job.calls.size(), {});
    asked.push_back(&job);
  }
  const auto start = std::chrono::steady_clock::now();
  while (!asked.empty() && !open.stopped()) {
    KGB_CHECK(author_once(open, asked, *chip, processes, request));
    KGB_TRY(asked, answer_reads(open, asked, request.trial, processes));
    // The limit of one process holds for all of them together: a candidate must not gain time by reading.
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (asked.empty() || spent < author_limit(open, processes)) continue;
    for (Job* job : asked)
      job->findings.push_back(make_finding("deadline", Gate::static_,
                                           "the time limit passed between the reads of host code",
                                           job->workload.call.workload));
    break;
  }
  return ok_status();
}

}  // namespace kgb
