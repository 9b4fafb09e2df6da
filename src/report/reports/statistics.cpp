// SPDX-License-Identifier: Apache-2.0
// The statistics as one line per figure, RFC 4180.
#include "report/statistics.hpp"

#include <fmt/format.h>

#include "report/csv_field.hpp"

namespace kgb {

std::string report_statistics(const RunReport& report, const ReportStyle&) {
  const auto number = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string(); };
  std::string out = "section,name,unit,value,low,high,count,of,note\r\n";
  for (const Figure& f : statistics_of(report))
    out += fmt::format("{},{},{},{},{},{},{},{},{}\r\n", csv_field(f.section), csv_field(f.name),
                       name_of(f.unit), number(f.value), number(f.low), number(f.high), number(f.count),
                       number(f.of), csv_field(f.note));
  return out;
}

}  // namespace kgb
