// SPDX-License-Identifier: Apache-2.0
// Turns recorded events into findings.
#include "judge/policy.hpp"

#include <fmt/format.h>

#include <map>
#include <set>
#include <tuple>

namespace kgb {
namespace {

// What each kind of event means to the author of the candidate. Kinds that are not here are no findings
// ("cast").
const std::map<std::string, std::string>& sentences() {
  static const std::map<std::string, std::string> all{
      {"torch_compute", "computes with torch: {}. Work is done in kernels that the candidate defines"},
      {"torch_random", "takes random numbers from torch: {}. Use tl.rand with a seed from the generator"},
      {"helper_is_operator", "calls {}, which is the operator under test"},
      {"upload_too_large", "uploads host data: {}"},
      {"upload_after_read",
       "uploads host data after a read of what its kernels computed: {}. What is read may steer launches and "
       "sizes, and never travel back as data"},
      {"host_read",
       "reads device values on the host: {}. The card does not allow it, and a launch plan cannot carry it"},
      {"recorder_unsupported", "uses {}, which a launch plan cannot carry"},
      {"self_benchmark", "times itself: {}. Ignored"},
      {"judge_patched", "replaces {}, a function of torch or Triton"},
      {"import_refused", "imports {}"},
  };
  return all;
}

Finding finding_of(const Event& event, const std::string& sentence, const std::string& workload,
                   const JudgeRequest& request) {
  Finding finding;
  finding.kind = event.kind;
  finding.gate = Gate::honest;
  finding.message = fmt::format(fmt::runtime(sentence), event.what);
  finding.workload = workload;
  finding.file = event.line > 0 ? shown_file(request, event.file) : std::string();
  finding.line = event.line;
  finding.details["operator"] = event.what;
  return finding;
}

std::int64_t uploaded_bytes(const RecordedCall& call) {
  std::int64_t bytes = 0;
  for (const Node& node : call.nodes)
    if (const auto* upload = std::get_if<Upload>(&node))
      bytes += static_cast<std::int64_t>(upload->bytes.size());
  return bytes;
}

// The first upload of a call behind a read: from there on host bytes may hold what was read.
const Upload* upload_after_read(const RecordedCall& call) {
  bool read = false;
  for (const Node& node : call.nodes) {
    read = read || std::holds_alternative<Read>(node);
    const auto* upload = std::get_if<Upload>(&node);
    if (read && upload != nullptr && !upload->bytes.empty()) return upload;
  }
  return nullptr;
}

}  // namespace

std::vector<Finding> policy_findings(const Recording& recording, const std::string& workload,
                                     const JudgeRequest& request) {
  std::vector<Finding> findings;
  std::set<std::tuple<std::string, std::string, int>> seen;
  for (const RecordedCall& call : recording.calls) {
    for (const Event& event : call.events) {
      const auto sentence = sentences().find(event.kind);
      if (sentence == sentences().end()) continue;
      if (!seen.insert({event.kind, event.what, event.line}).second) continue;
      findings.push_back(finding_of(event, sentence->second, workload, request));
    }
    // The recorder is not trusted: the cap is held against the plan itself.
    const std::int64_t bytes = uploaded_bytes(call);
    if (bytes > kUploadCap && seen.insert({"upload_too_large", "", 0}).second) {
      Event event{"upload_too_large", fmt::format("{} bytes in one call, {} are allowed", bytes, kUploadCap),
                  "", 0};
      findings.push_back(finding_of(event, sentences().at("upload_too_large"), workload, request));
    }
    if (const Upload* upload = upload_after_read(call)) {
      const Event event{"upload_after_read", fmt::format("{} of {} bytes", upload->op, upload->bytes.size()),
                        upload->file, upload->line};
      if (seen.insert({event.kind, event.what, event.line}).second)
        findings.push_back(finding_of(event, sentences().at(event.kind), workload, request));
    }
  }
  return findings;
}

void apply_policy(const Case& open, Job& job, bool advisory) {
  for (Finding& finding : policy_findings(*job.recording, job.workload.call.workload, open.request))
    if (advisory || verdict_of(finding.kind)) job.findings.push_back(std::move(finding));
}

}  // namespace kgb
