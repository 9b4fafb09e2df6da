// SPDX-License-Identifier: Apache-2.0
// Numbers as reports print them.
#pragma once

#include <cstdint>
#include <string>

namespace kgb {

// "1,048,576".
[[nodiscard]] std::string digits_text(std::uint64_t number);
// "1 launch", "2,048 launches".
[[nodiscard]] std::string plural(std::uint64_t n, const char* one, const char* many);
// Seconds with three digits: "31.2 us".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace kgb
