// SPDX-License-Identifier: Apache-2.0
// Reads library files and makes candidates from them.
#include "catalogue/library.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/problems.hpp"
#include "fmt/format.h"

namespace kgb {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSchema = "library/1";

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) { return c == '_' || ((c | 32) >= 'a' && (c | 32) <= 'z'); };
  return !text.empty() && letter(text[0]) &&
         std::all_of(text.begin(), text.end(), [&](char c) { return letter(c) || (c >= '0' && c <= '9'); });
}

bool is_dotted(std::string_view text) {
  const std::vector<std::string> parts = split(text, '.');
  return std::all_of(parts.begin(), parts.end(), is_identifier);
}

// -- versions ---------------------------------------------------------------------------------------------

// "5.0.2rc1": {5, 0, 2}.
std::vector<std::int64_t> numbers_of(std::string_view version) {
  std::vector<std::int64_t> numbers;
  for (const std::string& part : split(trim(version), '.')) {
    std::size_t digits = 0;
    while (digits < part.size() && part[digits] >= '0' && part[digits] <= '9') ++digits;
    const std::optional<std::int64_t> number = parse_int(part.substr(0, digits));
    if (!number) break;
    numbers.push_back(*number);
    if (digits < part.size()) break;
  }
  while (!numbers.empty() && numbers.back() == 0) numbers.pop_back();  // 6.0 is 6
  return numbers;
}

struct Bound {
  std::string relation;
  std::vector<std::int64_t> version;
};

// nullopt: not a list of bounds.
std::optional<std::vector<Bound>> bounds_of(std::string_view range) {
  std::vector<Bound> bounds;
  for (const std::string& part : split(range, ',')) {
    const std::string_view text = trim(part);
    std::size_t at = 0;
    while (at < text.size() && std::string_view("<>=").find(text[at]) != std::string_view::npos) ++at;
    const std::string relation(text.substr(0, at));
    const std::string_view version = trim(text.substr(at));
    const std::set<std::string> known{"<", "<=", ">", ">=", "=="};
    if (!known.contains(relation) || version.empty() || version[0] < '0' || version[0] > '9')
      return std::nullopt;
    bounds.push_back({relation, numbers_of(version)});
  }
  return bounds;
}

bool holds(const Bound& bound, const std::vector<std::int64_t>& version) {
  if (bound.relation == "<") return version < bound.version;
  if (bound.relation == "<=") return version <= bound.version;
  if (bound.relation == ">") return version > bound.version;
  if (bound.relation == ">=") return version >= bound.version;
  return version == bound.version;
}

// -- reading ----------------------------------------------------------------------------------------------

LibraryCall read_call(const TomlItem& item, TableReader& operators, const std::string& where) {
  LibraryCall call;
  std::string path;
  if (const std::string* text = item.value.text()) {
    path = *text;
  } else if (const TomlTable* table = item.value.table()) {
    TableReader inner(*table, item.value.line, operators.path(where), operators.problems());
    path = inner.text("path", true);
    call.arguments = std::string(trim(inner.text("args", true)));
    inner.finish();
  } else {
    operators.problem(&item.value, where, R"(must be "module:function" or { path = .., args = .. })");
    return call;
  }
  const std::size_t colon = path.find(':');
  call.module = path.substr(0, colon);
  call.function = colon == std::string::npos ? "" : path.substr(colon + 1);
  if (!is_dotted(call.module) || !is_identifier(call.function))
    operators.problem(&item.value, where, in_quotes(path) + " is not of the form \"module:function\"");
  // A line of its own could be anything; the text goes between the brackets of a call.
  if (call.arguments.find_first_of("\n\r#") != std::string::npos)
    operators.problem(&item.value, where, "args must be one line without a comment");
  return call;
}

void read_operators(TableReader& reader, Library& library, const Catalogue& catalogue) {
  const TomlTable* table = reader.table("operators");
  if (table == nullptr) {
    reader.problem(nullptr, "operators", "is missing: [operators.\"aten::add\"] and so on");
    return;
  }
  TableReader operators(*table, 1, "operators", reader.problems());
  for (const TomlItem& item : table->items) {
    const Result<const Operator*> op = catalogue.find(item.key);
    if (!op || (*op)->name != item.key) {
      operators.problem(&item.value, item.key, op ? "write " + (*op)->name : op.error().message);
      continue;
    }
    const TomlTable* entries = item.value.table();
    if (entries == nullptr) {
      operators.problem(&item.value, item.key, "must be a table of entries");
      continue;
    }
    std::vector<std::string> known;
    for (const Entry& entry : (*op)->entries) known.push_back(entry.name);
    for (const TomlItem& entry : entries->items) {
      const std::string where = item.key + "." + entry.key;
      if ((*op)->find_entry(entry.key) == nullptr)
        operators.problem(&entry.value, where, "is no entry" + did_you_mean(entry.key, known));
      library.operators[item.key][entry.key] = read_call(entry, operators, where);
    }
  }
}

