// SPDX-License-Identifier: Apache-2.0
// Contestants beside each other, for the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/contestants.hpp"
#include "report/statistics.hpp"

namespace kgb {
namespace {

using Row = std::vector<std::string>;
constexpr double kLevel = 0.05;

// Columns as wide as they need to be; the last one takes what is left.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) {
      if (c == widths.size()) widths.push_back(0);
      widths[c] = std::max(widths[c], row[c].size());
    }
  std::string out;
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) out += fmt::format("{:<{}}  ", row[c], widths[c]);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string shown(const Interval& interval, Measure unit) {
  Figure figure;
  figure.unit = unit;
  figure.value = interval.estimate;
  if (std::isfinite(interval.low)) figure.low = interval.low;
  if (std::isfinite(interval.high)) figure.high = interval.high;
  return figure_text(figure);
}

std::string p_text(double p) {
  return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.3f}", p);
}

std::string points(double difference) {
  return fmt::format("{:+.0f}", 100 * difference);
}

std::string tokens_or_unknown(const std::optional<double>& tokens) {
  return tokens ? token_text(*tokens) : "unknown";
}

// Tokens, with what they leave out.
std::string cost_text(const Ledger& ledger) {
  if (ledger.calls == 0) return "no model";
  return (ledger.unknown_usage > 0 && ledger.tokens_per_success() ? "at least " : "") +
         tokens_or_unknown(ledger.tokens_per_success());
}

std::string dollars_text(const Ledger& ledger) {
  Figure figure;
  figure.unit = Measure::dollars;
  figure.value = ledger.dollars_per_success();
  return (ledger.unknown_price > 0 && figure.value ? "at least " : "") + figure_text(figure);
}

std::string accuracy_verdict(const Contest& contest, const Duel& duel) {
  if (duel.operators == 0) return "no operator in common";
  const std::string& a = contest.contestants[duel.first].name;
  const std::string& b = contest.contestants[duel.second].name;
  const char* test = duel.one_sample ? "McNemar" : "signed ranks";
  const Interval& d = duel.difference;
  const std::string ends =
      std::isfinite(d.low) ? fmt::format(" [{}, {}]", points(d.low), points(d.high)) : std::string();
  const bool all =
      static_cast<std::size_t>(duel.operators) == contest.contestants[duel.first].outcomes.size();
  return fmt::format("{} points{}{}, {} ({}, {} only-{}, {} only-{})", points(d.estimate), ends,
                     all ? "" : fmt::format(" over {} in common", duel.operators), p_text(duel.p), test,
                     duel.only_first, a, duel.only_second, b);
}

std::string speed_verdict(const Duel& duel) {
  if (!duel.speed_ratio) return "no interval: too few, or all alike";
  const std::string ratio = shown(*duel.speed_ratio, Measure::ratio);
  const SpeedCall call =
      duel.speed_p < kLevel ? call_of(*duel.speed_ratio, 0) : SpeedCall::cannot_tell;  // both must say so
  return fmt::format("{} ({}, {})", name_of(call), ratio, p_text(duel.speed_p));
}

std::string pair_text(const std::pair<std::int64_t, std::int64_t>& passed_of) {
  return fmt::format("{}/{}", passed_of.first, passed_of.second);
}

std::string two(const Contest& contest) {
  const Contestant &a = contest.contestants[0], &b = contest.contestants[1];
  const Duel& duel = contest.duels[0];
  std::vector<Row> rows{{"", a.name, b.name, "difference"}};
  const bool alike = a.accuracy.judged == b.accuracy.judged;
  rows.push_back({alike ? fmt::format("accuracy, all {}", a.accuracy.judged)
                        : fmt::format("accuracy, {} and {}", a.accuracy.judged, b.accuracy.judged),
                  shown(a.accuracy.share, Measure::share), shown(b.accuracy.share, Measure::share),
                  accuracy_verdict(contest, duel)});
  if (duel.matched > 0)
    rows.push_back({fmt::format("speedup, matched {}", duel.matched), shown(duel.first_speed, Measure::ratio),
                    shown(duel.second_speed, Measure::ratio), speed_verdict(duel)});
  if (a.ledger.calls + b.ledger.calls > 0) {
    rows.push_back({"tokens per success", cost_text(a.ledger), cost_text(b.ledger)});
    rows.push_back({"dollars per success", dollars_text(a.ledger), dollars_text(b.ledger)});
  }
  if (contest.weakest)
    rows.push_back({"weakest family: " + contest.weakest->family, pair_text(contest.weakest->passed_of[0]),
                    pair_text(contest.weakest->passed_of[1])});
  return aligned(rows);
}

