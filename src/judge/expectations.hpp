// SPDX-License-Identifier: Apache-2.0
// What outputs must be: asked of the oracle, and kept while candidates of one batch share workload and seed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "base/result.hpp"
#include "catalogue/operator.hpp"
#include "model/compare.hpp"
#include "oracle/oracle.hpp"

namespace kgb {

struct ValueSet {
  std::uint64_t seed = 0;
  int trial = 0;
  int number = 0;  // call 0, 1, 2
};

// Thread-safe. Values are dropped, oldest first, when they exceed `capacity` bytes. What one lane asks for
// while another waits for the same is asked once: a batch of candidates of one operator starts on all lanes
// together.
class Expectations {
 public:
  Expectations(oracle::Oracle oracle, std::size_t capacity);

  // An Error is the oracle's own failure: never the candidate's. It is not kept.
  [[nodiscard]] Result<std::shared_ptr<const Expectation>> values(const Operator& op, const Call& call,
                                                                  const ValueSet& set);
  // Structure, dtypes, shapes and strides, without values.
  [[nodiscard]] Result<std::shared_ptr<const Expectation>> contract(const Operator& op, const Call& call);

 private:
  using Shared = std::shared_ptr<const Expectation>;
  using Asked = std::shared_future<Result<Shared>>;
  Result<Shared> find_or_ask(const std::string& key, const std::function<Result<Expectation>()>& ask);
  void keep(const std::string& key, Shared value);

  oracle::Oracle oracle_;
  std::size_t capacity_, used_ = 0;
  std::mutex mutex_;
  std::list<std::string> order_;  // oldest first
  std::unordered_map<std::string, Shared> kept_;
  std::unordered_map<std::string, Asked> asked_;  // on their way
};

}  // namespace kgb
