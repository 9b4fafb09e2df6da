// SPDX-License-Identifier: Apache-2.0
// What was measured of the bounds, for people and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "campaign/tolerance.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

std::string caught_text(const ToleranceRow& row, const Sensitivity& of) {
  if (row.integral) return of.code_caught ? "one code" : "-";
  return of.caught ? fmt::format("{:.1e}", *of.caught) : "-";
}

std::string headroom_text(const ToleranceRow& row, const Sensitivity& of, bool published) {
  if (!std::isfinite(of.headroom)) return "wrong";
  if (row.integral || (row.exact && !published)) return "exact";
  return fmt::format("{:.3f}", of.headroom);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string summary(const ToleranceReport& report) {
  std::vector<double> headroom, caught, published;
  double worst = 0;
  std::size_t never = 0, refused = 0, real = 0;
  for (const ToleranceRow& row : report.rows) {
    refused += row.published.headroom > 1 ? 1 : 0;
    if (row.integral) continue;
    ++real;
    if (!row.exact) headroom.push_back(row.model.headroom);
    worst = std::max(worst, row.exact ? 0 : row.model.headroom);
    if (row.model.caught) caught.push_back(*row.model.caught);
    if (row.published.caught) published.push_back(*row.published.caught);
    never += row.published.caught ? 0 : 1;
  }
  return fmt::format(
      "{} rows. Worst error over bound: median {:.3f}, largest {:.3f}. Smallest error found, median: {:.1e}; "
      "by "
      "the published tolerance {:.1e}, in {} of {} float rows none up to 1. {} rows of right answers are "
      "wrong by "
      "the published tolerance. Seed {}\n",
      report.rows.size(), median(headroom), worst, median(caught), median(published), never, real, refused,
      seed_text(report.seed));
}

Json side(const ToleranceRow& row, const Sensitivity& of) {
  Json out{{"headroom", std::isfinite(of.headroom) ? Json(of.headroom) : Json("inf")},
           {"worst_at", of.worst_at}};
  if (row.integral) {
    out["code_caught"] = of.code_caught;
  } else {
    out["caught"] = of.caught ? Json(*of.caught) : Json();
  }
  return out;
}

}  // namespace

std::string tolerance_text(const ToleranceReport& report) {
  std::string out = fmt::format("{:<38} {:<14} {:>9} {:>10}   {:>9} {:>10}\n{:<53} {:>20}   {:>20}\n",
                                "operator", "dtype", "headroom", "found from", "headroom", "found from", "",
                                "the card's bound", "published tolerance");
  for (const ToleranceRow& row : report.rows)
    out += fmt::format("{:<38} {:<14} {:>9} {:>10}   {:>9} {:>10}\n", row.op, row.dtype,
                       headroom_text(row, row.model, false), caught_text(row, row.model),
                       headroom_text(row, row.published, true), caught_text(row, row.published));
  for (const ToleranceReport::Skipped& one : report.skipped)
    out += fmt::format("skipped: {}: {}\n", one.op, one.reason);
  return out + summary(report);
}

Json tolerance_json(const ToleranceReport& report) {
  Json rows = Json::array(), skipped = Json::array();
  for (const ToleranceRow& row : report.rows)
    rows.push_back({{"op", row.op},
                    {"dtype", row.dtype},
                    {"integral", row.integral},
                    {"exact", row.exact},
                    {"elements", row.elements},
                    {"model", side(row, row.model)},
                    {"published", side(row, row.published)}});
  for (const ToleranceReport::Skipped& one : report.skipped)
    skipped.push_back({{"op", one.op}, {"reason", one.reason}});
  return {{"schema", 1}, {"seed", seed_text(report.seed)}, {"rows", rows}, {"skipped", skipped}};
}

}  // namespace kgb
