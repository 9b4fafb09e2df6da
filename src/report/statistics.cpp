// SPDX-License-Identifier: Apache-2.0
// The figures of a run: accuracy, pass@k, speed, cost, failures.
#include "report/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "report/failures.hpp"
#include "report/ledger.hpp"
#include "report/outcomes.hpp"
#include "stats/bootstrap.hpp"
#include "stats/proportion.hpp"

namespace kgb {
namespace {

using Outcomes = std::vector<OperatorOutcome>;
using Figures = std::vector<Figure>;
constexpr std::array kFast{0.8, 1.0, 1.5, 2.0};  // the published thresholds, and 2
constexpr std::array<std::int64_t, 8> kSamples{1, 2, 3, 5, 10, 20, 50, 100};
constexpr std::size_t kWeakestShown = 3;

Figure figure(const char* section, std::string name, Measure unit, std::optional<double> value) {
  Figure f;
  f.section = section;
  f.name = std::move(name);
  f.unit = unit;
  f.value = value;
  return f;
}

void set_interval(Figure& f, const std::optional<Interval>& interval) {
  if (!interval) return;
  f.value = interval->estimate;
  f.low = interval->low;
  f.high = interval->high;
}

Figure accuracy_figure(const std::string& name, const Outcomes& outcomes) {
  const Accuracy accuracy = accuracy_of(outcomes);
  Figure f = figure("accuracy", name, Measure::share, std::nullopt);
  set_interval(f, accuracy.share);
  f.count = accuracy.passed;
  f.of = accuracy.judged;
  return f;
}

template <typename Key>
std::map<std::string, Outcomes> grouped(const Outcomes& outcomes, Key key) {
  std::map<std::string, Outcomes> groups;
  for (const OperatorOutcome& o : outcomes)
    if (const std::string name = key(o); !name.empty()) groups[name].push_back(o);
  return groups;
}

// What "all" leaves out: nobody's failures, and items that have not been judged.
std::string left_out_text(const RunReport& report) {
  const auto infra = std::count_if(
      report.evaluations.begin(), report.evaluations.end(),
      [](const StoredEvaluation& stored) { return stored.evaluation.verdict == Verdict::infra; });
  const std::int64_t open = report.items - static_cast<std::int64_t>(report.evaluations.size());
  std::string text;
  if (infra > 0) text = fmt::format("without {} that the judge or the host failed at", infra);
  if (open > 0) text += fmt::format("{}{} not judged", text.empty() ? "without " : " and ", open);
  return text;
}

// The weakest first, by the upper ends of their intervals: 9 of 19 is surely weaker than 1 of 3. Only they
// are shown in the terminal.
void add_families(Figures& figures, const Outcomes& outcomes) {
  Figures families;
  for (const auto& [family, members] : grouped(outcomes, [](const auto& o) { return o.family; }))
    families.push_back(accuracy_figure("family " + family, members));
  std::stable_sort(families.begin(), families.end(),
                   [](const Figure& a, const Figure& b) { return *a.high < *b.high; });
  for (std::size_t i = 0; i < families.size(); ++i) {
    families[i].detail = i >= kWeakestShown || families[i].count == families[i].of;
    figures.push_back(std::move(families[i]));
  }
}

void add_accuracy(Figures& figures, const RunReport& report, const Outcomes& outcomes) {
  if (outcomes.empty()) return;
  figures.push_back(accuracy_figure("all", outcomes));
  figures.back().note = left_out_text(report);
  Outcomes with_kernel;
  std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(with_kernel),
               [](const OperatorOutcome& o) { return !o.no_kernel; });
  if (!with_kernel.empty() && with_kernel.size() < outcomes.size())
    figures.push_back(accuracy_figure("with a kernel", with_kernel));
  for (const auto& [source, members] : grouped(outcomes, [](const auto& o) { return o.source; }))
    figures.push_back(accuracy_figure("source " + source, members));
  add_families(figures, outcomes);
}

void add_pass_at_k(Figures& figures, const Outcomes& outcomes) {
  std::size_t fewest = outcomes.empty() ? 0 : outcomes.front().samples.size();
  for (const OperatorOutcome& o : outcomes) fewest = std::min(fewest, o.samples.size());
  if (fewest < 2) return;
  std::set<std::int64_t> counts{static_cast<std::int64_t>(fewest)};
  for (const std::int64_t k : kSamples)
    if (k <= static_cast<std::int64_t>(fewest)) counts.insert(k);
  for (const std::int64_t k : counts) {
    std::vector<double> unbiased, any;
    for (const OperatorOutcome& o : outcomes) {
      unbiased.push_back(pass_at_k(static_cast<std::int64_t>(o.samples.size()), o.passed(), k));
      std::vector<bool> passed;
      for (const Outcome& sample : o.samples) passed.push_back(sample.passed);
      any.push_back(union_at_k(passed, k) ? 1 : 0);
    }
    Figure f = figure("pass@k", fmt::format("pass@{}", k), Measure::share, std::nullopt);
    set_interval(f, share_interval(unbiased));
    figures.push_back(f);
    f = figure("pass@k", fmt::format("union@{}", k), Measure::share, mean(any));
    f.note = "any of the first samples, as published; not comparable to pass@k of other counts of samples";
    f.detail = k != static_cast<std::int64_t>(fewest);
    figures.push_back(f);
  }
}

Figure geomean_figure(const std::string& name, const std::vector<double>& logarithms) {
  Figure f = figure("speed", name, Measure::ratio, std::exp(mean(logarithms)));
  set_interval(f, bootstrap_geomean(logarithms));
  f.count = static_cast<std::int64_t>(logarithms.size());
  return f;
}

// Mean over an operator's samples of `of`, where it is known.
template <typename Of>
std::optional<double> sample_mean(const OperatorOutcome& outcome, Of of) {
  std::vector<double> values;
  for (const Outcome& sample : outcome.samples)
    if (const std::optional<double> value = of(sample)) values.push_back(*value);
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

void add_speed(Figures& figures, const Outcomes& outcomes) {
  std::vector<double> passed, with_failures;
  std::int64_t untimed = 0;
  for (const OperatorOutcome& o : outcomes) {
    if (const auto logarithm = o.log_speedup())
      passed.push_back(*logarithm);
    else
      untimed += o.passed() > 0 ? 1 : 0;
    const auto kept = sample_mean(o, [](const Outcome& sample) -> std::optional<double> {
      if (!sample.passed) return 0.0;
      return sample.speedup ? std::optional(std::log(*sample.speedup)) : std::nullopt;
    });
    if (kept) with_failures.push_back(*kept);
  }
  if (passed.empty()) return;
  const std::string note =
      untimed > 0 ? fmt::format("without {} that passed and were not timed", untimed) : "";
  figures.push_back(geomean_figure("geometric mean, passed", passed));
  figures.back().note = note;
  figures.push_back(geomean_figure("geometric mean, failures as 1.0", with_failures));
  figures.back().note = note;
  for (const double p : kFast) {
    std::vector<double> shares;
    for (const OperatorOutcome& o : outcomes)
      shares.push_back(*sample_mean(o, [p](const Outcome& sample) -> std::optional<double> {
        return sample.speedup.value_or(0) > p ? 1.0 : 0.0;
      }));
    Figure f = figure("speed", fmt::format("fast_{:.1f}", p), Measure::share, std::nullopt);
    const bool one_each =
        std::all_of(shares.begin(), shares.end(), [](double s) { return s == 0 || s == 1; });
    const auto fast = std::llround(mean(shares) * static_cast<double>(shares.size()));
    set_interval(f,
                 one_each ? wilson(fast, static_cast<std::int64_t>(shares.size())) : share_interval(shares));
    f.of = static_cast<std::int64_t>(outcomes.size());
    if (one_each) f.count = fast;
    f.note = fmt::format("pass and faster than {:.1f}x, of all operators", p);
    figures.push_back(f);
  }
}

std::string unknown_text(std::int64_t unknown, std::int64_t calls, const char* what) {
  if (unknown == 0) return "";
  return unknown == calls ? fmt::format("no call told its {}", what)
                          : fmt::format("at least: {} of {} calls told no {}", unknown, calls, what);
}

void add_tokens(Figures& figures, const Ledger& ledger) {
  const std::string note = unknown_text(ledger.unknown_usage, ledger.calls, "tokens");
  const bool known = ledger.unknown_usage < ledger.calls;
  const auto add = [&](const char* name, std::optional<double> value, const std::string& why) {
    figures.push_back(figure("cost", name, Measure::tokens, value));
    figures.back().note = why;
  };
  const auto told = [known](std::int64_t tokens) {
    return known ? std::optional(static_cast<double>(tokens)) : std::nullopt;
  };
  const std::string per = ledger.successes == 0 ? "nothing passed" : note;
  add("tokens", told(ledger.tokens()), note);
  add("prompt tokens", told(ledger.prompt), note);
  add("cached of them", told(ledger.cached), note);
  add("completion tokens", told(ledger.completion), note);
  add("reasoning of them", told(ledger.reasoning), note);
  for (std::size_t i = figures.size() - 4; i < figures.size(); ++i) figures[i].detail = true;
  add("tokens per success (published)", ledger.tokens_per_success(), per);
  add("tokens per success, its own", ledger.own_tokens_per_success(), per);
}

void add_cost(Figures& figures, const Ledger& ledger) {
  if (ledger.calls > 0) {
    figures.push_back(figure("cost", "calls", Measure::count, static_cast<double>(ledger.calls)));
    if (ledger.replayed > 0) figures.back().note = fmt::format("{} of them replayed", ledger.replayed);
    add_tokens(figures, ledger);
    const std::string note = unknown_text(ledger.unknown_price, ledger.calls, "price");
    const bool known = ledger.unknown_price < ledger.calls;
    figures.push_back(
        figure("cost", "dollars", Measure::dollars, known ? std::optional(ledger.dollars) : std::nullopt));
    figures.back().note = note;
    figures.push_back(figure("cost", "dollars per success", Measure::dollars, ledger.dollars_per_success()));
    figures.back().note = ledger.successes == 0 ? "nothing passed" : note;
    figures.push_back(figure("cost", "time of the model", Measure::seconds, ledger.model_s));
    figures.push_back(figure("cost", "time waited for it", Measure::seconds, ledger.waited_s));
    figures.back().detail = true;
  }
  figures.push_back(figure("cost", "time of the judge", Measure::seconds, ledger.judge_s));
  figures.back().detail = ledger.calls == 0;
  if (ledger.device_s)
    figures.push_back(figure("cost", "time on the device", Measure::seconds, ledger.device_s));
  if (!ledger.wall_s) return;
  figures.push_back(figure("cost", "from start to end", Measure::seconds, ledger.wall_s));
  figures.back().detail = ledger.calls == 0;
}

void add_failures(Figures& figures, const RunReport& report) {
  std::map<FailureClass, std::int64_t> classes;
  std::int64_t all = 0;
  for (const StoredEvaluation& stored : report.evaluations)
    if (const auto failure = failure_of(stored)) {
      ++classes[*failure];
      ++all;
    }
  std::vector<std::pair<FailureClass, std::int64_t>> rows(classes.begin(), classes.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [failure, n] : rows) {
    Figure f = figure("failures", std::string(name_of(failure)), Measure::share,
                      static_cast<double>(n) / static_cast<double>(all));
    f.count = n;
    f.of = all;
    figures.push_back(f);
  }
}

}  // namespace

std::vector<Figure> statistics_of(const RunReport& report) {
  Figures figures;
  const Outcomes outcomes = outcomes_of(report);
  add_accuracy(figures, report, outcomes);
  add_pass_at_k(figures, outcomes);
  add_speed(figures, outcomes);
  add_cost(figures, ledger_of(report));
  add_failures(figures, report);
  return figures;
}

}  // namespace kgb
