// SPDX-License-Identifier: Apache-2.0
// Which program instances are ordered by atomics: a search backwards over what was acquired from whom.
#include "vm/sanitize_check.hpp"

#include <algorithm>

namespace kgb::vm {

void Ordering::clear(std::uint32_t first) {
  first_ = first;
  owners_.clear();
  log_.clear();
  acquired_.clear();
  asked_a_ = asked_b_ = 0;
}

std::uint32_t Ordering::segment(std::int64_t instance) {
  owners_.push_back(instance);
  return first_ + static_cast<std::uint32_t>(owners_.size()) - 1;
}

void Ordering::acquire(std::uint64_t address, std::uint32_t segment) {
  const auto found = log_.find(address);
  if (found == log_.end()) return;
  acquired_[owner(segment)].push_back({address, found->second.size(), segment});
}

bool Ordering::before(std::uint32_t a, std::uint32_t b) {
  const std::int64_t wanted = owner(a);
  if (wanted == owner(b)) return true;
  if (a == asked_a_ && b == asked_b_) return answer_;  // conflicts come in rows of granules
  asked_a_ = a;
  asked_b_ = b;
  answer_ = false;
  std::vector<std::uint32_t> open{b};
  std::unordered_map<std::uint64_t, std::size_t> seen;  // of each location's releases, how many
  while (!open.empty()) {
    const std::uint32_t here = open.back();
    open.pop_back();
    const auto acquired = acquired_.find(owner(here));
    if (acquired == acquired_.end()) continue;
    for (const Acquired& edge : acquired->second) {
      if (edge.segment > here) continue;
      std::size_t& done = seen[edge.address];
      const auto& releases = log_[edge.address];
      for (std::size_t i = edge.length; i > done; --i) {
        const std::uint32_t from = releases[i - 1];
        if (owner(from) == wanted && a <= from) return answer_ = true;
        open.push_back(from);
      }
      done = std::max(done, edge.length);
    }
  }
  return false;
}

}  // namespace kgb::vm
