// SPDX-License-Identifier: Apache-2.0
// The baseline of one workload on a device: another candidate's plan, the vendor's function that the card
// names, or a function that Python calls (torch, torch.compile, vLLM).
#pragma once

#include <optional>
#include <string>

#include "judge/case.hpp"
#include "judge/processes.hpp"
#include "judge/rival.hpp"
#include "judge/turns.hpp"

namespace kgb {

class Opponent {
 public:
  // `rival`: the candidate whose plan it is; nullptr: the request or the card says. `plan`: of what an
  // executor runs.
  Opponent(const Case& open, const Job& job, Processes& processes, Rival* rival,
           const Result<TrialRequest>& plan);

  // An Error says why it cannot be timed; so with all that follow.
  [[nodiscard]] Status begin(Crew& crew);
  // The same between events instead of as a graph: for a candidate that cannot be recorded. Python's
  // baselines alone.
  [[nodiscard]] Status begin_events(Crew& crew);
  [[nodiscard]] Status end(Crew& crew);
  // What was timed must be right, too.
  [[nodiscard]] Status judge();
  [[nodiscard]] Timed timed(Crew& crew) const;
  // Seconds of it by triton.testing.do_bench; of Python's baselines.
  [[nodiscard]] Result<double> do_bench(Crew& crew) const;
  [[nodiscard]] std::string name() const;

 private:
  [[nodiscard]] bool by_vendor() const;
  [[nodiscard]] bool by_python() const { return rival_ == nullptr && !by_vendor(); }
  Status begin_python(Crew& crew, const char* span);
  Job& mine() { return rival_ == nullptr ? of_vendor_ : *rival_->job_of(job_.workload.call.workload); }

  const Case& open_;
  const Job& job_;
  Processes& processes_;
  Rival* rival_;
  const Result<TrialRequest>& plan_;
  Job of_vendor_;
  std::optional<TrialResult> left_;
};

}  // namespace kgb