void read_environment(TableReader& reader, Library& library) {
  const TomlTable* table = reader.table("environment");
  if (table == nullptr) return;
  for (const TomlItem& item : table->items) {
    const std::string* text = item.value.text();
    if (text == nullptr || !is_identifier(item.key))
      reader.problem(&item.value, "environment." + item.key, "must be NAME = \"text\"");
    else
      library.environment.emplace_back(item.key, *text);
  }
}

void read_library(const TomlTable& table, Library& library, const Catalogue& catalogue, Problems& problems) {
  TableReader reader(table, 1, "", problems);
  const TomlValue* schema = reader.find("schema");
  if (reader.text("schema", true) != kSchema && schema != nullptr)
    reader.problem(schema, "schema", fmt::format("must be \"{}\"", kSchema));
  library.package = reader.text("package", true);
  library.version = reader.text("version", true);
  if (!library.version.empty() && !bounds_of(library.version))
    reader.problem(reader.find("version"), "version", R"(must be bounds like ">=5.0, <6")");
  library.import = reader.text("import", true);
  if (!library.import.empty() && !is_identifier(library.import))
    reader.problem(reader.find("import"), "import", "must be the name of a package");
  library.needs = reader.texts("needs");
  library.notes = reader.text("notes");
  read_environment(reader, library);
  read_operators(reader, library, catalogue);
  reader.finish();
}

std::string toml_problem(const Error& error, Problems& problems) {
  const std::size_t colon = error.message.find(": ");  // "LINE: what"
  const std::optional<std::int64_t> line = parse_int(error.message.substr(0, colon));
  problems.add(line ? static_cast<int>(*line) : 1, "", error.message.substr(colon + 2));
  return problems.lines().front();
}

// The names of the entry's parameters as a call passes them.
std::string own_arguments(const Schema& schema) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : schema.parameters)
    parts.push_back(parameter.keyword ? parameter.name + "=" + parameter.name : parameter.name);
  return join(parts, ", ");
}

}  // namespace

std::vector<std::string> Library::lacking(const Operator& op) const {
  const auto calls = operators.find(op.name);
  std::vector<std::string> names;
  for (const Entry& entry : op.entries)
    if (calls == operators.end() || !calls->second.contains(entry.name)) names.push_back(entry.name);
  return names;
}

std::vector<std::string> library_names(const std::vector<fs::path>& folders) {
  std::set<std::string> names;
  for (const fs::path& folder : folders)
    for (std::string& name : toml_names(folder)) names.insert(std::move(name));
  return {names.begin(), names.end()};
}

Result<Library> load_library(std::string_view name, const std::vector<fs::path>& folders,
                             const Catalogue& catalogue) {
  const std::vector<std::string> names = library_names(folders);
  if (std::find(names.begin(), names.end(), name) == names.end())
    return user_error("no library " + in_quotes(name) + did_you_mean(name, names) +
                      "  (kgbench list --libraries)");
  Library library;
  library.name = name;
  for (const fs::path& folder : folders) {
    library.file = folder / (library.name + ".toml");
    std::error_code ignored;
    if (fs::exists(library.file, ignored)) break;
  }
  KGB_TRY(const std::string text, read_text_file(library.file, kMaxTomlBytes));
  Problems problems(library.file.generic_string());
  const Result<TomlTable> table = parse_toml(text);
  if (!table) return user_error(toml_problem(table.error(), problems));
  read_library(*table, library, catalogue, problems);
  if (problems.empty()) return library;
  const std::size_t more = problems.lines().size() - 1;
  return user_error(problems.lines().front() + (more > 0 ? fmt::format("  (and {} more)", more) : ""));
}

bool in_range(std::string_view version, std::string_view range) {
  const std::optional<std::vector<Bound>> bounds = bounds_of(range);
  const std::vector<std::int64_t> numbers = numbers_of(version);
  return bounds && std::all_of(bounds->begin(), bounds->end(),
                               [&](const Bound& bound) { return holds(bound, numbers); });
}

std::string library_candidate(const Library& library, const Operator& op) {
  std::string imports, bodies;
  const auto calls = library.operators.find(op.name);
  for (const Entry& entry : op.entries) {
    if (calls == library.operators.end()) break;
    const auto found = calls->second.find(entry.name);
    if (found == calls->second.end()) continue;
    const LibraryCall& call = found->second;
    imports += fmt::format("from {} import {} as library_{}\n", call.module, call.function, entry.name);
    bodies += fmt::format("\n\ndef {}:\n    {}library_{}({})\n", signature_text(entry.name, entry.schema),
                          entry.schema.returns.empty() ? "" : "return ", entry.name,
                          call.arguments.empty() ? own_arguments(entry.schema) : call.arguments);
  }
  return fmt::format(
      "# {} of {}: made from {}, each entry calls the library.\nimport torch  # noqa: F401\n{}{}", op.name,
      library.name, library.file.filename().string(), imports, bodies);
}

}  // namespace kgb
