// SPDX-License-Identifier: Apache-2.0
// Source positions: loc(..) texts resolved to the outermost frame's file and line.
#include <algorithm>
#include <charconv>
#include <optional>

#include "vm/lexer.hpp"
#include "vm/raw.hpp"

namespace kgb::vm {
namespace {

constexpr int kMaxDepth = 64;  // of aliases and callsites; a cycle ends here

std::optional<SourcePlace> resolve(const RawModule& module, std::string_view text, int depth);

// "file":line:column, or "name"(inner).
std::optional<SourcePlace> resolve_string(const RawModule& module, std::string_view text, int depth) {
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
  if (end >= text.size()) return std::nullopt;
  const std::string_view name = text.substr(1, end - 1), rest = text.substr(end + 1);
  if (rest.starts_with(':')) {
    SourcePlace place{std::string(name), 0};
    std::from_chars(rest.data() + 1, rest.data() + rest.size(), place.line);
    return place;
  }
  if (rest.starts_with('(') && rest.ends_with(')'))
    return resolve(module, rest.substr(1, rest.size() - 2), depth + 1);
  return std::nullopt;
}

// "callsite(a at b)": b is the caller, the frame nearer to the user.
std::optional<SourcePlace> resolve_callsite(const RawModule& module, std::string_view inner, int depth) {
  std::size_t nesting = 0;
  for (std::size_t i = 0; i + 4 <= inner.size(); ++i) {
    if (inner[i] == '"') {
      for (++i; i < inner.size() && inner[i] != '"'; ++i)
        if (inner[i] == '\\') ++i;
      continue;
    }
    if (inner[i] == '(') ++nesting;
    if (inner[i] == ')' && nesting > 0) --nesting;
    if (nesting == 0 && inner.substr(i, 4) == " at ") {
      if (auto caller = resolve(module, inner.substr(i + 4), depth + 1)) return caller;
      return resolve(module, inner.substr(0, i), depth + 1);
    }
  }
  return std::nullopt;
}

std::optional<SourcePlace> resolve(const RawModule& module, std::string_view text, int depth) {
  if (depth > kMaxDepth || text.empty()) return std::nullopt;
  if (text.front() == '#') {
    const auto found =
        std::lower_bound(module.aliases.begin(), module.aliases.end(), text,
                         [](const auto& row, std::string_view key) { return row.first < key; });
    if (found == module.aliases.end() || found->first != text) return std::nullopt;
    return resolve(module, found->second, depth + 1);
  }
  if (text.front() == '"') return resolve_string(module, text, depth);
  if (text.starts_with("callsite(") && text.ends_with(')'))
    return resolve_callsite(module, text.substr(9, text.size() - 10), depth);
  if (text.starts_with("fused") && text.ends_with(']')) {
    const std::size_t open = text.find('[');
    if (open == std::string_view::npos) return std::nullopt;
    std::string_view first = text.substr(open + 1, text.size() - open - 2);
    return resolve(module, first.substr(0, std::min(first.find(", "), first.size())), depth + 1);
  }
  return std::nullopt;
}

}  // namespace

SourcePlace RawModule::place(std::string_view where) const {
  return resolve(*this, where, 0).value_or(SourcePlace{});
}

}  // namespace kgb::vm
