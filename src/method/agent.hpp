// SPDX-License-Identifier: Apache-2.0
// Command-line agents as contestants: a locked workspace, a metered model, and the file that it leaves.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "llm/proxy.hpp"
#include "method/agent_preset.hpp"
#include "method/agent_verify.hpp"
#include "method/method.hpp"
#include "sandbox/namespaces.hpp"

namespace kgb::method {

struct AgentSettings {
  AgentPreset agent;
  llm::ProxySettings proxy;  // the model behind it
  VerifyLimits verify;
  double seconds = 1800;             // of one operator, as published
  double grace_s = 60;               // between the end of a budget and the end of the agent
  std::int64_t max_tokens = 32'768;  // of one reply; 0: no cap
  std::filesystem::path prompts;     // catalogue/prompts: agent.md, agent-contract.md
  std::filesystem::path agents;      // where agents are installed, a folder each (agent_site.hpp)
  std::string interpreter;           // Python with torch and Triton
  std::vector<std::string> read;     // more folders that the agent may read
  std::vector<std::string> hidden;   // that hold answers, wherever they lie
  bool allow_weak_lock = false;
  sandbox::Namespaces avoid = 0;  // as BoxSpec has it
};

// Theory of operation. For each task:
//   1. A box is made: work/ with TASK.md, OPERATOR.md, CONTRACT.md and solution.py (a stub), tools/ with the
//      program kgbench. Nothing else of ours can be read in it.
//   2. An account is opened at the metering proxy. The agent finds its base URL and key in its environment,
//   for
//      every vendor's client; the box's one port leads to the proxy. Each call goes to Task::record, and each
//      `kgbench verify` to Task::evaluate.
//   3. The agent runs until it ends, or its time, its budget (Task::spent) or the run does.
//   4. The answer is solution.py as it lies there, if it is no longer the stub: exit codes say nothing.
// What the agent printed, its last solution.py and the files that its preset names are kept in
// Task::workspace.
[[nodiscard]] Result<std::unique_ptr<Method>> make_agent(AgentSettings settings);

}  // namespace kgb::method
