// SPDX-License-Identifier: Apache-2.0
// show_operator: what a candidate must define, and a stub to start from.
#include "catalogue/texts.hpp"
#include "serve/tools.hpp"

namespace kgb::serve {

using nlohmann::json;

Tool tool_show_operator(const std::shared_ptr<Workbench>& bench) {
  Tool tool;
  tool.name = "show_operator";
  tool.title = "Show an operator";
  tool.description =
      "What a candidate for the operator must define: entries with signatures and dtypes, tolerance, cost, "
      "public workloads; and a stub that can be judged.";
  tool.input_schema = object_schema(
      {{"op", operator_schema()},
       {"all_workloads", {{"type", "boolean"}, {"description", "every public workload, not the first few"}}}},
      {"op"});
  tool.run = [bench](const json& arguments, const CallContext&) -> Result<ToolAnswer> {
    KGB_TRY(const Operator* const op, bench->catalogue().find(text_at(arguments, "op")));
    ShowOptions options;
    options.all_workloads = arguments.value("all_workloads", false);
    json structured = show_json(bench->catalogue(), *op);
    const std::string stub = stub_text(*op);
    structured["stub"] = stub;
    return ToolAnswer{show_text(bench->catalogue(), *op, options) + "\nThe stub:\n" + stub,
                      std::move(structured)};
  };
  return tool;
}

}  // namespace kgb::serve
