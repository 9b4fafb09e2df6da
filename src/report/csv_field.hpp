// SPDX-License-Identifier: Apache-2.0
// Fields of CSV as RFC 4180 has them.
#pragma once

#include <string>

namespace kgb {

// Quoted where a separator, a quote or the end of a line is in it.
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace kgb
