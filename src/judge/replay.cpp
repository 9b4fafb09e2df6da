// SPDX-License-Identifier: Apache-2.0
// One recorded workload with its kernels compiled, as the frame that an executor would get.
#include <algorithm>

#include "judge/authoring.hpp"
#include "judge/impl.hpp"
#include "judge/policy.hpp"
#include "judge/timing.hpp"
#include "judge/trials.hpp"

namespace kgb {
namespace {

constexpr std::int64_t kReplayMs = 600'000;  // a profiler runs each kernel many times

std::size_t launches_of(const RecordedCall& call) {
  return static_cast<std::size_t>(std::count_if(call.nodes.begin(), call.nodes.end(), [](const Node& node) {
    return std::holds_alternative<Launch>(node);
  }));
}

}  // namespace

Result<StoredReplay> Judge::replay(const JudgeRequest& request) {
  KGB_TRY(Case open, open_case(request, impl_->catalogue));
  if (open.language == "cpp")
    return user_error("C++ candidates have no launch plan, so there is nothing to replay on a device");
  if (open.jobs.size() != 1) return internal_error("a replay is of one workload");
  if (!open.on_device()) return internal_error("a replay needs a device");
  AuthorRequest author;
  author.generator_seed = request.seed;
  KGB_CHECK(author_jobs(open, *impl_->processes, impl_->catalogue, author));
  Job& job = open.jobs.front();
  StoredReplay stored;
  if (job.recording) {
    apply_policy(open, job, false);
    KGB_TRY(std::optional<TrialRequest> timed, timed_request(open, job, timed_trial(job), *impl_->processes));
    if (timed) {
      timed->deadline_ms = kReplayMs;
      stored.json = to_json_text(*timed, 1);
      stored.blob = blob_of(*timed, job.recording_json);
      for (const RecordedCall& call : job.recording->calls) {
        stored.before += stored.launches;
        stored.launches = launches_of(call);
      }
    }
  }
  stored.findings = std::move(open.findings);
  for (Finding& finding : job.findings) stored.findings.push_back(std::move(finding));
  return stored;
}

}  // namespace kgb
