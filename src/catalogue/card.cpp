// SPDX-License-Identifier: Apache-2.0
// Reads card.toml into an Operator.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "catalogue/expand.hpp"
#include "catalogue/operator.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

// Tags that mean something to the judge or to suites; others are free words of lower case.
bool is_tag(std::string_view tag) {
  return !tag.empty() && std::all_of(tag.begin(), tag.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

bool is_identifier(std::string_view text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
  return std::all_of(text.begin(), text.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

void read_pass(TableReader& reader, Entry& entry) {
  const TomlTable* pass = reader.table("pass");
  if (pass == nullptr) return;
  for (const TomlItem& item : pass->items) {
    const std::string key = "pass." + item.key;
    const Parameter* parameter = entry.schema.find(item.key);
    const std::string* how = item.value.text();
    if (parameter == nullptr || !parameter->type.is_tensor() || !parameter->type.list) {
      reader.problem(&item.value, key, "is no Tensor[] argument of the schema");
    } else if (how == nullptr || (*how != "list" && *how != "pointer_array")) {
      reader.problem(&item.value, key, "must be \"list\" or \"pointer_array\"");
    } else {
      entry.pointer_arrays[item.key] = *how == "pointer_array";
    }
  }
}

// An output is "return", "return[1]", or an argument that the schema lets the entry write.
void check_outputs(TableReader& reader, const Entry& entry) {
  const TomlValue* given = reader.raw().find("outputs");
  if (given == nullptr) return;
  std::vector<std::string> known = output_paths(entry.schema);
  known.emplace_back("return");
  for (const std::string& path : entry.outputs) {
    const bool returned = path.starts_with("return");
    if (returned || std::find(known.begin(), known.end(), path) != known.end()) continue;
    reader.problem(given, "outputs",
                   fmt::format("{} is neither a return nor an argument that the schema writes{}",
                               in_quotes(path), did_you_mean(path, known)));
  }
}

void check_host(TableReader& reader, const Entry& entry) {
  std::vector<std::string> tensors;
  for (const Parameter& parameter : entry.schema.parameters) {
    if (parameter.type.is_tensor()) tensors.push_back(parameter.name);
  }
  for (const std::string& name : entry.host) {
    if (std::find(tensors.begin(), tensors.end(), name) == tensors.end()) {
      reader.problem(reader.raw().find("host"), "host",
                     fmt::format("{} is no tensor argument{}", in_quotes(name), did_you_mean(name, tensors)));
    }
  }
}

// Where a number or a few elements of fixed size are the answer, the read itself would be the answer.
void check_reads_own(TableReader& reader, const Entry& entry) {
  if (!entry.reads_own) return;
  const TomlValue* given = reader.raw().find("reads_own");
  if (entry.schema.gives_number()) {
    reader.problem(given, "reads_own",
                   "is not for entries that return a number: what is read would be the answer");
  } else if (std::none_of(
                 entry.schema.returns.begin(), entry.schema.returns.end(),
                 [](const SchemaReturn& one) { return one.type.is_tensor() && one.type.alias.empty(); })) {
    reader.problem(given, "reads_own",
                   "is for entries that return a new tensor, whose shape depends on values");
  }
}

// What has no place among the vendor's arguments: a returned tensor, and a second idea of what is compared.
void read_vendor(TableReader& reader, Entry& entry) {
  const TomlValue* given = reader.find("vendor");
  entry.vendor = reader.text("vendor");
  if (entry.vendor.empty()) return;
  if (!is_identifier(entry.vendor)) {
    reader.problem(given, "vendor", fmt::format("{} is no name of a C function", in_quotes(entry.vendor)));
  } else if (!entry.baseline.empty()) {
    reader.problem(given, "vendor", "is a baseline already: leave `baseline` out");
  } else if (!entry.schema.returns.empty()) {
    reader.problem(given, "vendor", "is for entries that write their arguments and return nothing");
  }
}

// The path of a function, called as the entry is.
void read_vllm(TableReader& reader, Entry& entry) {
  entry.vllm = reader.text("vllm");
  if (entry.vllm.empty()) return;
  const std::vector<std::string> parts = split(entry.vllm, '.');
  const bool names = std::all_of(parts.begin(), parts.end(), is_identifier);
  if (!names || parts.size() < 2 || parts.front() != "vllm")
    reader.problem(reader.find("vllm"), "vllm",
                   fmt::format("{} is no path of a function in the package vllm: vllm._custom_ops.rms_norm",
                               in_quotes(entry.vllm)));
}

Entry read_entry(const TomlTable& table, int line, const std::string& where, Problems& problems) {
  Entry entry;
  TableReader reader(table, line, where, problems);
  const TomlValue* name = reader.find("name");
  entry.name = reader.text("name", true);
  if (!entry.name.empty() && !is_identifier(entry.name)) {
    reader.problem(name, "name", fmt::format("{} is no Python identifier", in_quotes(entry.name)));
  }
  const TomlValue* given = reader.find("schema");
  const std::string schema = reader.text("schema", true);
  if (!schema.empty()) {
    auto parsed = parse_schema(schema);
    if (parsed.ok()) {
      entry.schema = std::move(parsed).value();
    } else {
      reader.problem(given, "schema", parsed.error().message);
    }
  }
  entry.baseline = reader.text("baseline");
  read_vendor(reader, entry);
  read_vllm(reader, entry);
  read_pass(reader, entry);
  entry.outputs = reader.texts("outputs");
  if (table.find("outputs") == nullptr) entry.outputs = output_paths(entry.schema);
  check_outputs(reader, entry);
  const TomlValue* strides = reader.find("strides");
  const std::string rule = reader.text("strides");
  if (!rule.empty() && rule != "any" && rule != "exact")
    reader.problem(strides, "strides", "must be \"any\" or \"exact\"");
  entry.exact_strides = rule == "exact";
  entry.host = reader.texts("host");
  check_host(reader, entry);
  entry.reads_own = reader.flag("reads_own", false);
  check_reads_own(reader, entry);
  entry.forbid = reader.texts("forbid");
  entry.native = reader.flag("native", false);
  if (const TomlTable* error = reader.table("error")) {
    entry.error = read_error_model(*error, table.find("error")->line, where + ".error", problems);
  }
  if (const TomlTable* cost = reader.table("cost")) {
    entry.cost = read_cost_model(*cost, table.find("cost")->line, where + ".cost", problems);
  }
  reader.finish();
  return entry;
}

void read_entries(TableReader& reader, Operator& op) {
  const auto tables = reader.tables("entry");
  if (tables.empty() && reader.raw().find("entry") == nullptr)
    reader.problem(nullptr, "entry", "a card needs an [[entry]]");
  std::set<std::string> names;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    Entry entry =
        read_entry(*tables[i]->table(), tables[i]->line, fmt::format("entry[{}]", i), reader.problems());
    if (!entry.name.empty() && !names.insert(entry.name).second) {
      reader.problem(tables[i], fmt::format("entry[{}].name", i),
                     fmt::format("a second entry {}", in_quotes(entry.name)));
    }
    op.entries.push_back(std::move(entry));
  }
}

void read_templates(TableReader& reader, Operator& op) {
  EntrySchemas schemas;
  for (const Entry& entry : op.entries) schemas.emplace_back(entry.name, &entry.schema);
  for (const char* key : {"workload", "hidden"}) {
    const auto tables = reader.tables(key);
    const bool hidden = key == std::string_view("hidden");
    for (std::size_t i = 0; i < tables.size(); ++i) {
      op.templates.push_back(read_template(*tables[i]->table(), tables[i]->line,
                                           fmt::format("{}[{}]", key, i), hidden, schemas,
                                           reader.problems()));
      const std::string& thinned = op.templates.back().thinned;
      if (!thinned.empty() && std::find(op.thinned.begin(), op.thinned.end(), thinned) == op.thinned.end())
        op.thinned.push_back(thinned);
    }
  }
}

void read_name(TableReader& reader, Operator& op) {
  const TomlValue* given = reader.find("name");
  op.name = reader.text("name", true);
  const std::string wanted =
      fmt::format("{}::{}", op.folder.parent_path().filename().string(), op.folder.filename().string());
  if (!op.name.empty() && op.name != wanted) {
    reader.problem(given, "name",
                   fmt::format("is {}, but the folder makes it {}", in_quotes(op.name), in_quotes(wanted)));
  }
  op.family = reader.text("family", true);
  op.source = reader.text("source");
  op.doubt = reader.text("doubt");
  op.published = reader.text("published");
  if (std::string thinned = read_thinned(reader); !thinned.empty()) op.thinned.push_back(std::move(thinned));
}

void read_tags(TableReader& reader, Operator& op) {
  const TomlValue* given = reader.find("tags");
  op.tags = reader.texts("tags");
  for (const std::string& tag : op.tags) {
    if (!is_tag(tag))
      reader.problem(given, "tags",
                     fmt::format("{} is no tag: lower-case letters, digits, _ and -", in_quotes(tag)));
  }
  const TomlValue* reason = reader.find("no_kernel");
  op.no_kernel = reader.text("no_kernel");
  if (op.tagged("no_kernel") != !op.no_kernel.empty()) {
    reader.problem(reason != nullptr ? reason : given, "no_kernel",
                   "the tag no_kernel and the text that says why belong together");
  }
}

}  // namespace

std::string_view name_of(Tier tier) {
  constexpr std::string_view names[] = {"smoke", "full", "published", "hidden", "own"};
  return names[static_cast<std::size_t>(tier)];
}

std::optional<Tier> tier_named(std::string_view name) {
  for (const Tier tier : {Tier::smoke, Tier::full, Tier::published, Tier::hidden}) {
    if (name_of(tier) == name) return tier;
  }
  return std::nullopt;
}

char letter_of(Tier tier) {
  return name_of(tier)[0];
}

bool Operator::tagged(std::string_view tag) const {
  return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

const Entry* Operator::find_entry(std::string_view entry_name) const {
  for (const Entry& entry : entries) {
    if (entry.name == entry_name) return &entry;
  }
  return nullptr;
}

const ErrorModel& error_model_of(const Operator& op, const Entry& entry) {
  return entry.error ? *entry.error : op.error;
}

std::string Operator::group() const {
  return folder.parent_path().filename().string();
}

Operator read_card(const TomlTable& card, const std::filesystem::path& folder, const Family& family,
                   Problems& problems) {
  Operator op;
  op.folder = folder;
  op.defaults = family;
  TableReader reader(card, 1, "", problems);
  read_name(reader, op);
  read_tags(reader, op);
  read_entries(reader, op);
  if (const TomlTable* error = reader.table("error")) {
    op.error = read_error_model(*error, card.find("error")->line, "error", problems);
  } else if (card.find("error") == nullptr) {
    reader.problem(nullptr, "error", "a card needs an [error] section");
  }
  if (const TomlTable* cost = reader.table("cost")) {
    op.cost = read_cost_model(*cost, card.find("cost")->line, "cost", problems);
  }
  read_templates(reader, op);
  reader.finish();
  if (!problems.empty()) return op;
  op.fixed = expand_fixed(op, problems);
  if (problems.empty() && std::none_of(op.fixed.begin(), op.fixed.end(),
                                       [](const Workload& w) { return w.tier == Tier::smoke; })) {
    problems.add(1, "workload", "a card needs workloads of tier smoke");
  }
  return op;
}

}  // namespace kgb
