// SPDX-License-Identifier: Apache-2.0
// Fills prompt templates.
#include "method/prompt.hpp"

#include <fmt/format.h>

#include <kainjow/mustache.hpp>

#include "base/text.hpp"
#include "catalogue/texts.hpp"

namespace kgb::method {
namespace {

namespace mustache = kainjow::mustache;

std::string chip_text(const ChipCard& chip) {
  std::string out = fmt::format("{} ({})", chip.device_name, chip.name);
  for (const auto& [name, value] : chip.facts)
    out += fmt::format("\n- {}: {}", replace_all(name, "_", " "), value);
  return out;
}

std::string entry_names(const Operator& op) {
  std::vector<std::string> names;
  for (const Entry& entry : op.entries) names.push_back("`" + entry.name + "`");
  return join(names, ", ");
}

// The first {{name}} that has no value; empty: all have one. Sections ({{#name}}) are asked for, too.
std::string missing_value(std::string_view text, const PromptValues& values) {
  for (std::size_t at = text.find("{{"); at != std::string_view::npos; at = text.find("{{", at + 2)) {
    const std::size_t end = text.find("}}", at);
    if (end == std::string_view::npos) return std::string(text.substr(at, 20));
    std::string_view name = trim(text.substr(at + 2, end - at - 2));
    if (name.starts_with('!')) continue;  // a comment
    if (!name.empty() && std::string_view("#^/&{").find(name[0]) != std::string_view::npos)
      name = trim(name.substr(1));
    if (!values.contains(std::string(name))) return std::string(name);
  }
  return {};
}

}  // namespace

Result<PromptValues> task_values(const Catalogue& catalogue, const Operator& op, const std::string& chip) {
  KGB_TRY(const ChipCard* card, catalogue.chip(chip));
  if (!card->impersonates.empty()) {
    KGB_TRY(card, catalogue.chip(card->impersonates));  // what host code sees
  }
  ShowOptions show;
  show.hint = false;
  show.reach = false;  // prompts stay what published numbers were made with
  return PromptValues{
      {"operator", op.name},
      {"entries", entry_names(op)},
      {"card", show_text(catalogue, op, show)},
      {"stub", stub_text(op)},
      {"chip", chip_text(*card)},
      // Sections for what an operator is: filled where it is so, else empty.
      {"no_kernel", op.no_kernel},
  };
}

Result<std::string> render(std::string_view text, const PromptValues& values, const std::string& name) {
  if (const std::string missing = missing_value(text, values); !missing.empty())
    return user_error("the prompt " + name + " asks for {{" + missing + "}}, which nothing gives");
  mustache::mustache filled{std::string(text)};
  if (!filled.is_valid())
    return user_error("the prompt " + name + " cannot be read: " + filled.error_message());
  filled.set_custom_escape([](const std::string& plain) { return plain; });
  mustache::data data;
  for (const auto& [key, value] : values) {
    if (value.empty())
      data.set(key, mustache::data::type::bool_false);
    else
      data.set(key, value);
  }
  return filled.render(data);
}

}  // namespace kgb::method
