// SPDX-License-Identifier: Apache-2.0
// Words of PTX: no grammar, since only declarations of parameters and names of registers matter here.
#include "compiler/ptx.hpp"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/text.hpp"

namespace kgb {
namespace {

constexpr std::string_view kClocks[] = {"%clock",       "%clock_hi",       "%clock64",
                                        "%globaltimer", "%globaltimer_lo", "%globaltimer_hi"};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.' || c == '%';
}

// The words and single signs of the text, without comments; a quoted text is one word.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text.substr(at).starts_with("//")) {
      end = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at).starts_with("/*")) {
      const std::size_t close = text.find("*/", at + 2);
      end = close == std::string_view::npos ? text.size() : close + 2;
    } else if (text[at] == '"') {
      while (end < text.size() && text[end] != '"') ++end;
      end = std::min(end + 1, text.size());
      words.push_back(text.substr(at, end - at));
    } else if (is_word(text[at])) {
      while (end < text.size() && is_word(text[end])) ++end;
      words.push_back(text.substr(at, end - at));
    } else if (!std::isspace(static_cast<unsigned char>(text[at]))) {
      words.push_back(text.substr(at, 1));
    }
    at = end;
  }
  return words;
}

// ".u64" -> 8; 0: no type
std::int64_t size_of_type(std::string_view word) {
  if (word == ".pred") return 1;
  if (word.size() < 3 || std::string_view(".ubsf").find(word[1]) == std::string_view::npos) return 0;
  const std::int64_t bits = parse_int(std::string(word.substr(2))).value_or(0);
  return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 ? bits / 8 : 0;
}

// One declaration between commas: ".param .align 8 .b8 name[64]".
std::optional<std::int64_t> bytes_of(const std::vector<std::string_view>& words) {
  if (words.empty() || words.front() != ".param") return std::nullopt;
  std::int64_t element = 0, count = 1;
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i] == ".align") {
      ++i;  // its number
    } else if (words[i] == "[" && i + 1 < words.size()) {
      count = parse_int(std::string(words[i + 1])).value_or(0);
      break;
    } else if (const std::int64_t size = size_of_type(words[i]); size > 0 && element == 0) {
      element = size;
    }
  }
  if (element == 0 || count <= 0 || count > (std::int64_t{1} << 20)) return std::nullopt;
  return element * count;
}

// The number that ends before `unit`: "4096" of "used 0 barriers, 4096 bytes smem" for " bytes smem".
std::int64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos) return 0;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1]))) --begin;
  return parse_int(std::string(line.substr(begin, end - begin))).value_or(0);
}

}  // namespace

std::optional<std::vector<std::int64_t>> parameters_in_ptx(std::string_view ptx, std::string_view entry) {
  const std::vector<std::string_view> words = words_of(ptx);
  for (std::size_t at = 0; at + 1 < words.size(); ++at) {
    if (words[at] != ".entry" || words[at + 1] != entry) continue;
    std::vector<std::int64_t> sizes;
    std::size_t i = at + 2;
    if (i >= words.size() || words[i] != "(") return sizes;  // a kernel without parameters may lack them
    for (++i; i < words.size() && words[i] != ")"; ++i) {
      std::vector<std::string_view> one;
      for (; i < words.size() && words[i] != "," && words[i] != ")"; ++i) one.push_back(words[i]);
      const std::optional<std::int64_t> bytes = bytes_of(one);
      if (!bytes) return std::nullopt;
      sizes.push_back(*bytes);
      if (i < words.size() && words[i] == ")") break;
    }
    return sizes;
  }
  return std::nullopt;
}

std::vector<std::string> clocks_in_ptx(std::string_view ptx) {
  std::vector<std::string> found;
  for (const std::string_view word : words_of(ptx))
    for (const std::string_view clock : kClocks)
      if (word == clock && std::find(found.begin(), found.end(), clock) == found.end())
        found.emplace_back(clock);
  return found;
}

AssemblerFigures figures_in_log(std::string_view log, std::string_view entry) {
  AssemblerFigures figures;
  const std::string mine = "'" + std::string(entry) + "'";
  bool inside = false;
  for (const std::string& line : split_lines(std::string(log))) {
    if (line.find("Compiling entry function") != std::string::npos)
      inside = line.find(mine) != std::string::npos;
    if (!inside) continue;
    if (line.find(" registers") != std::string::npos) {
      figures.registers = number_before(line, " registers");
      figures.shared_bytes = number_before(line, " bytes smem");
    }
    figures.spills = std::max(figures.spills, number_before(line, " bytes spill stores"));
  }
  return figures;
}

}  // namespace kgb
