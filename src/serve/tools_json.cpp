// SPDX-License-Identifier: Apache-2.0
// The table of tools and what they share.
#include "serve/tools.hpp"

#include "judge/feedback.hpp"
#include "judge/judge.hpp"

namespace kgb::serve {

using nlohmann::json;

#define KGB_TOOL(name) Tool tool_##name(const std::shared_ptr<Workbench>&);
#include "serve/tools.def"
#undef KGB_TOOL

namespace {

constexpr std::size_t kMaxSource = std::size_t{4} << 20;  // what the judge takes

}  // namespace

std::vector<Tool> kernel_tools(const std::shared_ptr<Workbench>& bench) {
  return {
#define KGB_TOOL(name) tool_##name(bench),
#include "serve/tools.def"
#undef KGB_TOOL
  };
}

std::string instructions() {
  return "kgbench judges GPU kernels: is this source a correct, honest and fast implementation of an "
         "operator? list_operators finds the operator, show_operator says what must be defined, on which "
         "workloads, and gives a stub. Write a Triton file, try it with check_kernel while you work "
         "(seconds), then evaluate_kernel for the whole verdict on hidden workloads. A verdict names what "
         "was seen and where; explain_verdict says what to do. compare_kernels sets two candidates side by "
         "side.";
}

json object_schema(json properties, json required) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

json text_schema(const std::string& description, std::size_t most) {
  return {{"type", "string"}, {"description", description}, {"minLength", 1}, {"maxLength", most}};
}

json operator_schema() {
  return text_schema("operator: aten::softmax, or softmax where that is unique (list_operators)");
}

json source_schema(const std::string& whose) {
  return text_schema(whose + ": the whole text of the file, which defines the operator's entries",
                     kMaxSource);
}

json language_schema() {
  return {{"type", "string"},
          {"enum", {"triton", "cpp", "cuda"}},
          {"description",
           "triton: a Python file with Triton kernels (default); cpp: a C++ file for the CPU; cuda: a CUDA "
           "C++ file with "
           "a launch description"}};
}

std::string text_at(const json& arguments, const char* key) {
  return arguments.value(key, std::string());
}

json candidate_schema() {
  return object_schema({{"op", operator_schema()},
                        {"source", source_schema("the candidate")},
                        {"language", language_schema()}},
                       {"op", "source"});
}

Asked asked_of(const json& arguments, const CallContext& context, const std::string& which) {
  const std::string suffix = which.empty() ? "" : "_" + which;
  const std::string language = text_at(arguments, ("language" + suffix).c_str());
  Asked asked;
  asked.op = text_at(arguments, "op");
  asked.source = text_at(arguments, ("source" + suffix).c_str());
  asked.file = (which.empty() ? "candidate" : which) + suffix_of(language);
  asked.stop = &context.stop;
  return asked;
}

std::function<void(Gate, std::size_t, std::size_t)> gate_progress(const CallContext& context,
                                                                  const std::string& what, double from,
                                                                  double total) {
  return [progress = context.progress, what, from, total](Gate gate, std::size_t done, std::size_t of) {
    const double part = of == 0 ? 0 : static_cast<double>(done) / static_cast<double>(of);
    std::string text = what + "gate " + std::string(name_of(gate));
    if (gate == Gate::correct) text += ", workload " + std::to_string(done + 1) + " of " + std::to_string(of);
    progress(from + static_cast<double>(gate) + part, total, text);
  };
}

Result<ToolAnswer> told(Workbench& bench, const Evaluation& evaluation) {
  KGB_TRY(const std::string name, bench.keep(evaluation));
  json structured = feedback_json(evaluation);
  structured["evaluation"] = name;
  return ToolAnswer{feedback_text(evaluation) + "  evaluation     " + name + " (for explain_verdict)\n",
                    std::move(structured)};
}

}  // namespace kgb::serve
