// SPDX-License-Identifier: Apache-2.0
// Finds the source text in a reply.
#include "method/reply_code.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.hpp"

namespace kgb::method {
namespace {

constexpr std::size_t kMaxCode = std::size_t{1} << 20;

// Number of backquotes or tildes that open or close a block; 0: none. Up to three spaces stand before it
// (CommonMark).
std::size_t fence_length(std::string_view line, char& mark) {
  std::size_t at = line.find_first_not_of(' ');
  if (at == std::string_view::npos || at > 3) return 0;
  mark = line[at];
  if (mark != '`' && mark != '~') return 0;
  std::size_t end = at;
  while (end < line.size() && line[end] == mark) ++end;
  return end - at >= 3 ? end - at : 0;
}

bool starts_definition(std::string_view line) {
  constexpr std::array<std::string_view, 5> kStarts{"def ", "class ", "async def ", "@", "extern \"C\""};
  return std::any_of(kStarts.begin(), kStarts.end(), [&](auto start) { return line.starts_with(start); });
}

bool starts_python(std::string_view line) {
  return line.starts_with("import ") || line.starts_with("from ") || starts_definition(line);
}

int definitions(std::string_view text) {
  const std::vector<std::string> lines = split_lines(text);
  return static_cast<int>(std::count_if(lines.begin(), lines.end(), starts_definition));
}

std::vector<std::string> blocks(std::string_view reply) {
  std::vector<std::string> found;
  std::size_t open = 0;
  char open_mark = 0;
  for (const std::string& line : split_lines(reply)) {
    char mark = 0;
    const std::size_t length = fence_length(line, mark);
    if (open == 0) {
      if (length > 0) {
        open = length;
        open_mark = mark;
        found.emplace_back();
      }
    } else if (length >= open && mark == open_mark &&
               trim(line).find_first_not_of(mark) == std::string::npos) {
      open = 0;
    } else {
      found.back() += line + "\n";
    }
  }
  return found;
}

}  // namespace

std::string code_of_reply(std::string_view reply) {
  const std::vector<std::string> found = blocks(reply);
  const std::string* best = nullptr;
  int most = 0;
  for (const std::string& block : found) {
    const int count = definitions(block);
    // Later ones win: a correction follows what it corrects.
    if (count > 0 && (best == nullptr || count >= most || block.size() >= best->size())) {
      best = &block;
      most = count;
    }
  }
  if (best != nullptr) return std::string(cut_utf8(*best, kMaxCode));
  if (!found.empty()) return {};
  const std::vector<std::string> lines = split_lines(reply);
  const auto first =
      std::find_if(lines.begin(), lines.end(), [](const std::string& line) { return !trim(line).empty(); });
  if (first == lines.end() || !(starts_python(*first) || first->starts_with("#")) || definitions(reply) == 0)
    return {};
  return std::string(cut_utf8(reply, kMaxCode));
}

}  // namespace kgb::method
