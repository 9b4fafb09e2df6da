// SPDX-License-Identifier: Apache-2.0
// Reads the files of agents.
#include "method/agent_preset.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/problems.hpp"
#include "catalogue/toml.hpp"

namespace kgb::method {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSchema = "agent/1";

bool is_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

std::vector<std::pair<std::string, std::string>> read_pairs(TableReader& reader, const char* key) {
  std::vector<std::pair<std::string, std::string>> pairs;
  const TomlTable* table = reader.table(key);
  if (table == nullptr) return pairs;
  for (const TomlItem& item : table->items) {
    if (const std::string* text = item.value.text())
      pairs.emplace_back(item.key, *text);
    else
      reader.problem(&item.value, std::string(key) + "." + item.key, "must be a text");
  }
  return pairs;
}

void read_preset(const TomlTable& table, AgentPreset& preset, Problems& problems) {
  TableReader reader(table, 1, "", problems);
  if (reader.text("schema", true) != kSchema)
    reader.problem(reader.find("schema"), "schema", "must be \"" + std::string(kSchema) + "\"");
  preset.title = reader.text("title", true);
  preset.notes = reader.text("notes");
  preset.install = reader.texts("install");
  preset.command = reader.texts("command");
  if (preset.command.empty()) reader.problem(nullptr, "command", "must be a list of words");
  preset.environment = read_pairs(reader, "environment");
  preset.files = read_pairs(reader, "files");
  preset.keep = reader.texts("keep");
  preset.reads = reader.texts("reads");
  preset.run_here = reader.flag("run_here", false);
  for (const auto& [name, text] : preset.files)
    if (!is_file_name(name)) reader.problem(reader.find("files"), "files." + name, "must be a file's name");
  for (const std::string& name : preset.keep)
    if (!is_file_name(name))
      reader.problem(reader.find("keep"), "keep", in_quotes(name) + " is no file's name");
  reader.finish();
}

Result<AgentPreset> load_preset(const fs::path& file, std::string name) {
  AgentPreset preset;
  preset.name = std::move(name);
  KGB_TRY(const std::string text, read_text_file(file, kMaxTomlBytes));
  const Result<TomlTable> table = parse_toml(text);
  if (!table) return user_error(file.generic_string() + ":" + table.error().message);
  Problems problems(file.generic_string());
  read_preset(*table, preset, problems);
  if (problems.empty()) return preset;
  return user_error(problems.lines().front());
}

std::string quoted_for_sh(std::string_view text) {
  return "'" + replace_all(text, "'", "'\\''") + "'";
}

}  // namespace

Result<AgentPreset> find_agent(const fs::path& folder, std::string_view text) {
  const std::string word(trim(text));
  if (word.empty()) return user_error("agent: names no agent. Write agent:NAME or agent:\"COMMAND LINE\"");
  const std::vector<std::string> names = toml_names(folder);
  if (std::find(names.begin(), names.end(), word) != names.end())
    return load_preset(folder / (word + ".toml"), word);
  if (word.find_first_of(" \t/") == std::string::npos)
    return user_error("no agent " + in_quotes(word) + did_you_mean(word, names) + ". There are " +
                      join(names, ", ") + "; a command of your own has a path or arguments: agent:/path/to/" +
                      word);
  AgentPreset own;
  own.name = "command";
  own.title = word;
  own.command = {"/bin/sh", "-c", word};
  own.shell = true;
  return own;
}

std::string expand(std::string_view text, const std::map<std::string, std::string>& values, bool quote) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('{');
    out += text.substr(0, open);
    if (open == std::string_view::npos) break;
    text.remove_prefix(open);
    const std::size_t close = text.find('}');
    const auto found =
        close == std::string_view::npos ? values.end() : values.find(std::string(text.substr(1, close - 1)));
    if (found == values.end()) {
      out += '{';
      text.remove_prefix(1);
    } else {
      out += quote ? quoted_for_sh(found->second) : found->second;
      text.remove_prefix(close + 1);
    }
  }
  return out;
}

}  // namespace kgb::method
