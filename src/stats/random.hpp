// SPDX-License-Identifier: Apache-2.0
// Random whole numbers for resampling: the same for the same seed, on every machine.
#pragma once

#include <cstdint>

#include "base/philox.hpp"

namespace kgb {

// A stream of draws from Philox4x32-10; unlike those of <random>, its bounded draws are defined.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : seed_(seed) {}
  // Uniform over 0 .. n-1, n > 0: the high half of a 32-bit word times n, redrawn where that would favour
  // some (Lemire 2019, Fast random integer generation in an interval).
  std::uint32_t below(std::uint32_t n) {
    const std::uint32_t favoured = (0U - n) % n;
    std::uint64_t product = std::uint64_t{word()} * n;
    while (static_cast<std::uint32_t>(product) < favoured) product = std::uint64_t{word()} * n;
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  std::uint32_t word() {
    if (at_ == 4) {
      block_ = philox4x32(counter_++, seed_);
      at_ = 0;
    }
    return block_[at_++];
  }
  std::uint64_t seed_, counter_ = 0;
  std::array<std::uint32_t, 4> block_{};
  unsigned at_ = 4;
};

}  // namespace kgb
