// SPDX-License-Identifier: Apache-2.0
// From a contestant's name to an agent that can be run.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "agent_setup.hpp"
#include "base/text.hpp"
#include "catalogue/toml.hpp"
#include "judge/processes.hpp"
#include "method/agent.hpp"
#include "method/agent_site.hpp"

namespace kgb::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "agent:";

// A user's own presets lie beside their operators, and come before those of the project.
std::vector<fs::path> agent_folders(const Installation& installation) {
  std::vector<fs::path> folders;
  for (const fs::path& more : installation.more_catalogues) folders.push_back(more / "agents");
  folders.push_back(installation.home / "catalogue" / "agents");
  return folders;
}

}  // namespace

std::vector<std::string> agent_names(const Installation& installation) {
  std::set<std::string> names;
  for (const fs::path& folder : agent_folders(installation))
    for (std::string& name : toml_names(folder)) names.insert(std::move(name));
  return {names.begin(), names.end()};
}

Result<method::AgentPreset> agent_preset(const std::string& name, const Installation& installation) {
  const std::vector<fs::path> folders = agent_folders(installation);
  for (const fs::path& folder : folders) {
    const std::vector<std::string> names = toml_names(folder);
    if (std::find(names.begin(), names.end(), name) != names.end()) return method::find_agent(folder, name);
  }
  return method::find_agent(folders.back(), name);
}

fs::path agent_site(const Installation& installation) {
  return installation.library_dir.parent_path() / "agents";
}

void add_agent_options(CLI::App& command, AgentOptions& options) {
  command
      .add_option(
          "--verify", options.verify,
          "an agent's kgbench verify: off, correct, or timed: with device times where there is a device")
      ->check(CLI::IsMember({"off", "correct", "timed"}))
      ->capture_default_str();
  command.add_option("--verifies", options.verifies, "calls of kgbench verify that an agent has")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  command.add_option("--minutes", options.minutes, "that an agent has for one operator")
      ->check(CLI::Range(0.01, 1e5))
      ->capture_default_str();
}

bool is_agent(const std::string& contestant) {
  return contestant.starts_with(kPrefix);
}

Result<std::unique_ptr<method::Method>> open_agent(const AgentRequest& request,
                                                   const Installation& installation) {
  method::AgentSettings settings;
  KGB_TRY(settings.agent, agent_preset(request.contestant.substr(kPrefix.size()), installation));
  settings.agents = agent_site(installation);
  const auto say = [](const std::string& text) { std::fprintf(stderr, "  %s\n", text.c_str()); };
  if (request.install)
    KGB_CHECK(method::install_agent(settings.agent, settings.agents, installation.interpreter, say));
  settings.proxy.upstream = request.model;
  settings.verify.mode = method::verify_named(request.options.verify).value_or(method::Verify::correct);
  settings.verify.most = request.options.verifies;
  settings.seconds = 60 * request.options.minutes;
  if (request.max_tokens > 0) settings.max_tokens = request.max_tokens;
  settings.prompts = installation.home / "catalogue" / "prompts";
  settings.interpreter = installation.interpreter;
  settings.hidden = answers_of(installation);
  settings.allow_weak_lock = request.allow_weak_lock;
  return method::make_agent(std::move(settings));
}

nlohmann::json to_json(const AgentOptions& options) {
  return {{"verify", options.verify}, {"verifies", options.verifies}, {"minutes", options.minutes}};
}

void read_agent_options(const nlohmann::json& settings, AgentOptions& options) {
  if (!settings.is_object()) return;
  options.verify = settings.value("verify", options.verify);
  options.verifies = settings.value("verifies", options.verifies);
  options.minutes = settings.value("minutes", options.minutes);
}

}  // namespace kgb::app
