// SPDX-License-Identifier: Apache-2.0
// The contestant agent:NAME or agent:"COMMAND LINE": its options, and what it needs of the installation.
#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "judge/judge.hpp"
#include "llm/client.hpp"
#include "method/agent_preset.hpp"
#include "method/method.hpp"
#include "nlohmann/json_fwd.hpp"

namespace CLI {
class App;
}

namespace kgb::app {

struct AgentOptions {
  std::string verify = "correct";
  int verifies = 100;
  double minutes = 30;  // as published
};
void add_agent_options(CLI::App& command, AgentOptions& options);
[[nodiscard]] bool is_agent(const std::string& contestant);

struct AgentRequest {
  std::string contestant;  // "agent:mini-swe-agent"
  AgentOptions options;
  llm::Endpoint model;
  std::int64_t max_tokens = 0;  // of one reply; 0: the method's own cap
  bool install = false, allow_weak_lock = false;
};
[[nodiscard]] Result<std::unique_ptr<method::Method>> open_agent(const AgentRequest& request,
                                                                 const Installation& installation);
// The presets' names, the preset of one (or a command line: method/agent_preset.hpp), and where they are
// installed.
[[nodiscard]] std::vector<std::string> agent_names(const Installation& installation);
[[nodiscard]] Result<method::AgentPreset> agent_preset(const std::string& name,
                                                       const Installation& installation);
[[nodiscard]] std::filesystem::path agent_site(const Installation& installation);
// For the store, and back.
[[nodiscard]] nlohmann::json to_json(const AgentOptions& options);
void read_agent_options(const nlohmann::json& settings, AgentOptions& options);

}  // namespace kgb::app
