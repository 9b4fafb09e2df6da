// SPDX-License-Identifier: Apache-2.0
// Strict UTF-8: validation, repair and cutting between code points.
#include "base/text.hpp"

namespace kgb {
namespace {

// Length of the valid UTF-8 sequence at the start of `text`, 0 when there is none. `text` is not empty.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto in = [&](std::size_t i, unsigned lo, unsigned hi) {
    return i < text.size() && byte(i) >= lo && byte(i) <= hi;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xc2) return 0;  // a continuation byte, or an overlong form
  if (lead < 0xe0) return in(1, 0x80, 0xbf) ? 2 : 0;
  if (lead < 0xf0) {
    // e0 xx with xx < a0 is overlong; ed xx with xx > 9f is a surrogate.
    const unsigned lo = lead == 0xe0 ? 0xa0 : 0x80;
    const unsigned hi = lead == 0xed ? 0x9f : 0xbf;
    return in(1, lo, hi) && in(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (lead < 0xf5) {
    const unsigned lo = lead == 0xf0 ? 0x90 : 0x80;
    const unsigned hi = lead == 0xf4 ? 0x8f : 0xbf;
    return in(1, lo, hi) && in(2, 0x80, 0xbf) && in(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string to_utf8_lossy(std::string_view text) {
  if (is_utf8(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    if (length == 0) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string_view cut_utf8(std::string_view text, std::size_t max_bytes) {
  if (text.size() <= max_bytes) return text;
  std::size_t end = max_bytes;
  // Step back over continuation bytes; at most three belong to one code point, more are not UTF-8 anyway.
  for (int back = 0; back < 3 && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; ++back)
    --end;
  return text.substr(0, end);
}

}  // namespace kgb
