// SPDX-License-Identifier: Apache-2.0
// Command-line agents as data: catalogue/agents/<name>.toml, or a command of the user's own.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace kgb::method {

struct AgentPreset {
  std::string name, title, notes;
  std::vector<std::string> install;  // what pip is told, with versions; empty: not from the package index
  std::vector<std::string> command;  // words with {names} in them; the first is a program
  std::vector<std::pair<std::string, std::string>> environment;  // the same
  std::vector<std::pair<std::string, std::string>> files;        // name in the workspace, text; the same
  std::vector<std::string> keep;   // files of the workspace that are kept when it ends
  std::vector<std::string> reads;  // folders of its installation, ~ is the user's home
  bool run_here = false;           // tried by the project's tests
  bool shell = false;              // a command of the user's own: one line for sh
};

// What stands behind "agent:": a preset's name or a command line. A single word that is no preset is the
// user's error, answered with what may be meant; so are mistakes in the file.
[[nodiscard]] Result<AgentPreset> find_agent(const std::filesystem::path& folder, std::string_view text);

// Puts values in the place of {names}; others stay. `quote`: as words of sh.
[[nodiscard]] std::string expand(std::string_view text, const std::map<std::string, std::string>& values,
                                 bool quote = false);

}  // namespace kgb::method
