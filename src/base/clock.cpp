// SPDX-License-Identifier: Apache-2.0
// Time behind an interface, so that tests can turn the clock by hand; deadlines on the steady clock.
#include "base/clock.hpp"

#include <algorithm>
#include <array>
#include <ctime>

namespace kgb {
namespace {

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Steady::time_point steady() const override { return Steady::now(); }
  [[nodiscard]] std::chrono::system_clock::time_point wall() const override {
    return std::chrono::system_clock::now();
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

void ManualClock::advance(std::chrono::nanoseconds step) {
  steady_ += std::chrono::duration_cast<Steady::duration>(step);
  wall_ += std::chrono::duration_cast<std::chrono::system_clock::duration>(step);
}

int Deadline::poll_ms(int cap) const {
  const auto left = std::chrono::ceil<Millis>(at_ - Steady::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, cap));
}

std::string iso_utc(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(
                                  std::chrono::floor<std::chrono::seconds>(time).time_since_epoch())
                                  .count();
  std::tm fields{};
  gmtime_r(&seconds, &fields);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &fields);
  return {text.data(), length};
}

double millis_since(Steady::time_point start) {
  return std::chrono::duration<double, std::milli>(Steady::now() - start).count();
}

}  // namespace kgb
