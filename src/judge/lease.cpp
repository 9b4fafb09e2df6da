// SPDX-License-Identifier: Apache-2.0
// Phases: sharing, then alone one after the other, then sharing.
#include "judge/lease.hpp"

#include <algorithm>

namespace kgb {

Lease::Held Lease::share() {
  std::unique_lock lock(mutex_);
  ++want_to_share_;
  changed_.wait(lock, [&] { return !held_alone_ && in_a_row_ == 0 && (want_alone_ == 0 || let_in_ > 0); });
  --want_to_share_;
  let_in_ -= std::min<std::size_t>(let_in_, 1);
  ++sharing_;
  return {*this, false};
}

Lease::Held Lease::alone() {
  std::unique_lock lock(mutex_);
  ++want_alone_;
  changed_.wait(lock, [&] { return !held_alone_ && (in_a_row_ > 0 || (sharing_ == 0 && let_in_ == 0)); });
  if (in_a_row_ == 0) in_a_row_ = want_alone_;
  --want_alone_;
  --in_a_row_;
  held_alone_ = true;
  return {*this, true};
}

std::size_t Lease::waiting() const {
  const std::lock_guard lock(mutex_);
  return want_to_share_ + want_alone_;
}

void Lease::give_back(bool alone) {
  {
    const std::lock_guard lock(mutex_);
    if (alone) {
      held_alone_ = false;
      if (in_a_row_ == 0) let_in_ = want_to_share_;
    } else {
      --sharing_;
    }
  }
  changed_.notify_all();
}

}  // namespace kgb
