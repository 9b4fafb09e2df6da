// SPDX-License-Identifier: Apache-2.0
// Adds up a run's model calls, attempts and evaluations.
#include "report/ledger.hpp"

#include <cstdio>
#include <ctime>
#include <set>

namespace kgb {
namespace {

std::optional<double> over(double total, std::int64_t successes, bool known) {
  if (successes == 0 || !known) return std::nullopt;
  return total / static_cast<double>(successes);
}

// Seconds since 1970 of "2026-12-01T10:00:00Z", fractions dropped.
std::optional<double> seconds_of(const std::string& iso) {
  std::tm time{};
  if (std::sscanf(iso.c_str(), "%d-%d-%dT%d:%d:%d", &time.tm_year, &time.tm_mon, &time.tm_mday, &time.tm_hour,
                  &time.tm_min, &time.tm_sec) != 6)
    return std::nullopt;
  time.tm_year -= 1900;
  time.tm_mon -= 1;
  return static_cast<double>(::timegm(&time));
}

void add_call(Ledger& ledger, const ModelCall& call, bool success) {
  ++ledger.calls;
  ledger.replayed += call.replayed ? 1 : 0;
  ledger.unknown_usage += call.prompt && call.completion ? 0 : 1;
  ledger.unknown_price += call.dollars ? 0 : 1;
  ledger.prompt += call.prompt.value_or(0);
  ledger.completion += call.completion.value_or(0);
  ledger.cached += call.cached.value_or(0);
  ledger.reasoning += call.reasoning.value_or(0);
  ledger.dollars += call.dollars.value_or(0);
  if (success) {
    ledger.tokens_of_successes += call.prompt.value_or(0) + call.completion.value_or(0);
    ledger.dollars_of_successes += call.dollars.value_or(0);
  }
  ledger.model_s += call.seconds;
  ledger.waited_s += call.waited_s;
}

}  // namespace

std::optional<double> Ledger::tokens_per_success() const {
  return over(static_cast<double>(tokens()), successes, calls > unknown_usage);
}
std::optional<double> Ledger::own_tokens_per_success() const {
  return over(static_cast<double>(tokens_of_successes), successes, calls > unknown_usage);
}
std::optional<double> Ledger::dollars_per_success() const {
  return over(dollars, successes, calls > unknown_price);
}

Ledger ledger_of(const RunReport& report) {
  Ledger ledger;
  std::set<std::int64_t> successes, tried;
  for (const StoredEvaluation& stored : report.evaluations)
    if (stored.evaluation.verdict == Verdict::pass) successes.insert(stored.item.id);
  ledger.successes = static_cast<std::int64_t>(successes.size());
  for (const ModelCall& call : report.calls) add_call(ledger, call, successes.contains(call.item));
  for (const Attempt& attempt : report.attempts) {
    tried.insert(attempt.item);
    ledger.judge_s += attempt.judge_s;
    if (attempt.device_s) ledger.device_s = ledger.device_s.value_or(0) + *attempt.device_s;
  }
  // The evaluation of an item with attempts is that of one of them.
  for (const StoredEvaluation& stored : report.evaluations)
    if (!tried.contains(stored.item.id)) ledger.judge_s += total_ms(stored.evaluation) / 1e3;
  const std::optional<double> start = seconds_of(report.run.created), end = seconds_of(report.run.finished);
  if (start && end) ledger.wall_s = *end - *start;
  return ledger;
}

}  // namespace kgb
