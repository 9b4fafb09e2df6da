// SPDX-License-Identifier: Apache-2.0
// The facts of an evaluation that no contestant may see, and whether a text holds one.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/verdict.hpp"

namespace kgb {

// Text that the candidate's own process wrote may repeat what the process saw. This is the second line of
// defence: who may be quoted at all is decided by the workload that a text belongs to. It finds what an
// honest candidate prints (shapes, in any of the usual forms, and the seed), not what a hostile one encodes;
// that one learns nothing of use as long as every evaluation draws a seed of its own.
class Secrets {
 public:
  explicit Secrets(const Evaluation& evaluation);
  [[nodiscard]] bool in(std::string_view text) const;

 private:
  using Numbers = std::vector<std::int64_t>;
  std::vector<std::string> words_;  // seed, hashes, descriptions, places
  std::set<Numbers> shapes_;        // of hidden workloads and of no public one
};

}  // namespace kgb
