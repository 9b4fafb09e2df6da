// SPDX-License-Identifier: Apache-2.0
// The oracle's client: a pool of trusted Python processes that compute expected values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "catalogue/operator.hpp"
#include "model/compare.hpp"
#include "sandbox/worker.hpp"

namespace kgb::oracle {

// Thread-safe.
class Oracle {
 public:
  // `worker`: starts kgbench.oracle.worker.
  Oracle(sandbox::Starter worker, std::size_t processes);

  // Expected outputs of call `number` of `trial`. An Error is the oracle's or the catalogue's fault.
  [[nodiscard]] Result<Expectation> expect(const Operator& op, const Call& call, std::uint64_t seed,
                                           int trial, int number);
  // The same of inputs that are moved by one ulp of `precision` (model/moved.hpp).
  [[nodiscard]] Result<Expectation> moved(const Operator& op, const Call& call, std::uint64_t seed, int trial,
                                          int number, DType precision);
  // The same without values.
  [[nodiscard]] Result<Expectation> contract(const Operator& op, const Call& call);

 private:
  struct Question {
    const char* run;
    std::uint64_t seed;
    int trial, number;
    std::optional<DType> moved = std::nullopt;
  };
  [[nodiscard]] Result<Expectation> ask(const Operator& op, const Call& call, const Question& question);
  std::unique_ptr<sandbox::WorkerPool> pool_;
};

}  // namespace kgb::oracle
