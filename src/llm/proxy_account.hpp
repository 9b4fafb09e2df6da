// SPDX-License-Identifier: Apache-2.0
// Accounts of the metering proxy: who may call, how much, and what was spent.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "llm/client.hpp"
#include "llm/proxy_request.hpp"

namespace kgb::llm {

struct Budget {             // 0: without limit
  std::int64_t tokens = 0;  // prompt and completion, of all calls
  double dollars = 0;
  double seconds = 0;  // from the account's opening; calls under way are cut then
};

// One call of a model that went through the proxy.
struct ProxiedCall {
  Wire wire = Wire::openai_chat;
  Completion completion;    // `partial`: the agent went, a budget ended, or the server broke off
  std::int64_t deltas = 0;  // pieces of text that came
};

struct AccountSettings {
  Budget budget;
  std::int64_t max_tokens = 0;  // of one reply; 0: no cap
  // What a call costs; empty, or nullopt: unknown, and a budget of dollars does not see it.
  std::function<std::optional<double>(const std::string& model, const Usage&)> price;
  // Another reason to refuse calls, for people; empty: none. Asked before each call.
  std::function<std::string()> spent;
  // For the ledger: told once of each call that was sent on, on a thread of the proxy's.
  std::function<void(const ProxiedCall&)> on_call;
  // POST <path>/kgbench/<name>: what else the account's holder may ask for.
  struct Answer {
    int status = 200;
    std::string body, type = "application/json";
  };
  std::function<Answer(std::string_view name, const std::string& body)> service;
};

struct Spent {
  std::int64_t calls = 0;    // sent on to the model server
  std::int64_t partial = 0;  // of them
  std::int64_t unknown = 0;  // of them: the server told no usage
  std::int64_t refused = 0;  // not sent on
  Usage usage;               // summed over the calls that have one; known: all have
  double dollars = 0;
  bool priced = true;  // `dollars` covers every call
};

// Thread-safe.
class Account {
 public:
  Account(std::string token, AccountSettings settings, const Clock& clock = system_clock());

  [[nodiscard]] const std::string& token() const {
    return token_;
  }  // as good as a key while the account lives
  [[nodiscard]] std::string path() const { return "/t/" + token_; }
  [[nodiscard]] Spent spent() const;
  // Which budget is used up, for people; empty: none is.
  [[nodiscard]] std::string ended() const;
  // Cuts the calls under way, refuses others, and returns when the last was reported.
  void close();

  // -- for the proxy ------------------------------------------------------------------------------------
  // One call from its admission to its report.
  struct Pass {
    std::optional<Refusal> refusal;
    std::int64_t most_tokens = 0;  // of the reply; 0: no cap
  };
  // `stop` is set when the call is to be cut; it must stay until leave().
  [[nodiscard]] Pass enter(std::atomic<bool>& stop);
  void leave(std::atomic<bool>& stop);
  void refuse();  // a call that was admitted is refused after all
  void report(const ProxiedCall& call);
  [[nodiscard]] bool late() const;  // the account's time is over
  [[nodiscard]] AccountSettings::Answer serve(std::string_view name, const std::string& body) const;

 private:
  [[nodiscard]] std::string ended_locked() const;

  const std::string token_;
  const AccountSettings settings_;
  const Clock& clock_;
  const Steady::time_point opened_;
  mutable std::mutex mutex_;
  std::condition_variable left_;
  std::set<std::atomic<bool>*> under_way_;
  std::int64_t counted_ = 0;  // tokens that the budget sees: deltas where the server told none
  Spent spent_;
  bool closed_ = false;
};

}  // namespace kgb::llm
