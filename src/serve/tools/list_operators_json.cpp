// SPDX-License-Identifier: Apache-2.0
// list_operators: which operators there are.
#include "catalogue/texts.hpp"
#include "serve/tools.hpp"

namespace kgb::serve {

using nlohmann::json;

Tool tool_list_operators(const std::shared_ptr<Workbench>& bench) {
  Tool tool;
  tool.name = "list_operators";
  tool.title = "List operators";
  tool.description =
      "The operators that kernels can be judged for, with family, tags and numbers of workloads. Filters "
      "narrow it.";
  tool.input_schema =
      object_schema({{"suite", text_schema("ms (all), mc, aten, vllm, cublas, demo, kernels")},
                     {"family", text_schema("family as in the list: reduce, matmul, ...")},
                     {"tag", text_schema("tag as in the list: random, inplace, view, ...")},
                     {"name", text_schema("a part of the name, letters of either case")}},
                    json::array());
  tool.run = [bench](const json& arguments, const CallContext&) -> Result<ToolAnswer> {
    const ListFilter filter{text_at(arguments, "suite"), text_at(arguments, "family"),
                            text_at(arguments, "tag"), text_at(arguments, "name")};
    KGB_TRY(std::string text, list_text(bench->catalogue(), filter));
    KGB_TRY(json operators, list_json(bench->catalogue(), filter));
    return ToolAnswer{std::move(text), {{"operators", std::move(operators)}}};
  };
  return tool;
}

}  // namespace kgb::serve
