// SPDX-License-Identifier: Apache-2.0
// Lists contestants from their files.
#include "list_contestants.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "agent_setup.hpp"
#include "catalogue/toml.hpp"
#include "method/agent_site.hpp"
#include "method/recipe.hpp"
#include "method_setup.hpp"

namespace kgb::app {
namespace {

using nlohmann::json;

constexpr struct {
  const char *name, *title;
} kBuiltIn[] = {
    {"experts", "the hand-written kernel of each operator"},
    {"dir:PATH", "a folder of kernels: yours, an export's, or of a run of KernelGenBench"},
    {"replay:RUN", "the stored samples of a run, judged again; no model is asked"},
    {"tuner", "no model: a seed kernel rewritten and raced against itself"},
};

json built_in_rows() {
  json rows = json::array();
  for (const auto& [name, title] : kBuiltIn)
    rows.push_back({{"kind", "built-in"}, {"name", name}, {"contestant", name}, {"title", title}});
  return rows;
}

Result<json> method_rows(const Installation& installation) {
  json rows = json::array();
  const std::filesystem::path folder = recipe_folder(installation);
  for (const std::string& name : toml_names(folder)) {
    KGB_TRY(const method::Recipe recipe, method::load_recipe(folder, name));
    rows.push_back({{"kind", "method"},
                    {"name", name},
                    {"contestant", name},
                    {"title", recipe.title},
                    {"repeats", recipe.repeats},
                    {"samples", recipe.samples},
                    {"rounds", recipe.rounds},
                    {"temperature", recipe.temperature}});
  }
  return rows;
}

Result<json> agent_rows(const Installation& installation) {
  json rows = json::array();
  for (const std::string& name : agent_names(installation)) {
    KGB_TRY(const method::AgentPreset agent, agent_preset(name, installation));
    rows.push_back({{"kind", "agent"},
                    {"name", name},
                    {"contestant", "agent:" + name},
                    {"title", agent.title},
                    {"run_here", agent.run_here},
                    {"installed", method::check_installed(agent, agent_site(installation)).ok()},
                    {"notes", agent.notes}});
  }
  return rows;
}

Result<json> library_rows(const Installation& installation, const Catalogue& catalogue) {
  json rows = json::array();
  const std::vector<std::filesystem::path> folders = library_folders(installation);
  for (const std::string& name : library_names(folders)) {
    KGB_TRY(const Library library, load_library(name, folders, catalogue));
    std::size_t entries = 0;
    for (const auto& [op, calls] : library.operators) entries += calls.size();
    rows.push_back({{"kind", "library"},
                    {"name", name},
                    {"contestant", "library:" + name},
                    {"package", library.package},
                    {"version", library.version},
                    {"installed", installed_version(library, installation)},
                    {"operators", library.operators.size()},
                    {"entries", entries}});
  }
  return rows;
}

std::string line_of(const json& row) {
  const std::string name = row["contestant"].get<std::string>(), kind = row["kind"].get<std::string>();
  if (kind == "library") {
    const std::string version = row["installed"].get<std::string>();
    return fmt::format("  {:<24}{} {}  {} operators, {} entries  {}\n", name,
                       row["package"].get<std::string>(), row["version"].get<std::string>(),
                       row["operators"].get<int>(), row["entries"].get<int>(),
                       version.empty() ? "not installed" : "installed: " + version);
  }
  std::string line = fmt::format("  {:<24}{}", name, row["title"].get<std::string>());
  if (kind == "agent")
    line +=
        fmt::format("  {}; {}", row["run_here"].get<bool>() ? "run by this project's tests" : "not run here",
                    row["installed"].get<bool>() ? "installed" : "not installed");
  if (kind == "method") line += fmt::format("\n  {:<24}repeats {}", "", row["repeats"].get<std::string>());
  return line + "\n";
}

}  // namespace

Result<json> contestants_json(const ContestantKinds& kinds, const Installation& installation,
                              const Catalogue& catalogue) {
  json all = json::array();
  const auto add = [&](Result<json> rows) -> Status {
    if (!rows.ok()) return rows.error();
    for (json& row : *rows) all.push_back(std::move(row));
    return ok_status();
  };
  if (kinds.built_in) KGB_CHECK(add(built_in_rows()));
  if (kinds.methods) KGB_CHECK(add(method_rows(installation)));
  if (kinds.agents) KGB_CHECK(add(agent_rows(installation)));
  if (kinds.libraries) KGB_CHECK(add(library_rows(installation, catalogue)));
  return all;
}

std::string contestants_text(const json& contestants) {
  constexpr struct {
    const char *kind, *heading;
  } headings[] = {{"built-in", "Built in"},
                  {"method", "Methods that ask a model (--model NAME)"},
                  {"agent", "Agents (--model NAME; --install puts those of the package index in place)"},
                  {"library", "Libraries (--install puts one in place)"}};
  std::string text;
  for (const auto& [kind, heading] : headings) {
    std::string lines;
    for (const json& row : contestants)
      if (row["kind"] == kind) lines += line_of(row);
    if (!lines.empty()) text += std::string(heading) + "\n" + lines;
  }
  return text + "Judge one: kgbench run --contestant NAME --suite demo\n";
}

}  // namespace kgb::app
