// SPDX-License-Identifier: Apache-2.0
// Watches a device while something is timed on it, and its energy counter while something is replayed.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"
#include "device/monitor.hpp"
#include "model/conditions.hpp"

namespace kgb::device {

// Samples in a thread of its own: at once, every 50 ms, and at the end. `own` tells whether a process is of
// kgbench's; its own holds a context on the device all the while.
class Watch {
 public:
  using Own = std::function<bool(std::int64_t pid)>;
  Watch(const Monitor& monitor, Own own);
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  // Ends the watch: what was seen. Once.
  [[nodiscard]] Conditions end();

 private:
  void stop();
  void sample();
  void list_processes();
  void add_loads();

  const Monitor& monitor_;
  Own own_;
  std::uint64_t start_us_ = 0;
  Conditions seen_;
  std::vector<ForeignProcess> others_;
  bool own_seen_ = false;
  std::string no_list_;  // why there is no list of processes
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

// What an energy counter showed at a time.
struct EnergyPoll {
  double seconds = 0, mj = 0;
};
// The counter must have stepped at least so far apart for its steps to say anything.
inline constexpr double kLeastEnergySeconds = 0.1;
// Mean power in watts between the first step of the counter at `from_s` or later and the last one. An Error:
// they are less than kLeastEnergySeconds apart.
[[nodiscard]] Result<double> mean_power(std::span<const EnergyPoll> polls, double from_s);
// The same while `work` keeps the device equally busy; what happens in the first `settle_s` does not count.
[[nodiscard]] Result<double> mean_power_during(const Monitor& monitor, double settle_s,
                                               const std::function<void()>& work);

}  // namespace kgb::device
