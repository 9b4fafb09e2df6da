// SPDX-License-Identifier: Apache-2.0
// The pages docs/cli/<verb>.md, embedded: documentation and --help cannot differ.
#include <map>
#include <string>

#include "command.hpp"

#define KGB_HELP(verb) extern "C" const char kgb_help_##verb[];
#include "help.def"
#undef KGB_HELP

namespace kgb::app {
namespace {

// Markdown as a terminal shows it: no comment line, no fences, headings in capitals.
std::string plain(const std::string& page) {
  std::string out;
  std::size_t at = 0;
  while (at < page.size()) {
    std::size_t end = page.find('\n', at);
    if (end == std::string::npos) end = page.size();
    std::string line = page.substr(at, end - at);
    at = end + 1;
    if (line.rfind("<!--", 0) == 0 || line.rfind("```", 0) == 0) continue;
    if (line.rfind("# ", 0) == 0) continue;  // the usage line above says the name
    if (line.rfind("## ", 0) == 0) {
      line = line.substr(3);
      for (char& c : line) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    out += line + '\n';
  }
  return out;
}

}  // namespace

std::string help_text(const std::string& verb) {
  static const std::map<std::string, const char*> pages{
#define KGB_HELP(verb) {#verb, kgb_help_##verb},
#include "help.def"
#undef KGB_HELP
  };
  const auto found = pages.find(verb);
  return found == pages.end() ? std::string() : plain(found->second);
}

}  // namespace kgb::app
