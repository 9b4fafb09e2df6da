// SPDX-License-Identifier: Apache-2.0
// One trial: executor and oracle are asked, outputs are compared, the worst element becomes a finding.
#include "judge/trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "judge/contract.hpp"
#include "judge/cuda.hpp"
#include "judge/number.hpp"

namespace kgb {
namespace {

// Of the profile quick on a device, for the virtual machine's watch and for the device alike: what it draws
// takes milliseconds there, and while a kernel does not end nothing can be timed for anybody.
constexpr double kQuickTrialSeconds = 10;

double seconds_for(const Case& open, const JudgeSetup& setup) {
  const double limit = setup.limits.trial_s;
  return open.quick() && open.on_device() ? std::min(limit, kQuickTrialSeconds) : limit;
}

TrialRequest request_of(const Case& open, const Job& job, TrialSpec spec, const JudgeSetup& setup) {
  const int trial = spec.number;
  TrialRequest request;
  request.calls = job.calls;
  request.seed = open.request.seed;
  request.trial = trial;
  request.poison = (trial + (spec.after_vm ? 1 : 0)) % 3;
  request.deadline_ms = static_cast<std::int64_t>(1e3 * seconds_for(open, setup));
  request.threads = std::max(1, setup.threads / setup.lanes);
  request.order = trial % 2 == 0 ? "forward" : "shuffled";
  request.max_steps = setup.limits.max_steps;
  request.flush_denormals = job.workload.flush;
  // What a launch stores is seen by what changes: adding 0 to an element leaves no trace. An output that
  // seems to want a launch gets a second trial on other values; the plan cannot tell them apart.
  // A launch description can fill and copy scratch alone, so what stands in its outputs is a launch's; and
  // its kernels are not rehearsed, since global variables would keep a trace of that.
  request.track_writes =
      open.language != "cuda" && ((trial == 0 && !spec.after_vm) || job.wanting_launch || !watched(job));
  return request;
}

// The kernel's places are told in the name that the author saw; the user knows the file by its own.
void adopt(std::vector<Finding>& findings, const Job& job, const JudgeRequest& request) {
  for (Finding& finding : findings) {
    finding.workload = job.workload.call.workload;
    if (finding.line > 0) finding.file = shown_file(request, finding.file);
    finding.message = replace_all(finding.message, kCandidateFile, request.file);
    for (auto& [name, text] : finding.details) text = replace_all(text, kCandidateFile, request.file);
  }
}

// What a person calls a value that is no number; other values as they are.
std::string named(const std::string& value) {
  if (value == "nan" || value == "-nan") return "NaN";
  if (value == "inf") return "infinity";
  return value == "-inf" ? "-infinity" : value;
}

// Elements that are right within a bound are told with it and the error; NaN and infinity by name.
std::string mismatch_text(const CompareResult& compared, const std::string& where) {
  const std::string got = named(compared.got), expected = named(compared.expected);
  if (got != compared.got || expected != compared.expected)
    return fmt::format("{}: {} where {} was expected", where, got, expected);
  std::string text = fmt::format("{} = {}, expected {}", where, got, expected);
  if (compared.bound > 0) text += fmt::format(" +- {:.3g}", compared.bound);
  if (std::isfinite(compared.worst_ratio) && compared.bound > 0)
    text += fmt::format(", error {:.3g} x the bound", compared.worst_ratio);
  return text;
}

Finding mismatch_finding(const CompareResult& compared, const ExpectedOutput& expected, int call,
                         const Job& job) {
  const std::string where = expected.path + compared.worst_at;
  Finding finding = make_finding(std::string(compared.finding_kind()), Gate::correct,
                                 mismatch_text(compared, where), job.workload.call.workload);
  finding.details = {{"output", expected.path},
                     {"index", compared.worst_at},
                     {"got", compared.got},
                     {"expected", compared.expected},
                     {"bound", fmt::format("{:.6g}", compared.bound)},
                     {"wrong elements", fmt::format("{} of {}", compared.n_bad, compared.count)},
                     {"call", std::to_string(call + 1)}};
  if (!compared.pattern.empty()) finding.details["pattern"] = compared.pattern;
  return finding;
}

void note_worst(Job& job, const CompareResult& compared, const ExpectedOutput& expected) {
  job.elements += compared.count;
  if (compared.worst_ratio > job.worst_ratio || job.worst_at.empty()) {
    job.worst_ratio = std::max(job.worst_ratio, compared.worst_ratio);
    job.worst_at = expected.path + compared.worst_at;
  }
}

const TrialOutput* find_output(const TrialResult& result, int call, const std::string& path) {
  for (const TrialOutput& output : result.outputs)
    if (output.call == call && output.path == path) return &output;
  return nullptr;
}

// Whether the work of this output was done without the candidate's kernels. Elements that a fill or a copy
// left there are honest where kernels write into them (zeros and atomics, a clone and a scatter); uploads
// never are, and moving data by torch's copies is the operator itself in the family `copy`.
bool needs_launch(const Case& open, const Call& call, const TrialOutput& output) {
  if (open.op.tagged("no_kernel") || output.bytes == 0 || output.written) return false;
  if (reads_nothing(call) && output.sources.upload == 0) return false;
  return output.sources.launch == 0 || output.sources.upload > 0 ||
         (output.sources.copy > 0 && open.op.family == "copy");
}

}  // namespace

bool reads_nothing(const Call& call) {
  bool any = false;
  for (const auto& [path, spec] : tensors_of(call)) {
    if (spec.mutated) continue;
    any = true;
    if (spec.numel() > 0) return false;
  }
  return any;
}

Result<bool> judge_output(const Case& open, Job& job, int call, const TrialOutput& output,
                          std::span<const std::byte> bytes, const ExpectedOutput& expected,
                          std::optional<int> poison) {
  if (job.bound.error_class == ErrorClass::random) {
    job.elements += static_cast<std::int64_t>(bytes.size() / size_of(output.dtype));
    return true;
  }
  CompareOptions options;
  // An element that a launch wrote may look like the poison: 255 in a byte. Who wrote what is not known of
  // CUDA C++, where wider elements made of the poison alone are taken for unwritten.
  const bool unwatched = open.language == "cuda" && size_of(output.dtype) > 1;
  if (poison && (!output.written || unwatched)) options.poison = poison_byte(*poison);
  KGB_TRY(const CompareResult compared, compare(bytes, expected, job.bound, options));
  note_worst(job, compared, expected);
  if (open.observer) open.observer({job.workload, job.bound, bytes, expected});
  if (compared.ok()) return true;
  job.findings.push_back(mismatch_finding(compared, expected, call, job));
  return false;
}

Result<bool> judge_number(const Case& open, Job& job, int call, const ExpectedOutput& expected) {
  const RecordedCall& recorded = job.recording->calls[static_cast<std::size_t>(call)];
  const std::optional<std::vector<std::byte>> bytes =
      recorded.outputs.empty() ? std::nullopt : number_bytes(recorded.outputs.front().scalar, expected.dtype);
  if (!bytes) {
    job.findings.push_back(
        make_finding("wrong_structure", Gate::correct,
                     fmt::format("{} is no number that {} can hold", expected.path, name_of(expected.dtype)),
                     job.workload.call.workload));
    return false;
  }
  TrialOutput output;
  output.dtype = expected.dtype;
  return judge_output(open, job, call, output, *bytes, expected, std::nullopt);
}

Status judge_contract(const Case& open, Job& job, int trial, Processes& processes) {
  const Entry& entry = open.entry_of(job);
  const std::size_t before = job.findings.size();  // advice, for one
  for (std::size_t c = 0; c < job.recording->calls.size(); ++c) {
    KGB_TRY(const std::shared_ptr<const Expectation> expectation,
            processes.expectations().values(open.op, job.calls[c],
                                            {open.request.seed, trial, static_cast<int>(c)}));
    const ContractCheck check{entry.schema, job.calls[c], *expectation, entry.exact_strides};
    for (Finding& finding : contract_findings(*job.recording, static_cast<int>(c), check)) {
      finding.workload = job.workload.call.workload;
      finding.details["call"] = std::to_string(c + 1);
      job.findings.push_back(std::move(finding));
    }
    if (job.findings.size() > before) return ok_status();
  }
  return ok_status();
}

namespace {

// Compiles the plan's kernels for the chip; the first that does not compile becomes a finding.
Result<std::vector<KernelImage>> images_of(const Case& open, Job& job, Processes& processes) {
  std::vector<KernelImage> images;
  for (std::size_t k = 0; k < job.recording->kernels.size(); ++k) {
    const Kernel& kernel = job.recording->kernels[k];
    if (!kernel.cuda.empty()) {
      KGB_TRY(std::optional<KernelImage> image, cuda_image(open, job, k, processes));
      if (!image) return std::vector<KernelImage>();
      images.push_back(*std::move(image));
      continue;
    }
    KGB_TRY(Compiler::Image made, processes.compiler().image(kernel, open.chip.targets.front()));
    if (!made.message.empty()) {
      job.findings.push_back(make_finding("device_compile_error", Gate::correct,
                                          fmt::format("kernel {} does not compile for {}: {}", kernel.name,
                                                      open.chip.targets.front(), made.message),
                                          job.workload.call.workload));
      return std::vector<KernelImage>();
    }
    images.push_back(std::move(made.image));
  }
  return images;
}

// One trial of the recording. Its findings go to the job; nullopt: there were some.
Result<std::optional<TrialResult>> run_recording(Job& job, TrialRequest& request, TrialSpec trial,
                                                 const Case& open, Processes& processes) {
  if (trial.where == Where::device) {
    KGB_TRY(request.images, images_of(open, job, processes));
    if (request.images.size() != job.recording->kernels.size()) return std::optional<TrialResult>();
  }
  Station* const station = trial.where == Where::device ? &open.seat->station() : nullptr;
  KGB_TRY(Processes::TrialAnswer answer,
          processes.trial(request, job.recording_json, station, open.request.stop));
  if (answer.fault) {
    answer.fault->workload = job.workload.call.workload;
    job.findings.push_back(std::move(*answer.fault));
    return std::optional<TrialResult>();
  }
  adopt(answer.result.findings, job, open.request);
  const bool whole = answer.result.findings.empty();
  for (Finding& finding : answer.result.findings) job.findings.push_back(std::move(finding));
  return whole ? std::optional(std::move(answer.result)) : std::nullopt;
}

}  // namespace

bool are_limits_of_vm(std::span<const Finding> findings) {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& f) {
    return f.kind == "vm_unsupported" || f.kind == "deadline" || f.kind == "step_limit";
  });
}

