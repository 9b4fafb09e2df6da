// SPDX-License-Identifier: Apache-2.0
// Counts what an account spends and says when it is over.
#include "llm/proxy_account.hpp"

#include <algorithm>
#include <cstdio>

namespace kgb::llm {
namespace {

void add(Usage& sum, const Usage& usage) {
  sum.prompt += usage.prompt;
  sum.cached += usage.cached;
  sum.cache_write += usage.cache_write;
  sum.completion += usage.completion;
  sum.reasoning += usage.reasoning;
}

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

Account::Account(std::string token, AccountSettings settings, const Clock& clock)
    : token_(std::move(token)), settings_(std::move(settings)), clock_(clock), opened_(clock.steady()) {}

Spent Account::spent() const {
  const std::lock_guard hold(mutex_);
  Spent spent = spent_;
  spent.usage.known = spent.unknown == 0;
  return spent;
}

bool Account::late() const {
  const double limit = settings_.budget.seconds;
  return limit > 0 && std::chrono::duration<double>(clock_.steady() - opened_).count() >= limit;
}

std::string Account::ended_locked() const {
  const Budget& budget = settings_.budget;
  if (budget.tokens > 0 && counted_ >= budget.tokens)
    return "the budget of " + std::to_string(budget.tokens) + " tokens is spent";
  if (budget.dollars > 0 && spent_.dollars >= budget.dollars)
    return "the budget of " + number("%.2f", budget.dollars) + " dollars is spent";
  if (late()) return "the time of " + number("%g", budget.seconds) + " seconds is over";
  return {};
}

std::string Account::ended() const {
  const std::lock_guard hold(mutex_);
  return ended_locked();
}

Account::Pass Account::enter(std::atomic<bool>& stop) {
  const std::string other = settings_.spent ? settings_.spent() : std::string();
  const std::lock_guard hold(mutex_);
  Pass pass;
  std::string why = closed_ ? "this account is closed" : ended_locked();
  if (why.empty()) why = other;
  if (!why.empty()) {
    ++spent_.refused;
    pass.refusal = Refusal{402, why};
    return pass;
  }
  under_way_.insert(&stop);
  pass.most_tokens = settings_.max_tokens;
  if (const std::int64_t budget = settings_.budget.tokens; budget > 0) {
    const std::int64_t left = budget - counted_;
    pass.most_tokens = pass.most_tokens > 0 ? std::min(pass.most_tokens, left) : left;
  }
  return pass;
}

void Account::leave(std::atomic<bool>& stop) {
  {
    const std::lock_guard hold(mutex_);
    under_way_.erase(&stop);
  }
  left_.notify_all();
}

void Account::refuse() {
  const std::lock_guard hold(mutex_);
  ++spent_.refused;
}

void Account::report(const ProxiedCall& call) {
  const Usage& usage = call.completion.reply.usage;
  std::optional<double> dollars;
  if (usage.known && settings_.price) dollars = settings_.price(call.completion.reply.model, usage);
  {
    const std::lock_guard hold(mutex_);
    ++spent_.calls;
    if (call.completion.end == CallEnd::partial) ++spent_.partial;
    if (usage.known) {
      add(spent_.usage, usage);
      counted_ += usage.prompt + usage.completion;
    } else {
      // A server that answers with an error generates nothing.
      if (call.completion.end != CallEnd::failed) ++spent_.unknown;
      counted_ += call.deltas;
    }
    if (dollars) spent_.dollars += *dollars;
    if (!dollars && call.completion.end != CallEnd::failed) spent_.priced = false;
  }
  if (settings_.on_call) settings_.on_call(call);
}

AccountSettings::Answer Account::serve(std::string_view name, const std::string& body) const {
  if (settings_.service) return settings_.service(name, body);
  return {404, refusal_body(std::nullopt, {404, "there is nothing of that name here"}), "application/json"};
}

void Account::close() {
  std::unique_lock hold(mutex_);
  closed_ = true;
  for (std::atomic<bool>* stop : under_way_) *stop = true;
  left_.wait(hold, [&] { return under_way_.empty(); });
}

}  // namespace kgb::llm
