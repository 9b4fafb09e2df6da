// SPDX-License-Identifier: Apache-2.0
// Tests between contestants over the operators that they share.
#include "report/contestants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "stats/bootstrap.hpp"
#include "stats/paired.hpp"
#include "stats/proportion.hpp"
#include "stats/ranks.hpp"

namespace kgb {
namespace {

constexpr std::int64_t kSmallestFamily = 3;
constexpr std::size_t kFewestRanked = 3;

// Ends of an interval that nothing can be said about.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

Interval geomean(const std::vector<double>& logarithms) {
  return bootstrap_geomean(logarithms).value_or(Interval{std::exp(mean(logarithms)), kNone, kNone});
}

Contestant contestant_of(const RunReport& run) {
  Contestant c;
  c.name = run.run.id;
  c.label = run.run.contestant + (run.run.model.empty() ? "" : " " + run.run.model);
  c.chip = run.run.chip;
  c.outcomes = outcomes_of(run);
  c.accuracy = accuracy_of(c.outcomes);
  c.ledger = ledger_of(run);
  std::vector<double> logarithms;
  for (const OperatorOutcome& o : c.outcomes)
    if (const auto logarithm = o.log_speedup()) logarithms.push_back(*logarithm);
  if (!logarithms.empty()) c.speedup = geomean(logarithms);
  return c;
}

struct Matched {
  std::vector<double> rates, first_speeds, second_speeds, log_ratios;
};

void judge_speed(Duel& duel, const Matched& matched) {
  duel.matched = static_cast<std::int64_t>(matched.log_ratios.size());
  if (matched.log_ratios.empty()) return;
  duel.first_speed = geomean(matched.first_speeds);
  duel.second_speed = geomean(matched.second_speeds);
  duel.speed_ratio = bootstrap_geomean(matched.log_ratios);
  duel.speed_p = signed_rank(matched.log_ratios);
}

Duel duel_of(const std::vector<Contestant>& contestants, std::size_t first, std::size_t second) {
  Duel duel;
  duel.first = first;
  duel.second = second;
  std::map<std::string, const OperatorOutcome*> others;
  for (const OperatorOutcome& o : contestants[second].outcomes) others[o.op] = &o;
  Matched matched;
  for (const OperatorOutcome& a : contestants[first].outcomes) {
    const auto found = others.find(a.op);
    if (found == others.end()) continue;
    const OperatorOutcome& b = *found->second;
    duel.one_sample = duel.one_sample && a.samples.size() == 1 && b.samples.size() == 1;
    const double difference = std::round(1e9 * (a.rate() - b.rate())) / 1e9;  // 0.6 - 0.4 ties with 0.4 - 0.2
    duel.only_first += difference > 0 ? 1 : 0;
    duel.only_second += difference < 0 ? 1 : 0;
    matched.rates.push_back(difference);
    const auto speed = a.log_speedup(), other = b.log_speedup();
    if (!speed || !other) continue;
    matched.first_speeds.push_back(*speed);
    matched.second_speeds.push_back(*other);
    matched.log_ratios.push_back(*speed - *other);
  }
  duel.operators = static_cast<std::int64_t>(matched.rates.size());
  if (duel.operators == 0) return duel;
  duel.difference = bootstrap_mean(matched.rates).value_or(Interval{mean(matched.rates), kNone, kNone});
  duel.p = duel.one_sample ? mcnemar_exact(duel.only_first, duel.only_second) : signed_rank(matched.rates);
  judge_speed(duel, matched);
  return duel;
}

// Only tests that were made count as a family; a duel without matched times makes none.
void correct(std::vector<Duel>& duels) {
  std::vector<double> accuracy, speed;
  for (const Duel& duel : duels) {
    if (duel.operators > 0) accuracy.push_back(duel.p);
    if (duel.matched > 0) speed.push_back(duel.speed_p);
  }
  accuracy = holm(accuracy);
  speed = holm(speed);
  std::size_t a = 0, s = 0;
  for (Duel& duel : duels) {
    if (duel.operators > 0) duel.p_corrected = accuracy[a++];
    if (duel.matched > 0) duel.speed_p_corrected = speed[s++];
  }
}

// group (source or chip): contestant: accuracy.
using Standing = std::map<std::string, std::map<std::string, double>>;

std::vector<RankAgreement> agreements(const Standing& standing) {
  std::vector<RankAgreement> all;
  for (auto first = standing.begin(); first != standing.end(); ++first)
    for (auto second = std::next(first); second != standing.end(); ++second) {
      std::vector<double> x, y;
      for (const auto& [name, accuracy] : first->second)
        if (const auto found = second->second.find(name); found != second->second.end()) {
          x.push_back(accuracy);
          y.push_back(found->second);
        }
      if (x.size() < kFewestRanked) continue;
      all.push_back(
          {first->first, second->first, x.size(), spearman(x, y), kendall_tau_b(x, y), spearman_p(x, y)});
    }
  return all;
}

Standing by_source(const std::vector<Contestant>& contestants) {
  Standing standing;
  for (const Contestant& c : contestants) {
    std::map<std::string, std::vector<double>> rates;
    for (const OperatorOutcome& o : c.outcomes) rates[o.source].push_back(o.rate());
    for (const auto& [source, values] : rates) standing[source][c.name] = mean(values);
  }
  return standing;
}

// A contestant's runs on several chips count as one contestant, over the operators that it has on all of
// them: a chip with easier operators must not look like an easier chip.
Standing by_chip(const std::vector<Contestant>& contestants) {
  std::map<std::string, std::vector<const Contestant*>> labels;
  for (const Contestant& c : contestants) labels[c.label].push_back(&c);
  Standing standing;
  for (const auto& [label, runs] : labels) {
    std::map<std::string, std::size_t> on;
    for (const Contestant* run : runs)
      for (const OperatorOutcome& o : run->outcomes) ++on[o.op];
    for (const Contestant* run : runs) {
      std::vector<double> rates;
      for (const OperatorOutcome& o : run->outcomes)
        if (on[o.op] == runs.size()) rates.push_back(o.rate());
      if (!rates.empty()) standing[run->chip][label] = mean(rates);
    }
  }
  return standing;
}

std::optional<WeakestFamily> weakest_of(const std::vector<Contestant>& contestants) {
  std::map<std::string, WeakestFamily> families;
  std::map<std::string, std::set<std::string>> operators;
  for (std::size_t i = 0; i < contestants.size(); ++i)
    for (const OperatorOutcome& o : contestants[i].outcomes) {
      if (o.family.empty()) continue;
      WeakestFamily& family = families[o.family];
      family.passed_of.resize(contestants.size());
      family.passed_of[i].first += o.passed();
      family.passed_of[i].second += static_cast<std::int64_t>(o.samples.size());
      operators[o.family].insert(o.op);
    }
  std::optional<WeakestFamily> weakest;
  double lowest = 2;
  for (auto& [name, family] : families) {
    std::int64_t passed = 0, judged = 0;
    for (const auto& [p, of] : family.passed_of) passed += p, judged += of;
    // The upper end: 9 of 19 is surely weaker than 1 of 3.
    const double surely_below = wilson(passed, judged).high;
    const bool small = static_cast<std::int64_t>(operators[name].size()) < kSmallestFamily;
    if (small || passed == judged || surely_below >= lowest) continue;
    lowest = surely_below;
    weakest = family;
    weakest->family = name;
  }
  return weakest;
}

std::vector<std::size_t> frontier_of(const std::vector<Contestant>& contestants) {
  std::vector<std::size_t> frontier;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const std::optional<double> cost = contestants[i].ledger.tokens_per_success();
    if (!cost) continue;
    const double quality = contestants[i].accuracy.share.estimate;
    const bool beaten = std::any_of(contestants.begin(), contestants.end(), [&](const Contestant& other) {
      const std::optional<double> its_cost = other.ledger.tokens_per_success();
      const double its_quality = other.accuracy.share.estimate;
      return its_cost && *its_cost <= *cost && its_quality >= quality &&
             (*its_cost < *cost || its_quality > quality);
    });
    if (!beaten) frontier.push_back(i);
  }
  return frontier;
}

// Folders of one name in different places would be told apart by nothing.
void tell_apart(std::vector<Contestant>& contestants) {
  std::map<std::string, int> names;
  for (Contestant& c : contestants)
    if (const int n = ++names[c.name]; n > 1) c.name += "#" + std::to_string(n);
}

}  // namespace

Contest contest_of(const std::vector<const RunReport*>& runs) {
  Contest contest;
  for (const RunReport* run : runs) contest.contestants.push_back(contestant_of(*run));
  tell_apart(contest.contestants);
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = i + 1; j < runs.size(); ++j)
      contest.duels.push_back(duel_of(contest.contestants, i, j));
  correct(contest.duels);
  contest.by_source = agreements(by_source(contest.contestants));
  contest.by_chip = agreements(by_chip(contest.contestants));
  contest.weakest = weakest_of(contest.contestants);
  contest.frontier = frontier_of(contest.contestants);
  return contest;
}

}  // namespace kgb
