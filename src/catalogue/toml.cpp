// SPDX-License-Identifier: Apache-2.0
// The one user of the TOML library: parses and copies into values of our own.
#include "catalogue/toml.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "base/text.hpp"
#include "fmt/format.h"

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include "toml++/toml.h"

namespace kgb {
namespace {

// A date, or nesting deeper than a card has any use for.
struct Refused {
  int line = 0;
  std::string why;
};

int line_of(const toml::node& node) {
  return static_cast<int>(node.source().begin.line);
}

TomlValue copy(const toml::node& node, int depth, Refused& refused);

TomlTable copy_table(const toml::table& table, int depth, Refused& refused) {
  struct Placed {
    toml::source_position at;
    TomlItem item;
  };
  std::vector<Placed> placed;
  for (const auto& [key, value] : table) {
    placed.push_back({key.source().begin, {std::string(key.str()), copy(value, depth + 1, refused)}});
  }
  std::stable_sort(placed.begin(), placed.end(),
                   [](const Placed& a, const Placed& b) { return a.at < b.at; });
  TomlTable out;
  for (Placed& entry : placed) {
    entry.item.value.line = static_cast<int>(entry.at.line);
    out.items.push_back(std::move(entry.item));
  }
  return out;
}

TomlValue copy(const toml::node& node, int depth, Refused& refused) {
  TomlValue out;
  out.line = line_of(node);
  if (depth > 32) {
    refused = {out.line, "tables and lists are nested too deeply"};
  } else if (const auto* table = node.as_table()) {
    out.data = copy_table(*table, depth, refused);
  } else if (const auto* array = node.as_array()) {
    TomlArray items;
    for (const toml::node& item : *array) items.push_back(copy(item, depth + 1, refused));
    out.data = std::move(items);
  } else if (const auto* text = node.as_string()) {
    out.data = text->get();
  } else if (const auto* integer = node.as_integer()) {
    out.data = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    out.data = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    out.data = boolean->get();
  } else {
    refused = {out.line, "dates and times have no meaning here"};
  }
  return out;
}

// The library nests one table for each dot of a key without a limit of its own; its tables would overflow the
// stack.
int line_of_dots(std::string_view text) {
  int line = 1;
  std::size_t dots = 0;
  for (const char c : text) {
    if (c == '\n') {
      ++line;
      dots = 0;
    }
    if (c == '.' && ++dots > 500) return line;
  }
  return 0;
}

// Line of a character beyond ASCII outside strings and comments, where TOML 1.0 has none; 0: there is none.
// The library asks whether such a one is a space, and has no answer for U+FB26 to U+FEFE: what it then does
// is undefined.
int line_beyond_ascii(std::string_view text) {
  std::string_view quotes;  // of the string that we are in
  bool comment = false;
  int line = 1;
  const auto at = [&](std::size_t i) { return text.substr(std::min(i, text.size())); };
  for (std::size_t i = text.starts_with("\xEF\xBB\xBF") ? 3 : 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      ++line;
      comment = false;
      if (quotes.size() == 1) quotes = {};
    } else if (comment) {
      continue;
    } else if (!quotes.empty()) {
      if (c == '\\' && quotes[0] == '"') {
        if (at(++i).starts_with('\n')) ++line;
      } else if (at(i).starts_with(quotes)) {
        i += quotes.size() - 1;
        for (int more = 0; more < 2 && quotes.size() == 3 && at(i + 1).starts_with(c); ++more) ++i;
        quotes = {};
      }
    } else if (c == '#') {
      comment = true;
    } else if (c == '"' || c == '\'') {
      quotes = at(i).substr(0, at(i).starts_with(std::string(3, c)) ? 3 : 1);
      i += quotes.size() - 1;
    } else if (static_cast<unsigned char>(c) > 127) {
      return line;
    }
  }
  return 0;
}

}  // namespace

const TomlValue* TomlTable::find(std::string_view key) const {
  for (const TomlItem& item : items) {
    if (item.key == key) return &item.value;
  }
  return nullptr;
}

std::string_view TomlValue::type() const {
  constexpr std::string_view names[] = {"a truth value", "an integer", "a real",
                                        "a text",        "a list",     "a table"};
  return names[data.index()];
}

Result<TomlTable> parse_toml(std::string_view text) {
  if (text.size() > kMaxTomlBytes) {
    return user_error(fmt::format("1: {}, more than the {} that a card may have", human_bytes(text.size()),
                                  human_bytes(kMaxTomlBytes)));
  }
  if (!is_utf8(text)) return user_error("1: is not UTF-8 text");
  if (const int line = line_of_dots(text))
    return user_error(fmt::format("{}: more than 500 dots in one line", line));
  if (const int line = line_beyond_ascii(text)) {
    return user_error(fmt::format(
        "{}: a character beyond ASCII outside of quotes; put the key or the value into quotes", line));
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return user_error(fmt::format("{}: {}", error.source().begin.line, error.description()));
  }
  Refused refused;
  TomlTable table = copy_table(parsed.table(), 0, refused);
  if (!refused.why.empty()) return user_error(fmt::format("{}: {}", refused.line, refused.why));
  return table;
}

std::vector<std::string> toml_names(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) return names;
  const Result<std::vector<std::string>> files = list_folder(folder);
  for (const std::string& file : files ? *files : std::vector<std::string>())
    if (std::filesystem::path(file).extension() == ".toml")
      names.push_back(std::filesystem::path(file).stem().string());
  return names;
}

}  // namespace kgb
