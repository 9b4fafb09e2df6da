// SPDX-License-Identifier: Apache-2.0
// Where agents are installed: a Python environment of its own for each, <agents>/<name>, or the user's own.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "method/agent_preset.hpp"

namespace kgb::method {

// The user's error, with how to mend it, where the preset's program is not there or not in the version asked.
[[nodiscard]] Status check_installed(const AgentPreset& agent, const std::filesystem::path& agents);
// Puts what the preset names into <agents>/<name>, with pip; several programs may try at a time. Nothing is
// done where it is there. `say`: for people.
[[nodiscard]] Status install_agent(const AgentPreset& agent, const std::filesystem::path& agents,
                                   const std::string& interpreter,
                                   const std::function<void(const std::string&)>& say);

// The program to start: of its own environment, else as it is found in PATH.
[[nodiscard]] std::string agent_program(const AgentPreset& agent, const std::filesystem::path& agents);
// What it must read beside the system's folders.
[[nodiscard]] std::vector<std::string> agent_folders(const AgentPreset& agent,
                                                     const std::filesystem::path& agents);
// The folders of a Python interpreter outside the system's.
[[nodiscard]] std::vector<std::string> python_folders(const std::string& interpreter);

}  // namespace kgb::method
