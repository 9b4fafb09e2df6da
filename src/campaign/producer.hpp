// SPDX-License-Identifier: Apache-2.0
// Finds the candidate of an item by a method, with everything on the way kept in the ledger.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "campaign/budget.hpp"
#include "judge/judge.hpp"
#include "llm/client.hpp"
#include "llm/prices.hpp"
#include "method/method.hpp"
#include "store/store.hpp"

namespace kgb {

struct ProducerSetup {
  std::shared_ptr<const method::Method> method;
  std::shared_ptr<llm::Client> model;  // null: the method asks none
  std::vector<llm::Price> prices;
  BudgetLimits run_budget, item_budget;
  std::filesystem::path workspaces;  // a folder for each item is made beneath
  int makers = 1;                    // items worked on at a time
  bool generate_only = false;        // candidates are written and not judged
};

// Judges a source text under a seed of its own, so that what a method learns on its way is not what its
// answer is judged by.
using Rehearsal =
    std::function<Result<Evaluation>(const RunItem& item, const std::string& source, std::uint64_t seed)>;

// How one operator's sources are raced on the device of the run (campaign/tuning.hpp).
using Races =
    std::function<std::function<Result<method::Feedback>(const method::Race& race)>(const Operator& op)>;

class Producer {
 public:
  // What an earlier invocation of the run used up counts, and its rounds go on where they ended.
  static Result<std::unique_ptr<Producer>> make(ProducerSetup setup, Store& store, const RunInfo& run,
                                                const Catalogue& catalogue, Rehearsal rehearse, Races races);
  // An Error is the host's. Thread-safe.
  [[nodiscard]] Result<method::Answer> produce(const RunItem& item, const std::atomic<bool>& stop);
  [[nodiscard]] const ProducerSetup& setup() const { return setup_; }

 private:
  struct Round;  // of one item
  Producer(ProducerSetup setup, Store& store, const RunInfo& run, const Catalogue& catalogue,
           Rehearsal rehearse, Races races);
  llm::Completion ask(const RunItem& item, Round& round, const llm::ChatRequest& request,
                      const std::atomic<bool>& stop);
  void keep_call(const RunItem& item, Round& round, const llm::Completion& call, std::int64_t estimate);
  Result<method::Feedback> evaluate(const RunItem& item, Round& round, const std::string& source,
                                    const std::string& note);
  Status keep_attempt(const RunItem& item, int number, const std::string& source, const std::string& note,
                      const Evaluation& evaluation);

  ProducerSetup setup_;
  Store& store_;
  RunInfo run_;
  const Catalogue& catalogue_;
  Rehearsal rehearse_;
  Races races_;
  Budget budget_;
  std::map<std::int64_t, int> next_round_;
};

}  // namespace kgb
