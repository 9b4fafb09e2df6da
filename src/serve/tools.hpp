// SPDX-License-Identifier: Apache-2.0
// The tools: each one file tools/<name>_json.cpp, which defines tool_<name>, and one row of tools.def.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "serve/tool.hpp"
#include "serve/workbench.hpp"

namespace kgb::serve {

// In the order of tools.def.
[[nodiscard]] std::vector<Tool> kernel_tools(const std::shared_ptr<Workbench>& bench);
// For the model: what the tools are good for, and in which order.
[[nodiscard]] std::string instructions();

// What several tools have in common.
[[nodiscard]] nlohmann::json object_schema(nlohmann::json properties, nlohmann::json required);
[[nodiscard]] nlohmann::json text_schema(const std::string& description, std::size_t most = 200);
[[nodiscard]] nlohmann::json operator_schema();
[[nodiscard]] nlohmann::json source_schema(const std::string& whose);
[[nodiscard]] nlohmann::json language_schema();
[[nodiscard]] std::string text_at(const nlohmann::json& arguments, const char* key);
// The arguments of a tool that judges one candidate.
[[nodiscard]] nlohmann::json candidate_schema();
// What such arguments ask for. `which`: of two candidates, whose arguments are source_a, language_a, ...;
// empty: of one. Findings name its file candidate.py, or a.cpp, b.cu.
[[nodiscard]] Asked asked_of(const nlohmann::json& arguments, const CallContext& context,
                             const std::string& which = "");
// Tells of gates and workloads as steps `from` to `from` + 5 of `total`.
[[nodiscard]] std::function<void(Gate, std::size_t, std::size_t)> gate_progress(const CallContext& context,
                                                                                const std::string& what,
                                                                                double from, double total);
// The evaluation as its contestant may read it, with the name under which explain_verdict knows it.
[[nodiscard]] Result<ToolAnswer> told(Workbench& bench, const Evaluation& evaluation);

}  // namespace kgb::serve
