// SPDX-License-Identifier: Apache-2.0
// What the screen found, for people and for programs.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"
#include "judge/screen.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

// "s3 s4 s9 and 11 more"
std::string some_of(const std::vector<std::string>& ids) {
  constexpr std::size_t kShown = 4;
  const std::vector<std::string> first(
      ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(kShown, ids.size())));
  const std::string rest = ids.size() > kShown ? fmt::format(" and {} more", ids.size() - kShown) : "";
  return join(first, " ") + rest;
}

std::string place_of(const ScreenRow& row) {
  return fmt::format("{} {} {} {}", row.op, row.entry, row.output, row.dtype);
}

std::string row_text(const ScreenRow& row) {
  std::string out = fmt::format("{}: {} workloads\n", place_of(row), row.workloads.size());
  for (const AnswerTally& tally : row.answers)
    out += fmt::format("  {:<20} wrong in {:>3}, rejected in {:>3}: {}\n", tally.answer, tally.differs.size(),
                       tally.rejected.size(), tally.rejected.empty() ? "HOLE" : some_of(tally.rejected));
  if (row.moves)
    out += fmt::format("  {:<20} by {:.2g} of the bound at most, in {}{}\n", "moved inputs", *row.moves,
                       row.moves_most, *row.moves > 1 && !row.sensitive.empty() ? ": " + row.sensitive : "");
  return out;
}

std::string holes_text(const ScreenRow& row) {
  std::string out;
  for (const AnswerTally& tally : row.answers)
    if (tally.hole())
      out += fmt::format("hole: {}: '{}' is wrong in {} and no workload rejects it\n", place_of(row),
                         tally.answer, some_of(tally.differs));
  for (const std::string& answer : row.blind)
    out += fmt::format("hole: {}: '{}' is right in all {} workloads, but only because of their values\n",
                       place_of(row), answer, row.workloads.size());
  if (!row.right_refused.empty())
    out += fmt::format("hole: {}: the oracle's own values, rounded once, are rejected by {}\n", place_of(row),
                       some_of(row.right_refused));
  if (!row.unstable.empty() && row.sensitive.empty())
    out +=
        fmt::format("hole: {}: one ulp of the inputs moves the right values by {:.2g} of the bound in {}\n",
                    place_of(row), *row.moves, some_of(row.unstable));
  return out;
}

nlohmann::json moves_json(const ScreenRow& row) {
  if (!row.moves) return nullptr;
  const nlohmann::json share = std::isfinite(*row.moves) ? nlohmann::json(*row.moves) : nlohmann::json("inf");
  return {{"share", share},
          {"workload", row.moves_most},
          {"unstable", row.unstable},
          {"sensitive", row.sensitive.empty() ? nlohmann::json() : nlohmann::json(row.sensitive)}};
}

std::size_t operators_in(const ScreenReport& report) {
  std::set<std::string> names;
  for (const ScreenRow& row : report.rows) names.insert(row.op);
  return names.size();
}

}  // namespace

std::string screen_text(const ScreenReport& report, bool whole) {
  std::string out;
  if (whole)
    for (const ScreenRow& row : report.rows) out += row_text(row);
  for (const ScreenReport::Skipped& skipped : report.skipped)
    out += fmt::format("skipped: {}: {}\n", skipped.op, skipped.reason);
  for (const ScreenRow& row : report.rows) out += holes_text(row);
  const std::size_t holes = report.holes();
  out += fmt::format("{} operators, {} (entry, output, dtype), seed {}: {}\n", operators_in(report),
                     report.rows.size(), seed_text(report.seed),
                     holes == 0 ? "no holes" : fmt::format("{} hole{}", holes, holes == 1 ? "" : "s"));
  return out;
}

nlohmann::json screen_json(const ScreenReport& report) {
  using Json = nlohmann::json;
  Json rows = Json::array(), skipped = Json::array();
  for (const ScreenRow& row : report.rows) {
    Json answers = Json::array(), holes = Json::array();
    for (const AnswerTally& tally : row.answers) {
      answers.push_back(
          {{"answer", tally.answer}, {"wrong_in", tally.differs}, {"rejected_by", tally.rejected}});
      if (tally.hole()) holes.push_back(tally.answer);
    }
    for (const std::string& answer : row.blind) holes.push_back(answer);
    rows.push_back({{"op", row.op},
                    {"entry", row.entry},
                    {"output", row.output},
                    {"dtype", row.dtype},
                    {"workloads", row.workloads},
                    {"answers", std::move(answers)},
                    {"holes", std::move(holes)},
                    {"blind", row.blind},
                    {"right_refused", row.right_refused},
                    {"moves", moves_json(row)}});
  }
  for (const ScreenReport::Skipped& one : report.skipped)
    skipped.push_back({{"op", one.op}, {"reason", one.reason}});
  return {{"seed", seed_text(report.seed)},
          {"rows", std::move(rows)},
          {"skipped", std::move(skipped)},
          {"holes", report.holes()}};
}

}  // namespace kgb
