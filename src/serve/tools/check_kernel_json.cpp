// SPDX-License-Identifier: Apache-2.0
// check_kernel: the quick look while a kernel is being written.
#include "serve/tools.hpp"

namespace kgb::serve {

using nlohmann::json;

Tool tool_check_kernel(const std::shared_ptr<Workbench>& bench) {
  Tool tool;
  tool.name = "check_kernel";
  tool.title = "Check a kernel";
  tool.description =
      "A quick look at a candidate: parses, defines the entries, its launches can be recorded, and the "
      "small public (smoke) workloads are right, each on one set of values. Seconds. A pass here is no "
      "verdict: evaluate_kernel adds hidden workloads.";
  tool.input_schema = candidate_schema();
  tool.slow = true;
  tool.run = [bench](const json& arguments, const CallContext& context) -> Result<ToolAnswer> {
    Asked asked = asked_of(arguments, context);
    asked.quick = true;
    asked.progress = gate_progress(context, "", 0, 5);
    KGB_TRY(const Evaluation evaluation, bench->judge(asked));
    KGB_TRY(ToolAnswer answer, told(*bench, evaluation));
    if (evaluation.verdict == Verdict::pass)
      answer.text +=
          "  note           a quick look at smoke workloads alone: evaluate_kernel gives the verdict\n";
    answer.structured["quick"] = true;
    return answer;
  };
  return tool;
}

}  // namespace kgb::serve
