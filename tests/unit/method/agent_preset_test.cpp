// SPDX-License-Identifier: Apache-2.0
// Presets of agents, and command lines of a user's own.
#include "method/agent_preset.hpp"

#include <gtest/gtest.h>

#include "catalogue/toml.hpp"

#include "base/files.hpp"

namespace kgb::method {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(KGB_SOURCE_DIR) / "catalogue" / "agents";

TEST(AgentPresets, ThoseOfTheCatalogueAreWhole) {
  const std::vector<std::string> names = toml_names(kFolder);
  EXPECT_EQ(names, (std::vector<std::string>{"aider", "claude-code", "mini-swe-agent", "opencode"}));
  for (const std::string& name : names) {
    const auto agent = find_agent(kFolder, name);
    ASSERT_TRUE(agent.ok()) << agent.error().message;
    EXPECT_FALSE(agent->title.empty()) << name;
    EXPECT_NE(
        expand(agent->command.back(), {{"task", "T"}, {"file", "F"}, {"model", "M"}}).find_first_not_of("{}"),
        std::string::npos);
    EXPECT_EQ(agent->run_here, !agent->install.empty()) << name << ": what pip installs is tried";
  }
}

TEST(AgentPresets, ACommandLineIsOneForTheShell) {
  const auto agent = find_agent(kFolder, "./my agent --fast");
  ASSERT_TRUE(agent.ok());
  EXPECT_EQ(agent->command, (std::vector<std::string>{"/bin/sh", "-c", "./my agent --fast"}));
  EXPECT_TRUE(agent->shell);
}

TEST(AgentPresets, AWordThatIsNoneIsAMistake) {
  const auto agent = find_agent(kFolder, "mini-swe-agnt");
  ASSERT_FALSE(agent.ok());
  EXPECT_EQ(agent.error().message,
            "no agent 'mini-swe-agnt' (did you mean 'mini-swe-agent'?). There are aider, claude-code, "
            "mini-swe-agent, opencode; a command of your own has a path or arguments: "
            "agent:/path/to/mini-swe-agnt");
  EXPECT_EQ(find_agent(kFolder, " ").error().fault, Fault::user);
}

TEST(AgentPresets, AMistakeInAFileIsToldByItsLine) {
  const TempDir dir = TempDir::make().value();
  const auto problem = [&](const std::string& text) {
    EXPECT_TRUE(write_file(dir.path() / "a.toml", text).ok());
    const auto agent = find_agent(dir.path(), "a");
    EXPECT_FALSE(agent.ok());
    return agent.ok() ? "" : agent.error().message.substr(dir.path().string().size() + 1);
  };
  const std::string good = "schema = \"agent/1\"\ntitle = \"A\"\ncommand = [\"a\"]\n";
  EXPECT_EQ(problem("schema = \"agent/2\"\ntitle = \"A\"\ncommand = [\"a\"]\n"),
            "a.toml:1: schema: must be \"agent/1\"");
  EXPECT_EQ(problem(good + "keep = [\"../../secret\"]\n"),
            "a.toml:4: keep: '../../secret' is no file's name");
  EXPECT_EQ(problem(good + "instal = [\"x\"]\n").substr(0, 17), "a.toml:4: instal:");
  EXPECT_EQ(problem("schema = \n").substr(0, 9), "a.toml:1:");
}

TEST(Expand, PutsValuesInAndLeavesOtherBraces) {
  const std::map<std::string, std::string> values{{"task", "it's {model}"}, {"model", "m"}};
  EXPECT_EQ(expand("{task}/{model}", values), "it's {model}/m") << "values are not expanded again";
  EXPECT_EQ(expand(R"({"a": {"b": "{model}"}, "{x}": 1} {)", values), R"({"a": {"b": "m"}, "{x}": 1} {)");
  EXPECT_EQ(expand("run {task}", values, true), R"(run 'it'\''s {model}')");
}

}  // namespace
}  // namespace kgb::method
