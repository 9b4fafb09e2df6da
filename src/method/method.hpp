// SPDX-License-Identifier: Apache-2.0
// How a candidate is found: what a method is given for one operator and sample, and what it gives back.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "llm/client.hpp"
#include "model/verdict.hpp"

namespace kgb::method {

// What the judge says of one proposal.
struct Feedback {
  Evaluation evaluation;  // whole; for the method's own use and the ledger, never for a contestant
  std::string text;       // what a contestant may read: of hidden workloads neither seed, shape nor value
  [[nodiscard]] bool passed() const { return evaluation.verdict == Verdict::pass; }
};

// Two sources that take turns on the device: the timings of the evaluation are ratios to `baseline`.
struct Race {
  std::string source, baseline;
  std::string note;    // what is tried, for the ledger
  bool whole = false;  // judged as a candidate is, on fresh values; else as far as a search needs
};

// One operator and sample. The functions are thread-safe and may block: `evaluate` until the judge has a free
// lane, `ask` while the provider's limit is reached. Each proposal and each call of the model is in the
// ledger when they return.
struct Task {
  const Catalogue& catalogue;
  const Operator& op;
  std::string chip;  // the card's name: "cpu", "h200"
  int sample = 0;
  std::uint64_t seed = 0;  // of the method's own choices; the judge's seeds are others
  std::filesystem::path
      workspace;                  // this item's folder; exists and is empty, or holds what a killed run left
  const std::atomic<bool>& stop;  // set: give up soon, keep what is there
  // `note` says what is tried, for the ledger. An Error is the host's.
  std::function<Result<Feedback>(const std::string& source, const std::string& note)> evaluate = {};
  // Empty where the contestant has no model.
  std::function<llm::Completion(const llm::ChatRequest& request)> ask = {};
  // For calls that the method does not make itself (an agent's, through the metering proxy): into the ledger.
  std::function<void(const llm::Completion& call)> record = {};
  // Which budget of the run or the item is spent, for people; empty: none.
  std::function<std::string()> spent = {};
  // One source timed against another, in turns; empty where the chip has no clock for them. An Error is the
  // host's.
  std::function<Result<Feedback>(const Race& race)> race = {};
};

struct Answer {
  enum class End {
    answered,  // `source` is the item's candidate
    no_code,   // the contestant gave nothing that could be judged: counted as a failure
    given_up,  // not the contestant's doing (server gone, stopped): the item stays open for --resume
    spent,     // a budget ended it before there was an answer: the item stays open, and the report says so
  };
  End end = End::no_code;
  std::string source;
  std::string why;     // for people, where there is no answer
  bool fatal = false;  // given_up, and no other item would fare better: the run stops
  bool alone = false;  // given_up, and it says nothing of other items: however many, the run goes on
};

// A method with its settings. Thread-safe: many tasks at a time.
class Method {
 public:
  virtual ~Method() = default;
  // An Error is the host's and ends the run.
  [[nodiscard]] virtual Result<Answer> solve(const Task& task) const = 0;
};

}  // namespace kgb::method
