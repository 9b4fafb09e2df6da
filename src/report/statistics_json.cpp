// SPDX-License-Identifier: Apache-2.0
// Figures as JSON.
#include <nlohmann/json.hpp>

#include "report/statistics.hpp"

namespace kgb {
namespace {

template <typename T>
nlohmann::json or_null(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json();
}

}  // namespace

nlohmann::json statistics_json(const RunReport& report) {
  nlohmann::json sections = nlohmann::json::object();
  for (const Figure& f : statistics_of(report))
    sections[f.section][f.name] = {
        {"unit", name_of(f.unit)}, {"value", or_null(f.value)}, {"low", or_null(f.low)},
        {"high", or_null(f.high)}, {"count", or_null(f.count)}, {"of", or_null(f.of)},
        {"note", f.note}};
  return sections;
}

}  // namespace kgb
