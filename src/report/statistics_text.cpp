// SPDX-License-Identifier: Apache-2.0
// Figures as text for the terminal, and as tables of the page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/evidence_html.hpp"
#include "report/statistics.hpp"

namespace kgb {
namespace {

// Whole percent where that says enough.
std::string percent(double share) {
  const double value = 100 * share;
  return std::abs(value) >= 10 || value == 0 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
}

std::string time_text(double seconds) {
  if (seconds < 120) return fmt::format("{:.1f} s", seconds);
  const auto minutes = std::llround(seconds / 60);
  return minutes < 120 ? fmt::format("{} min", minutes)
                       : fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

std::string dollar_text(double dollars) {
  return dollars == 0 || dollars >= 0.1 ? fmt::format("${:.2f}", dollars) : fmt::format("${:.2g}", dollars);
}

std::string value_text(const Figure& figure) {
  switch (figure.unit) {
    case Measure::share:
      return share_text(*figure.value);
    case Measure::ratio:
      return fmt::format("{:.2f}x", *figure.value);
    case Measure::tokens:
      return token_text(*figure.value);
    case Measure::dollars:
      return dollar_text(*figure.value);
    case Measure::seconds:
      return time_text(*figure.value);
    case Measure::count:
      break;
  }
  return fmt::format("{:.0f}", *figure.value);
}

std::string count_text_of(const Figure& figure) {
  if (!figure.count) return "";
  if (figure.of) return fmt::format("{} of {}", *figure.count, *figure.of);
  return fmt::format("over {}", *figure.count);
}

}  // namespace

std::string_view name_of(Measure unit) {
  switch (unit) {
    case Measure::share:
      return "share";
    case Measure::ratio:
      return "ratio";
    case Measure::tokens:
      return "tokens";
    case Measure::dollars:
      return "dollars";
    case Measure::seconds:
      return "seconds";
    case Measure::count:
      break;
  }
  return "count";
}

std::string share_text(double share) {
  return percent(share) + " %";
}

std::string token_text(double tokens) {
  if (tokens >= 1e6) return fmt::format("{:.2f} M", tokens / 1e6);
  if (tokens >= 1e4) return fmt::format("{:.0f} k", tokens / 1e3);
  return fmt::format("{:.0f}", tokens);
}

std::string figure_text(const Figure& figure) {
  if (!figure.value) return "unknown";
  std::string text = value_text(figure);
  if (!figure.low || !figure.high) return text;
  return text + (figure.unit == Measure::share
                     ? fmt::format(" [{}, {}]", percent(*figure.low), percent(*figure.high))
                     : fmt::format(" [{:.2f}, {:.2f}]", *figure.low, *figure.high));
}

std::string statistics_text(const RunReport& report) {
  const std::vector<Figure> figures = statistics_of(report);
  const auto is_speed = [](const Figure& f) { return f.section == "speed"; };
  const bool timed = std::any_of(figures.begin(), figures.end(), is_speed);
  if (report.run.contestant == "experts" && !timed) return "";
  std::size_t width = 0;
  for (const Figure& f : figures)
    if (!f.detail) width = std::max(width, f.name.size());
  std::string out, section;
  for (const Figure& f : figures) {
    if (f.detail) continue;
    if (f.section != section) out += f.section + '\n';
    section = f.section;
    out +=
        fmt::format("  {:<{}}  {:<20}  {:<12}  {}", f.name, width, figure_text(f), count_text_of(f), f.note);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string statistics_html(const RunReport& report) {
  std::string out, section;
  for (const Figure& f : statistics_of(report)) {
    if (f.section != section) {
      if (!section.empty()) out += "</tbody></table></div>\n";
      out += fmt::format(
          "<h3>{}</h3>\n<div class=\"scroll\"><table><thead><tr><th></th><th>value, 95 %</th><th>of</th>"
          "<th></th></tr></thead><tbody>\n",
          html::escaped(f.section));
    }
    section = f.section;
    out += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td class=\"soft\">{}</td></tr>\n",
                       html::escaped(f.name), html::escaped(figure_text(f)), html::escaped(count_text_of(f)),
                       html::escaped(f.note));
  }
  if (section.empty()) return "";
  return "<h2>Statistics</h2>\n" + out + "</tbody></table></div>\n";
}

}  // namespace kgb
