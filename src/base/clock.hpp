// SPDX-License-Identifier: Apache-2.0
// Time behind an interface, so that tests can turn the clock by hand; deadlines on the steady clock.
#pragma once

#include <chrono>
#include <string>

namespace kgb {

using Steady = std::chrono::steady_clock;
using Millis = std::chrono::milliseconds;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Steady::time_point steady() const = 0;
  [[nodiscard]] virtual std::chrono::system_clock::time_point wall() const = 0;
};

[[nodiscard]] const Clock& system_clock();

// Stands still until a test moves it.
class ManualClock : public Clock {
 public:
  [[nodiscard]] Steady::time_point steady() const override { return steady_; }
  [[nodiscard]] std::chrono::system_clock::time_point wall() const override { return wall_; }
  void advance(std::chrono::nanoseconds step);

 private:
  Steady::time_point steady_{};
  std::chrono::system_clock::time_point wall_{};
};

// A moment on the steady clock after which waiting ends.
class Deadline {
 public:
  explicit Deadline(Millis from_now) : at_(Steady::now() + from_now) {}
  static Deadline never() { return Deadline(Steady::time_point::max()); }
  [[nodiscard]] bool passed() const { return Steady::now() >= at_; }
  // Milliseconds left, rounded up, at least 0 and at most `cap`: for poll().
  [[nodiscard]] int poll_ms(int cap = 60'000) const;

 private:
  explicit Deadline(Steady::time_point at) : at_(at) {}
  Steady::time_point at_;
};

// "2026-11-30T17:04:52Z", UTC with whole seconds.
[[nodiscard]] std::string iso_utc(std::chrono::system_clock::time_point time);
[[nodiscard]] double millis_since(Steady::time_point start);

}  // namespace kgb
