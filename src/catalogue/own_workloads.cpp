// SPDX-License-Identifier: Apache-2.0
// Reads [[workload]] tables that are not a card's, and the one-line form.
#include "catalogue/own_workloads.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "catalogue/expand.hpp"
#include "catalogue/layout.hpp"
#include "fmt/format.h"
#include "model/dtype.hpp"

namespace kgb {
namespace {

// Inputs, outputs and the oracle's fp64 copies of them lie in memory at the same time.
constexpr double kMaxOwnBytes = 4e9;

// The tables need no tier; read_template asks for one.
TomlTable with_tier(TomlTable table) {
  if (table.find("tier") == nullptr) table.items.push_back({"tier", {std::string("smoke"), 0}});
  return table;
}

// "a=1 b=[2, 3] c='x y'" at the spaces outside brackets and quotes.
std::vector<std::string> words_of(std::string_view spec) {
  std::vector<std::string> words(1);
  int depth = 0;
  char quote = 0;
  for (const char c : spec) {
    if (quote != 0) {
      quote = c == quote ? '\0' : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '(') {
      ++depth;
    } else if (c == ']' || c == ')') {
      --depth;
    } else if ((c == ' ' || c == '\t') && depth <= 0) {
      words.emplace_back();
      continue;
    }
    words.back() += c;
  }
  std::erase(words, "");
  return words;
}

std::string toml_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

// dtype[sizes]:layout@domain as an inline table; empty: the text is no tensor.
std::string tensor_table(std::string_view value) {
  const std::size_t open = value.find('['), close = value.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return "";
  if (!dtype_named(value.substr(0, open))) return "";
  std::string out = fmt::format("{{ shape = [[{}]], dtype = {}", value.substr(open + 1, close - open - 1),
                                toml_text(value.substr(0, open)));
  std::string_view rest = value.substr(close + 1);
  const std::size_t at = rest.find('@');
  if (rest.starts_with(':'))
    out += ", layout = " + toml_text(rest.substr(1, at == std::string_view::npos ? at : at - 1));
  if (at != std::string_view::npos) out += ", domain = " + toml_text(rest.substr(at + 1));
  return out + " }";
}

// The parts of a line. What kgbench prints, "softmax: self f32[13,17] transposed integers, dim=-1  (edge)",
// becomes entry=NAME and NAME=DTYPE[SIZES]:LAYOUT@DOMAIN; what is in that form stays as it is.
std::vector<std::string> parts_of(std::string_view spec) {
  std::vector<std::string> parts;
  bool tensor = false;  // the newest part is one, and no comma ended it
  for (std::string word : words_of(spec)) {
    const bool last = word.ends_with(',');
    if (last) word.pop_back();
    if (word.starts_with('(') && word.ends_with(')')) continue;  // "(edge)"
    if (parts.empty() && word.ends_with(':')) word = "entry=" + word.substr(0, word.size() - 1);
    const std::size_t equals = word.find('=');
    const bool bare = equals == std::string::npos;
    if (bare && tensor && layout_named(word)) {
      parts.back() += ":" + word;
    } else if (bare && tensor && parse_domain(word).ok()) {
      parts.back() += "@" + word;
    } else if (bare && !tensor && !parts.empty() && !tensor_table(word).empty()) {
      parts.back() += "=" + word;
      tensor = true;
    } else if (!word.empty()) {
      tensor = !bare && !tensor_table(word.substr(equals + 1)).empty();
      parts.push_back(std::move(word));
    }
    tensor = tensor && !last;
  }
  return parts;
}

bool is_plain(std::string_view value) {
  return parse_int(value).has_value() || parse_double(value).has_value() || value == "true" ||
         value == "false" || value.starts_with('[') || value.starts_with('"') || value.starts_with('\'');
}

}  // namespace

Result<std::vector<Workload>> own_workloads(const Operator& op, std::string_view text,
                                            const std::string& file) {
  Problems problems(file);
  const Result<TomlTable> document = parse_toml(text);
  if (!document) return user_error(file + ":" + document.error().message);
  EntrySchemas schemas;
  for (const Entry& entry : op.entries) schemas.emplace_back(entry.name, &entry.schema);
  TableReader reader(*document, 1, "", problems);
  std::vector<WorkloadTemplate> templates;
  const auto tables = reader.tables("workload");
  reader.finish();
  if (tables.empty() && problems.empty()) problems.add(1, "workload", "no [[workload]] table");
  const bool only = Problems::is_option(file) && tables.size() == 1;
  for (std::size_t i = 0; i < tables.size(); ++i)
    templates.push_back(read_template(with_tier(*tables[i]->table()), tables[i]->line,
                                      only ? "" : fmt::format("workload[{}]", i), false, schemas, problems));
  std::vector<Workload> out;
  if (problems.empty()) out = expand_own(op, templates, problems);
  for (const Workload& workload : out) {
    double bytes = 0;
    for (const auto& [path, spec] : tensors_of(workload.call))
      bytes += static_cast<double>(spec.storage) * static_cast<double>(size_of(spec.dtype));
    if (bytes > kMaxOwnBytes)
      problems.add(1, workload.call.workload,
                   fmt::format("its tensors take {:.3g} GB; at most {:.0f} GB can be judged here",
                               bytes / 1e9, kMaxOwnBytes / 1e9));
  }
  if (!problems.empty()) return user_error(join(problems.lines(), "\n"));
  return out;
}

Result<std::string> workload_table(std::string_view spec) {
  std::string out = "[[workload]]\n";
  for (const std::string& word : parts_of(spec)) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      return user_error("the workload's part " + in_quotes(word) +
                        " is not NAME=VALUE (self=f16[4096,32003] dim=-1)");
    const std::string value = word.substr(equals + 1);
    if (word.substr(0, equals) == "tier")
      return user_error("a workload of your own has no tier: leave tier= out");
    const std::string tensor = tensor_table(value);
    // A text with brackets behind a name was meant as a tensor.
    if (tensor.empty() && value[0] != '[' && value.find_first_of("[]") != std::string::npos)
      return user_error(in_quotes(word) +
                        " is no tensor: write DTYPE[SIZES], as f16[4096,32003] or bf16[8,128]:transposed. " +
                        "Dtypes: f16 bf16 f32 f64 f8e4m3 f8e5m2 i8 i16 i32 i64 u8 b8 c64 c128");
    out += fmt::format("{} = {}\n", word.substr(0, equals),
                       !tensor.empty()   ? tensor
                       : is_plain(value) ? value
                                         : toml_text(value));
  }
  return out;
}

}  // namespace kgb
