// SPDX-License-Identifier: Apache-2.0
// Random choices of hidden workloads: the same for the same seed, and unkind to kernels that assume nice
// shapes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/philox.hpp"

namespace kgb {

// How often the workloads that an entry has so far use each alternative, by "what/alternative".
using Uses = std::map<std::string, int>;

// One draw of one hidden template. Every choice is a function of (seed, operator, template, draw, attempt)
// and of what the entry's earlier draws used: an alternative that was used less comes first, so that luck
// decides on the order and not on what is left out.
class Draw {
 public:
  // `uses` must outlive the draw.
  Draw(std::uint64_t seed, std::string_view op, int hidden_template, int draw, int attempt, const Uses& uses);

  [[nodiscard]] std::uint32_t bits();
  [[nodiscard]] std::int64_t below(std::int64_t count);  // in [0, count)
  [[nodiscard]] double unit();                           // in [0, 1)
  // One of `count` alternatives of this place in the template.
  [[nodiscard]] std::int64_t alternative(std::int64_t count);
  // One of the names; `what` is shared by the templates of an operator.
  [[nodiscard]] std::size_t pick(const std::string& what, std::span<const std::string> names);
  // In [lo, hi]: favours the ends, primes, odd numbers and neighbours of powers of two.
  [[nodiscard]] std::int64_t size(std::int64_t lo, std::int64_t hi);
  // A shape of `rank_lo` to `rank_hi` dimensions and at most `max_numel` elements. Successive draws go
  // through the kinds: large, odd, prime, tiny, next to powers of two, with ones, empty, lowest rank. The
  // first that an entry has is of the highest rank.
  [[nodiscard]] std::vector<std::int64_t> dims(std::int64_t rank_lo, std::int64_t rank_hi,
                                               std::int64_t max_numel);
  [[nodiscard]] double real(double lo, double hi);
  // What was chosen, to be counted where the draw gives a workload.
  void count_into(Uses& uses) const;

 private:
  [[nodiscard]] PhiloxKey key_of(std::string_view purpose) const;
  [[nodiscard]] std::int64_t log_uniform(std::int64_t lo, std::int64_t hi);
  [[nodiscard]] std::int64_t prime_below(std::int64_t hi);
  [[nodiscard]] std::int64_t side(int kind, std::int64_t room);
  [[nodiscard]] std::int64_t rank(std::int64_t lo, std::int64_t hi, bool lowest);
  [[nodiscard]] int uses_of(const std::string& choice) const;
  // What is used least may be what `when` refuses: half of the attempts ask for nothing. In eights, since as
  // many kinds of shapes take turns.
  [[nodiscard]] bool by_chance() const { return attempt_ / 8 % 2 == 1; }

  std::uint64_t seed_;
  std::string_view op_;
  int template_;
  int draw_;
  int attempt_;
  const Uses& uses_;
  std::vector<std::string> chosen_;
  PhiloxKey key_{};
  std::uint64_t counter_ = 0;
  int axis_ = 0;    // alternatives asked for so far
  int shapes_ = 0;  // dims() calls so far
};

}  // namespace kgb