Result<std::optional<std::vector<std::byte>>> wanted_bytes(const Case& open, Job& job, TrialSpec trial,
                                                           Processes& processes) {
  using Bytes = std::optional<std::vector<std::byte>>;
  TrialRequest request = request_of(open, job, trial, processes.setup());
  request.track_writes = true;  // tells copies of inputs from what kernels computed
  Result<std::optional<TrialResult>> ran = run_recording(job, request, trial, open, processes);
  if (trial.where == Where::device && !(ran.ok() && *ran)) open.seat->blame();
  KGB_TRY(std::optional<TrialResult> result, std::move(ran));
  if (!result) return Bytes();
  if (!result->read) return host_error("the executor did not stop at the read that the plan ends with");
  return Bytes(*std::move(result->read));
}

Result<std::optional<TrialRequest>> timed_request(const Case& open, Job& job, int trial,
                                                  Processes& processes) {
  TrialRequest request = request_of(open, job, {trial, Where::device}, processes.setup());
  request.timed = true;
  request.track_writes = false;
  request.poison = 0;
  KGB_TRY(request.images, images_of(open, job, processes));
  if (request.images.size() != job.recording->kernels.size()) return std::optional<TrialRequest>();
  return std::optional(std::move(request));
}

TrialRequest vendor_request(const Case& open, const Job& job, int trial, const Processes& processes) {
  TrialRequest request = request_of(open, job, {trial, Where::device}, processes.setup());
  request.timed = true;
  request.track_writes = false;
  request.poison = 0;
  return vendor_request(open, job, request);
}

