// SPDX-License-Identifier: Apache-2.0
// A run's statistics as a list of figures: what computes them knows no format, what shows them no statistics.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"

namespace kgb {

enum class Measure { share, ratio, tokens, dollars, seconds, count };
[[nodiscard]] std::string_view name_of(Measure unit);

struct Figure {
  std::string section;  // "accuracy", "pass@k", "speed", "cost", "failures"
  std::string name;     // "all", "source aten", "tokens per success (published)"; unique in its section
  Measure unit = Measure::count;
  std::optional<double> value, low, high;  // value: nullopt where it is unknown; low, high: 95 %
  std::optional<std::int64_t> count, of;   // what a share is made of
  std::string note;                        // one line: what is not in it, or why it is unknown
  bool detail = false;                     // left out of the table in the terminal
};

// Sections without data are absent. Definitions, with their sources: docs/statistics.md.
[[nodiscard]] std::vector<Figure> statistics_of(const RunReport& report);

// "87 % [82, 91]", "0.79x [0.75, 0.83]", "1.45 M", "$0.31", "2 h 3 min"; "unknown" without a value.
[[nodiscard]] std::string figure_text(const Figure& figure);
[[nodiscard]] std::string share_text(double share);  // "87 %", "2.4 %"
[[nodiscard]] std::string token_text(double tokens);
// The figures that the terminal shows, a line each; empty for the built-in experts without times, whose
// headline says it all.
[[nodiscard]] std::string statistics_text(const RunReport& report);
[[nodiscard]] nlohmann::json statistics_json(const RunReport& report);  // section: {name: figure}
[[nodiscard]] std::string statistics_html(const RunReport& report);

}  // namespace kgb