std::string each(const Contest& contest) {
  const auto any = [&contest](auto has) {
    return std::any_of(contest.contestants.begin(), contest.contestants.end(), has);
  };
  const bool timed = any([](const Contestant& c) { return c.speedup.has_value(); });
  const bool paid = any([](const Contestant& c) { return c.ledger.calls > 0; });
  std::vector<Row> rows{{"", "chip", "accuracy", "of"}};
  if (timed) rows[0].emplace_back("speedup, passed");
  if (paid) rows[0].insert(rows[0].end(), {"tokens per success", "dollars per success", "best for its cost"});
  if (contest.weakest) rows[0].push_back("weakest family: " + contest.weakest->family);
  for (std::size_t i = 0; i < contest.contestants.size(); ++i) {
    const Contestant& c = contest.contestants[i];
    Row row{c.name, c.chip, shown(c.accuracy.share, Measure::share), std::to_string(c.accuracy.judged)};
    if (timed) row.push_back(c.speedup ? shown(*c.speedup, Measure::ratio) : "-");
    const bool best = std::count(contest.frontier.begin(), contest.frontier.end(), i) > 0;
    if (paid) row.insert(row.end(), {cost_text(c.ledger), dollars_text(c.ledger), best ? "yes" : "-"});
    if (contest.weakest) row.push_back(pair_text(contest.weakest->passed_of[i]));
    rows.push_back(row);
  }
  return aligned(rows);
}

// Row minus column, with the corrected chance of seeing as much where there is nothing.
template <typename Cell>
std::string matrix(const Contest& contest, const std::string& title, Cell cell) {
  std::vector<Row> rows{{title}};
  for (std::size_t j = 1; j < contest.contestants.size(); ++j) rows[0].push_back(contest.contestants[j].name);
  for (std::size_t i = 0; i + 1 < contest.contestants.size(); ++i) {
    Row row{contest.contestants[i].name};
    row.resize(i + 1);
    for (const Duel& duel : contest.duels)
      if (duel.first == i) row.push_back(cell(duel));
    rows.push_back(row);
  }
  return aligned(rows);
}

std::string ranks_text(const char* what, const std::vector<RankAgreement>& agreements) {
  std::string out;
  for (const RankAgreement& r : agreements)
    out += fmt::format("ranks of {} contestants on {} {} and {}: Spearman {:.2f}, Kendall {:.2f}, {}\n",
                       r.contestants, what, r.first, r.second, r.spearman, r.kendall, p_text(r.p));
  return out;
}

std::string many(const Contest& contest) {
  std::string out = each(contest) + '\n';
  out += matrix(contest, "accuracy, row - column", [](const Duel& duel) {
    if (duel.operators == 0) return std::string("-");
    return fmt::format("{}, {}", points(duel.difference.estimate), p_text(duel.p_corrected));
  });
  const auto matched = [](const Duel& duel) { return duel.matched > 0; };
  if (std::any_of(contest.duels.begin(), contest.duels.end(), matched))
    out += '\n' + matrix(contest, "speed, row / column", [](const Duel& duel) {
             if (!duel.speed_ratio) return std::string("-");
             return fmt::format("{:.2f}x of {}, {}", duel.speed_ratio->estimate, duel.matched,
                                p_text(duel.speed_p_corrected));
           });
  out += "p by McNemar or signed ranks, corrected for all pairs (Holm)\n";
  const std::string ranks = ranks_text("source", contest.by_source) + ranks_text("chip", contest.by_chip);
  return ranks.empty() ? out : out + '\n' + ranks;
}

}  // namespace

std::string contest_text(const Contest& contest) {
  return contest.contestants.size() == 2 ? two(contest) : many(contest);
}

}  // namespace kgb
