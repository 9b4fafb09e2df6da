// SPDX-License-Identifier: Apache-2.0
// A timing's roof, energy and conditions in words, shared by the screen and the page.
#pragma once

#include <span>
#include <string>

#include "model/verdict.hpp"

namespace kgb {

// "81 % of the memory roof", "62 % of the bf16_dot roof (data sheet)", "3 % of the memory roof,
// launch-bound"; empty: unknown.
[[nodiscard]] std::string roof_text(const Timing& timing);
// "12.3 mJ a call"; empty: unknown.
[[nodiscard]] std::string energy_text(const Timing& timing);
// "SM 1980 to 1755 MHz, memory 3201 MHz, at most 412 W and 61 C; power cap; process 4242 holds 3.1 GB";
// empty: nothing is known.
[[nodiscard]] std::string conditions_text(const Conditions& conditions);
// Of all timings together: what each of them saw, and what none knew.
[[nodiscard]] Conditions joined_conditions(std::span<const Timing> timings);

}  // namespace kgb
