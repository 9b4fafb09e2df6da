// SPDX-License-Identifier: Apache-2.0
// Gate static: the file is text, parses, defines the entries, imports what it may; its calls can be recorded.
#include "base/text.hpp"
#include "fmt/format.h"
#include "judge/authoring.hpp"
#include "judge/gates.hpp"
#include "judge/in_process.hpp"
#include "judge/native.hpp"

namespace kgb {
namespace {

std::optional<Finding> check_text(const std::string& source) {
  if (source.size() > kMaxCandidateBytes)
    return make_finding("not_utf8", Gate::static_, "the file is larger than 4 MiB");
  if (trim(source).empty()) return make_finding("not_utf8", Gate::static_, "the file is empty");
  if (!is_utf8(source)) return make_finding("not_utf8", Gate::static_, "the file is not UTF-8 text");
  return std::nullopt;
}

// The file alone does not say how the operator's entries are called, and who reads of one that is missing may
// never have seen them. `entries` of the details names them, whatever language the candidate is in.
void name_signatures(const Operator& op, std::vector<Finding>& findings) {
  for (Finding& finding : findings) {
    const auto missing = finding.details.find("entries");
    if (finding.kind != "missing_entry" || missing == finding.details.end()) continue;
    std::vector<std::string> signatures;
    for (const std::string& name : split(missing->second, ';'))
      if (const Entry* entry = op.find_entry(trim(name)); entry != nullptr)
        signatures.push_back(signature_text(entry->name, entry->schema));
    if (signatures.empty()) continue;
    finding.message +=
        fmt::format("; {} has the {} {} (kgbench show {})", op.name,
                    signatures.size() == 1 ? "entry" : "entries", join(signatures, ", "), op.name);
  }
}

Status read_candidate(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.language == "cpp") return native_build(open, processes);
  if (open.in_process()) return in_process_load(open, processes);
  AuthorRequest request;
  request.generator_seed = open.request.seed;
  return author_jobs(open, processes, catalogue, request);
}

}  // namespace

Status gate_static_(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (std::optional<Finding> wrong = check_text(open.request.source)) {
    open.findings.push_back(std::move(*wrong));
    return ok_status();
  }
  const StageClock clock(open, "author");
  KGB_CHECK(read_candidate(open, processes, catalogue));
  name_signatures(open.op, open.findings);
  for (Job& job : open.jobs) name_signatures(open.op, job.findings);
  return ok_status();
}

}  // namespace kgb
