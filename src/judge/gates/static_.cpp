// SPDX-License-Identifier: Apache-2.0
// Gate static: the file is text, parses, defines the entries, imports what it may; its calls can be recorded.
#include "base/text.hpp"
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

}  // namespace

Status gate_static_(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (std::optional<Finding> wrong = check_text(open.request.source)) {
    open.findings.push_back(std::move(*wrong));
    return ok_status();
  }
  const StageClock clock(open, "author");
  if (open.language == "cpp") return native_build(open, processes);
  if (open.in_process()) return in_process_load(open, processes);
  AuthorRequest request;
  request.generator_seed = open.request.seed;
  return author_jobs(open, processes, catalogue, request);
}

}  // namespace kgb
