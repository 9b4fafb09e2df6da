// SPDX-License-Identifier: Apache-2.0
// The devices of a judge. Each is a station: executors and crews that see this device alone, its lease, its
// monitor and its peaks. A candidate takes a seat at one station and stays there to its end. Whether a device
// or the candidate is to blame for what failed is asked of the device by a probe; one that fails it is left
// out, and what was judged on it last is judged again at another station.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "device/runtime.hpp"
#include "judge/conditions.hpp"
#include "judge/crew.hpp"
#include "judge/judge.hpp"
#include "judge/lease.hpp"
#include "judge/peaks.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

class Station {
 public:
  struct Parts {
    DeviceChoice device;
    device::Description told;
    sandbox::Starter executor;
    std::function<Crew()> crew;
    std::function<Result<Peaks>()> peaks;
    // What is wrong with the device, empty: nothing. An Error: it could not be asked.
    std::function<Result<std::string>()> probe;
    int lanes = 1;
  };
  explicit Station(Parts parts);

  [[nodiscard]] const DeviceChoice& device() const { return parts_.device; }
  [[nodiscard]] const device::Description& told() const { return parts_.told; }
  // "device 1 (NVIDIA H200)"
  [[nodiscard]] std::string name() const;
  [[nodiscard]] sandbox::WorkerPool& executors() { return executors_; }
  [[nodiscard]] const DeviceMonitor& monitor();
  // The device's peaks, which the first call may have to measure, with the device alone. Where that fails,
  // nothing but `problem`.
  [[nodiscard]] const Peaks& peaks();

  // Held while something is done on the device beside others.
  [[nodiscard]] Lease::Held share() { return lease_.share(); }
  // Times on the device: `prepare` runs beside trials and other preparations, then `work` has the device
  // alone. An Error of either ends it.
  using Work = std::function<Status(Crew& crew)>;
  [[nodiscard]] Status time(const Work& prepare, const Work& work);

  // Whether the device is to be trusted with what failed on it at `failed`: probed, unless a probe that began
  // later has passed. False for good once it is not.
  [[nodiscard]] bool fit_after(Steady::time_point failed);
  [[nodiscard]] bool left_out() const { return left_out_; }
  [[nodiscard]] std::string why() const;  // it was left out

 private:
  Parts parts_;
  sandbox::WorkerPool executors_;
  CrewPool crews_;
  std::once_flag monitor_once_, peaks_once_;
  std::optional<DeviceMonitor> monitor_;
  Peaks peaks_;
  Lease lease_;  // shared: trials on the device, preparations; alone: timing
  mutable std::mutex probing_;
  std::optional<Steady::time_point> probed_;  // when the last probe that passed began
  std::string why_;
  std::atomic<bool> left_out_{false};
};

class Stations;

// A candidate's place at a station, until it is destroyed.
class Seat {
 public:
  Seat(Seat&& other) noexcept;
  Seat& operator=(Seat&&) = delete;
  ~Seat();
  [[nodiscard]] Station& station() const { return *station_; }
  // Something failed on the device, by whoever's fault.
  void blame() { blamed_ = Steady::now(); }
  // Whether nothing failed here, or the device is fit all the same.
  [[nodiscard]] bool trusted() const { return !blamed_ || station_->fit_after(*blamed_); }

 private:
  friend class Stations;
  Seat(Stations& all, Station& station) : all_(&all), station_(&station) {}
  Stations* all_;
  Station* station_;
  std::optional<Steady::time_point> blamed_;
};

class Stations {
 public:
  explicit Stations(std::vector<std::unique_ptr<Station>> stations);
  // At the station with the fewest candidates now, and of those with the fewest so far. An Error: every
  // device was left out.
  [[nodiscard]] Result<Seat> take();
  // Devices that were left out, a line each.
  [[nodiscard]] std::vector<std::string> left_out() const;

 private:
  friend class Seat;
  struct Load {
    std::size_t now = 0, ever = 0;
  };
  void give_back(const Station& station);
  std::vector<std::unique_ptr<Station>> stations_;
  std::vector<Load> loads_;  // of each station
  mutable std::mutex mutex_;
};

}  // namespace kgb
