// SPDX-License-Identifier: Apache-2.0
// Contestants beside each other as JSON.
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/contestants.hpp"

namespace kgb {
namespace {

using nlohmann::json;

json number(double value) {
  return std::isfinite(value) ? json(value) : json();
}

json number(const std::optional<double>& value) {
  return value ? number(*value) : json();
}

json interval(const std::optional<Interval>& i) {
  if (!i) return nullptr;
  return {{"value", number(i->estimate)}, {"low", number(i->low)}, {"high", number(i->high)}};
}

json contestant_json(const Contestant& c) {
  const Ledger& l = c.ledger;
  return {{"name", c.name},
          {"contestant", c.label},
          {"chip", c.chip},
          {"passed", c.accuracy.passed},
          {"judged", c.accuracy.judged},
          {"accuracy", interval(c.accuracy.share)},
          {"speedup", interval(c.speedup)},
          {"calls", l.calls},
          {"calls_without_usage", l.unknown_usage},
          {"calls_without_price", l.unknown_price},
          {"tokens", l.calls > l.unknown_usage ? json(l.tokens()) : json()},
          {"tokens_per_success", number(l.tokens_per_success())},
          {"own_tokens_per_success", number(l.own_tokens_per_success())},
          {"dollars_per_success", number(l.dollars_per_success())}};
}

json duel_json(const Contest& contest, const Duel& d) {
  return {{"first", contest.contestants[d.first].name},
          {"second", contest.contestants[d.second].name},
          {"operators", d.operators},
          {"only_first", d.only_first},
          {"only_second", d.only_second},
          {"difference", d.operators > 0 ? interval(d.difference) : json()},
          {"test", d.one_sample ? "mcnemar" : "signed_rank"},
          {"p", d.p},
          {"p_holm", d.p_corrected},
          {"matched", d.matched},
          {"first_speedup", d.matched > 0 ? interval(d.first_speed) : json()},
          {"second_speedup", d.matched > 0 ? interval(d.second_speed) : json()},
          {"speed_ratio", interval(d.speed_ratio)},
          {"speed_p", d.speed_p},
          {"speed_p_holm", d.speed_p_corrected}};
}

json ranks_json(const std::vector<RankAgreement>& agreements) {
  json all = json::array();
  for (const RankAgreement& r : agreements)
    all.push_back({{"first", r.first},
                   {"second", r.second},
                   {"contestants", r.contestants},
                   {"spearman", number(r.spearman)},
                   {"kendall", number(r.kendall)},
                   {"p", number(r.p)}});
  return all;
}

}  // namespace

json contest_json(const Contest& contest) {
  json contestants = json::array(), duels = json::array(), frontier = json::array(), weakest;
  for (const Contestant& c : contest.contestants) contestants.push_back(contestant_json(c));
  for (const Duel& d : contest.duels) duels.push_back(duel_json(contest, d));
  for (const std::size_t i : contest.frontier) frontier.push_back(contest.contestants[i].name);
  if (contest.weakest) {
    weakest = {{"family", contest.weakest->family}, {"passed_of", json::array()}};
    for (const auto& [passed, of] : contest.weakest->passed_of)
      weakest["passed_of"].push_back({{"passed", passed}, {"of", of}});
  }
  return {{"contestants", contestants},
          {"pairs", duels},
          {"ranks_by_source", ranks_json(contest.by_source)},
          {"ranks_by_chip", ranks_json(contest.by_chip)},
          {"weakest_family", weakest},
          {"best_for_their_cost", frontier}};
}

}  // namespace kgb
