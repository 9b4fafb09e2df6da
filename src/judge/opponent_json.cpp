// SPDX-License-Identifier: Apache-2.0
// Requests to the baseline's process, and the choice of the baseline.
#include "judge/opponent.hpp"

#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "base/text.hpp"
#include "judge/baselines.hpp"
#include "judge/device_host.hpp"
#include "judge/timed_plan.hpp"
#include "judge/timing.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr Millis kBeginLimit{300'000}, kBenchLimit{120'000};

// What Python calls: an expression of torch's, the same compiled, or a function by its path.
struct PythonBaseline {
  std::string name, how, text;
};

Result<PythonBaseline> python_baseline(const Case& open, const Job& job) {
  const Entry& entry = open.entry_of(job);
  const std::string& against = open.request.against;
  if (against == "cublas")
    return user_error(entry.vendor.empty() ? "the card names no function of cuBLAS's for this entry"
                                           : "cuBLAS's function cannot be called here");
  if (against == "vllm") {
    if (entry.vllm.empty()) return user_error("the card names no function of vLLM's for this entry");
    return PythonBaseline{"vLLM", "vllm", entry.vllm};
  }
  if (entry.baseline.empty())
    return user_error(against.empty() ? "the operator has no baseline on this chip"
                                      : "the card holds no expression of torch's for this entry");
  if (against == "torch.compile") return PythonBaseline{"torch.compile", "compile", entry.baseline};
  return PythonBaseline{"torch", "eager", entry.baseline};
}

}  // namespace

const std::vector<std::string>& baselines() {
  static const std::vector<std::string> names{"torch", "torch.compile", "cublas", "vllm"};
  return names;
}

Opponent::Opponent(const Case& open, const Job& job, Processes& processes, Rival* rival,
                   const Result<TrialRequest>& plan)
    : open_(open), job_(job), processes_(processes), rival_(rival), plan_(plan) {
  if (!by_vendor()) return;
  of_vendor_.workload = job.workload;
  of_vendor_.bound = job.bound;
  of_vendor_.calls = job.calls;
}

bool Opponent::by_vendor() const {
  const std::string& against = open_.request.against;
  return rival_ == nullptr && plan_.ok() && !plan_->vendor.empty() &&
         (against.empty() || against == "cublas");
}

Status Opponent::begin_python(Crew& crew, const char* span) {
  KGB_TRY(const PythonBaseline baseline, python_baseline(open_, job_));
  const json request{{"id", 1},
                     {"run", "begin"},
                     {"backend", open_.seat->station().device().backend},
                     {"call", to_json(job_.workload.call)},
                     {"baseline", baseline.text},
                     {"how", baseline.how},
                     {"span", span},
                     {"seed", seed_text(open_.request.seed)},
                     {"trial", timed_trial(job_)},
                     {"number", 2}};
  KGB_TRY(const sandbox::Answer answer, crew.baseline.ask(request.dump(), {}, kBeginLimit));
  if (answer.loss) return host_error("the baseline " + answer.loss->finished.describe());
  const json reply = json::parse(answer.frame.json, nullptr, false);
  if (reply.is_object() && reply.value("ok", false)) return ok_status();
  return host_error("the baseline: " +
                    (reply.is_object() ? reply.value(json::json_pointer("/error/message"), "no reason given")
                                       : std::string("its answer is no JSON")));
}

Status Opponent::begin(Crew& crew) {
  if (by_python()) return begin_python(crew, "graph");
  if (!plan_.ok()) return plan_.error();
  KGB_TRY(const std::optional<TrialResult> ended, begin_plan(*plan_, mine(), crew.rival));
  if (!ended) return ok_status();
  const std::string why = ended->findings.empty() ? "no reason given" : ended->findings.front().message;
  return user_error("the baseline " + name() + " cannot be timed: " + why);
}

Status Opponent::begin_events(Crew& crew) {
  if (by_python()) return begin_python(crew, "events");
  return user_error("the candidate can only be timed between events, and the baseline " + name() +
                    " is a graph: the two are not timed alike");
}

Status Opponent::end(Crew& crew) {
  if (by_python()) return ok_status();
  KGB_TRY(left_, end_plan(crew.rival));
  return ok_status();
}

Status Opponent::judge() {
  if (by_python()) return ok_status();
  KGB_CHECK(judge_left(rival_ == nullptr ? open_ : rival_->opened(), mine(), *left_, processes_));
  const std::optional<std::string> fault = fault_in(mine().findings);
  return fault ? user_error("the baseline " + name() + " is wrong: " + *fault) : ok_status();
}

Timed Opponent::timed(Crew& crew) const {
  return by_python() ? Timed(crew.baseline, "the baseline")
                     : Timed(crew.rival, "the executor of the baseline");
}

Result<double> Opponent::do_bench(Crew& crew) const {
  if (!by_python())
    return user_error("do_bench calls from Python, and the baseline " + name() + " is called from C++");
  KGB_TRY(const sandbox::Answer answer,
          crew.baseline.ask(R"({"id": 1, "run": "do_bench"})", {}, kBenchLimit));
  if (answer.loss) return host_error("the baseline " + answer.loss->finished.describe());
  return published_seconds(answer.frame.json);
}

std::string Opponent::name() const {
  if (rival_ != nullptr) return rival_->name();
  if (by_vendor()) return left_ ? left_->library : plan_->vendor;
  const Result<PythonBaseline> baseline = python_baseline(open_, job_);
  return baseline.ok() ? baseline->name : "";
}

}  // namespace kgb
