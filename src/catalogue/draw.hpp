// SPDX-License-Identifier: Apache-2.0
// Random choices of hidden workloads: the same for the same seed, and unkind to kernels that assume nice
// shapes.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/philox.hpp"

namespace kgb {

// One draw of one hidden template. Every choice is a function of (seed, operator, template, draw, attempt).
class Draw {
 public:
  Draw(std::uint64_t seed, std::string_view op, int hidden_template, int draw, int attempt);

  [[nodiscard]] std::uint32_t bits();
  [[nodiscard]] std::int64_t below(std::int64_t count);  // in [0, count)
  [[nodiscard]] double unit();                           // in [0, 1)
  // One of `count` alternatives; successive draws of a template go through all of them.
  [[nodiscard]] std::int64_t alternative(std::int64_t count);
  // In [lo, hi]: favours the ends, primes, odd numbers and neighbours of powers of two.
  [[nodiscard]] std::int64_t size(std::int64_t lo, std::int64_t hi);
  // A shape of `rank_lo` to `rank_hi` dimensions and at most `max_numel` elements. Successive draws go
  // through the kinds: large, odd, prime, tiny, next to powers of two, with ones, empty, lowest rank.
  [[nodiscard]] std::vector<std::int64_t> dims(std::int64_t rank_lo, std::int64_t rank_hi,
                                               std::int64_t max_numel);
  [[nodiscard]] double real(double lo, double hi);

 private:
  [[nodiscard]] PhiloxKey key_of(std::string_view purpose) const;
  [[nodiscard]] std::int64_t log_uniform(std::int64_t lo, std::int64_t hi);
  [[nodiscard]] std::int64_t prime_below(std::int64_t hi);
  [[nodiscard]] std::int64_t side(int kind, std::int64_t room);

  std::uint64_t seed_;
  std::string_view op_;
  int template_;
  int draw_;
  int attempt_;
  PhiloxKey key_{};
  std::uint64_t counter_ = 0;
  int axis_ = 0;    // alternatives asked for so far
  int shapes_ = 0;  // dims() calls so far
};

}  // namespace kgb
