// SPDX-License-Identifier: Apache-2.0
// Grouped digits, plurals and units of time.
#include "report/number_text.hpp"

#include <fmt/format.h>

namespace kgb {

std::string digits_text(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, 1, ',');
  return text;
}

std::string plural(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", digits_text(n), n == 1 ? one : many);
}

std::string duration_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.3g} ns", 1e9 * seconds);
  if (seconds < 1e-3) return fmt::format("{:.3g} us", 1e6 * seconds);
  return seconds < 1 ? fmt::format("{:.3g} ms", 1e3 * seconds) : fmt::format("{:.3g} s", seconds);
}

}  // namespace kgb
