// SPDX-License-Identifier: Apache-2.0
// Keeps the oracle's answers while they are likely to be asked for again.
#include "judge/expectations.hpp"

#include <functional>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

std::string key_of(const Operator& op, const Call& call, const std::string& set) {
  // The workload's id does not change what is expected, but ids of one seed name the same call.
  return op.name + "/" + call.entry + "/" + call.workload + "/" + sha256_hex(to_json(call).dump()) + "/" +
         set;
}

}  // namespace

Expectations::Expectations(oracle::Oracle oracle, std::size_t capacity)
    : oracle_(std::move(oracle)), capacity_(capacity) {}

Result<Expectations::Shared> Expectations::values(const Operator& op, const Call& call, const ValueSet& set) {
  const std::string key = key_of(
      op, call, seed_text(set.seed) + "/" + std::to_string(set.trial) + "/" + std::to_string(set.number));
  return find_or_ask(key, [&] { return oracle_.expect(op, call, set.seed, set.trial, set.number); });
}

Result<Expectations::Shared> Expectations::contract(const Operator& op, const Call& call) {
  return find_or_ask(key_of(op, call, "contract"), [&] { return oracle_.contract(op, call); });
}

Result<Expectations::Shared> Expectations::find_or_ask(const std::string& key,
                                                       const std::function<Result<Expectation>()>& ask) {
  std::promise<Result<Shared>> promise;
  Asked theirs;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = kept_.find(key); found != kept_.end()) return found->second;
    const auto [asked, ours] = asked_.try_emplace(key, promise.get_future().share());
    if (!ours) theirs = asked->second;
  }
  if (theirs.valid()) return theirs.get();
  Result<Expectation> answer = ask();
  Result<Shared> shared = answer.ok()
                              ? Result<Shared>(std::make_shared<const Expectation>(std::move(*answer)))
                              : Result<Shared>(answer.error());
  {
    const std::lock_guard lock(mutex_);
    asked_.erase(key);
    if (shared.ok()) keep(key, *shared);
  }
  promise.set_value(shared);
  return shared;
}

void Expectations::keep(const std::string& key, Shared value) {
  if (!kept_.emplace(key, value).second) return;
  order_.push_back(key);
  used_ += value->blob ? value->blob->size() : 0;
  while (used_ > capacity_ && order_.size() > 1) {
    const auto oldest = kept_.find(order_.front());
    used_ -= oldest->second->blob ? oldest->second->blob->size() : 0;
    kept_.erase(oldest);
    order_.pop_front();
  }
}

}  // namespace kgb
