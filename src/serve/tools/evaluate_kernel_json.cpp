// SPDX-License-Identifier: Apache-2.0
// evaluate_kernel: every gate of the judge, hidden workloads included.
#include "serve/tools.hpp"

namespace kgb::serve {

using nlohmann::json;

Tool tool_evaluate_kernel(const std::shared_ptr<Workbench>& bench) {
  Tool tool;
  tool.name = "evaluate_kernel";
  tool.title = "Evaluate a kernel";
  tool.description =
      "The verdict on a candidate: every gate (static, compile, correct, honest, fast), public and hidden "
      "workloads, the latter drawn anew for each call, and the speedup where the chip can time. Up to "
      "minutes; tells its progress and can be cancelled. Of hidden workloads only the kind of a failure is "
      "told.";
  tool.input_schema = candidate_schema();
  tool.slow = true;
  tool.run = [bench](const json& arguments, const CallContext& context) -> Result<ToolAnswer> {
    Asked asked = asked_of(arguments, context);
    asked.progress = gate_progress(context, "", 0, 5);
    KGB_TRY(const Evaluation evaluation, bench->judge(asked));
    return told(*bench, evaluation);
  };
  return tool;
}

}  // namespace kgb::serve
