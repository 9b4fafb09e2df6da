// SPDX-License-Identifier: Apache-2.0
// The lease of a device: shared by what may run beside others, held alone by what is timed.
//
// Whoever wants it alone waits until those that share it are done, and nobody new is let in meanwhile: there
// may be no end of them. That wait is the dear part, so all that want it alone by then have it one after the
// other. Then those that waited to share it are let in, before anybody has it alone again.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>

namespace kgb {

class Lease {
 public:
  // Gives it back at its end.
  class Held {
   public:
    Held() = default;
    Held(Held&& other) noexcept : of_(std::exchange(other.of_, nullptr)), alone_(other.alone_) {}
    Held& operator=(Held&&) = delete;
    ~Held() {
      if (of_ != nullptr) of_->give_back(alone_);
    }

   private:
    friend class Lease;
    Held(Lease& of, bool alone) : of_(&of), alone_(alone) {}
    Lease* of_ = nullptr;
    bool alone_ = false;
  };

  [[nodiscard]] Held share();
  [[nodiscard]] Held alone();
  // How many wait for it, either way.
  [[nodiscard]] std::size_t waiting() const;

 private:
  void give_back(bool alone);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t sharing_ = 0, want_to_share_ = 0, want_alone_ = 0;
  std::size_t in_a_row_ = 0;  // how many more have it alone before it is shared again
  std::size_t let_in_ = 0;    // of those that waited to share it, how many have not begun yet
  bool held_alone_ = false;
};

}  // namespace kgb