TrialRequest vendor_request(const Case& open, const Job& job, const TrialRequest& candidate) {
  TrialRequest request = candidate;
  request.images.clear();
  request.vendor = open.entry_of(job).vendor;
  return request;
}

namespace {

Result<bool> compare_trial(const Case& open, Job& job, TrialSpec trial, Processes& processes,
                           const OutputVisitor& visit) {
  TrialRequest request = request_of(open, job, trial, processes.setup());
  KGB_TRY(const std::optional<TrialResult> result, run_recording(job, request, trial, open, processes));
  if (!result) return false;
  bool right = true, wanting = false;
  for (int c = 0; c < static_cast<int>(job.calls.size()) && right; ++c) {
    KGB_TRY(const std::shared_ptr<const Expectation> expectation,
            processes.expectations().values(open.op, job.calls[static_cast<std::size_t>(c)],
                                            {open.request.seed, trial.number, c}));
    if (open.entry_of(job).schema.gives_number()) {
      KGB_TRY(const bool same, judge_number(open, job, c, expectation->outputs.front()));
      right = right && same;
      continue;
    }
    for (const ExpectedOutput& expected : expectation->outputs) {
      const TrialOutput* output = find_output(*result, c, expected.path);
      if (output == nullptr) {
        job.findings.push_back(make_finding("wrong_structure", Gate::correct, expected.path + " is missing",
                                            job.workload.call.workload));
        return false;
      }
      wanting = wanting || needs_launch(open, job.calls[static_cast<std::size_t>(c)], *output);
      if (visit) visit(c, *output, result->bytes_of(*output), expected);
      KGB_TRY(const bool same,
              judge_output(open, job, c, *output, result->bytes_of(*output), expected, request.poison));
      right = right && same;
    }
  }
  if (request.track_writes) job.wanting_launch = wanting;
  job.judged = true;
  return right;
}

}  // namespace

Result<bool> judge_trial(const Case& open, Job& job, TrialSpec trial, Processes& processes,
                         const OutputVisitor& visit) {
  if (open.stopped()) return false;
  Result<bool> right = compare_trial(open, job, trial, processes, visit);
  if (trial.where == Where::device && !(right.ok() && *right)) open.seat->blame();
  return right;
}

Result<bool> judge_on_vm(const Case& open, Job& job, Processes& processes, const OutputVisitor& visit) {
  const std::size_t before = job.findings.size();
  KGB_TRY(const bool right, judge_trial(open, job, {0, Where::vm}, processes, visit));
  const std::span<Finding> fresh = std::span(job.findings).subspan(before);
  if (right || !open.on_device() || !are_limits_of_vm(fresh)) return right;
  for (Finding& finding : fresh) {
    finding.message = "accesses were not watched: " + finding.message;
    finding.kind = "vm_unchecked";
  }
  return true;
}

}  // namespace kgb
