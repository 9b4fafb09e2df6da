// SPDX-License-Identifier: Apache-2.0
// Requests to executors around a timed trial.
#include "judge/timed_plan.hpp"

#include "judge/timing.hpp"
#include "judge/trials.hpp"

namespace kgb {
namespace {

constexpr Millis kBeginLimit{300'000}, kEndLimit{120'000};
constexpr std::int64_t kPlanId = 1;

// Holds the outputs that the timed graph left against the oracle.
Status verify(const Case& open, Job& job, const TrialResult& result, Processes& processes) {
  for (const TrialOutput& output : result.outputs) {
    const ValueSet set{open.request.seed, timed_trial(job), output.call};
    KGB_TRY(const std::shared_ptr<const Expectation> expectation,
            processes.expectations().values(open.op, job.calls[static_cast<std::size_t>(output.call)], set));
    for (const ExpectedOutput& expected : expectation->outputs) {
      if (expected.path != output.path) continue;
      KGB_TRY([[maybe_unused]] const bool same,
              judge_output(open, job, output.call, output, result.bytes_of(output), expected, 0));
    }
  }
  return ok_status();
}

}  // namespace

Result<std::optional<TrialResult>> begin_plan(const TrialRequest& request, const Job& job,
                                              sandbox::Worker& executor) {
  const std::vector<std::byte> blob = blob_of(request, job.recording_json);
  KGB_TRY(sandbox::Answer begun, executor.ask(to_json_text(request, kPlanId), blob, kBeginLimit));
  if (begun.loss) return host_error("the executor " + begun.loss->finished.describe() + " in a timed call");
  if (is_ready(begun.frame.json)) return std::optional<TrialResult>();
  KGB_TRY(TrialResult result, trial_result_from_json(begun.frame.json, std::move(begun.frame.blob), kPlanId));
  return std::optional(std::move(result));
}

Result<TrialResult> end_plan(sandbox::Worker& executor) {
  KGB_TRY(sandbox::Answer last, executor.ask(samples_request_text(0, kPlanId), {}, kEndLimit));
  if (last.loss) return host_error("the executor " + last.loss->finished.describe() + " after a timed call");
  return trial_result_from_json(last.frame.json, std::move(last.frame.blob), kPlanId);
}

Status judge_left(const Case& open, Job& job, const TrialResult& left, Processes& processes) {
  for (const Finding& finding : left.findings) job.findings.push_back(finding);
  return open.random() ? ok_status() : verify(open, job, left, processes);
}

}  // namespace kgb
