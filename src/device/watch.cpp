// SPDX-License-Identifier: Apache-2.0
// The watching threads.
#include "device/watch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

namespace kgb::device {
namespace {

constexpr std::chrono::milliseconds kPeriod{50};
constexpr std::chrono::milliseconds kEnergyPeriod{1};

std::uint64_t now_us() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

void add_text(std::vector<std::string>& list, const std::string& text) {
  if (std::find(list.begin(), list.end(), text) == list.end()) list.push_back(text);
}

void add_sample(std::optional<Sampled>& into, const std::optional<double>& value) {
  if (!value) return;
  const bool start = !into.has_value();
  if (start) into.emplace();
  into->add(*value, start);
}

}  // namespace

Watch::Watch(const Monitor& monitor, Own own) : monitor_(monitor), own_(std::move(own)), start_us_(now_us()) {
  list_processes();
  sample();
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kPeriod, [this] { return stopping_; })) sample();
  });
}

Watch::~Watch() {
  stop();
}

void Watch::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Watch::sample() {
  std::vector<std::string> refused;
  const Reading reading = monitor_.read(refused);
  ++seen_.samples;
  add_sample(seen_.sm_mhz, reading.sm_mhz);
  add_sample(seen_.memory_mhz, reading.memory_mhz);
  add_sample(seen_.power_w, reading.power_w);
  add_sample(seen_.temperature_c, reading.temperature_c);
  if (reading.throttled) {
    if (!seen_.throttled) seen_.throttled.emplace();
    for (const std::string& reason : *reading.throttled) add_text(*seen_.throttled, reason);
  }
  for (const std::string& line : refused) add_text(seen_.unknown, line);
}

void Watch::list_processes() {
  const Result<std::vector<DeviceProcess>> found = monitor_.processes();
  if (!found.ok()) {
    no_list_ = found.error().message;
    return;
  }
  for (const DeviceProcess& process : *found) {
    if (own_(process.pid)) {
      own_seen_ = true;
      continue;
    }
    const auto same = std::find_if(others_.begin(), others_.end(),
                                   [&](const ForeignProcess& other) { return other.pid == process.pid; });
    if (same == others_.end()) others_.push_back({process.pid, process.memory_bytes, std::nullopt});
  }
}

void Watch::add_loads() {
  if (others_.empty()) return;
  const Result<std::vector<ProcessLoad>> loads = monitor_.loads(start_us_);
  if (!loads.ok()) {
    seen_.unknown.push_back(loads.error().message);
    return;
  }
  for (ForeignProcess& other : others_) {
    other.sm_percent = 0;
    for (const ProcessLoad& load : *loads)
      if (load.pid == other.pid) other.sm_percent = std::max(*other.sm_percent, load.sm_percent);
  }
}

Conditions Watch::end() {
  stop();
  sample();
  list_processes();
  if (!no_list_.empty()) {
    seen_.unknown.push_back(no_list_);
  } else if (!own_seen_) {
    // In a container NVML may give the host's process ids, or none: then nobody can be told apart.
    seen_.unknown.emplace_back(
        "other processes on the device: NVML does not list kgbench's own, so its list is not to be compared");
  } else {
    add_loads();
    seen_.foreign = std::move(others_);
  }
  return std::move(seen_);
}

Result<double> mean_power(std::span<const EnergyPoll> polls, double from_s) {
  const EnergyPoll *first = nullptr, *last = nullptr;
  for (std::size_t i = 1; i < polls.size(); ++i) {
    if (polls[i].mj <= polls[i - 1].mj || polls[i - 1].seconds < from_s) continue;
    if (first == nullptr) first = &polls[i];
    last = &polls[i];
  }
  const double apart = first == nullptr ? 0 : last->seconds - first->seconds;
  if (apart < kLeastEnergySeconds)
    return host_error("the energy counter is too coarse: its steps within the replay lie " +
                      std::to_string(static_cast<int>(1e3 * apart)) + " ms apart, at least " +
                      std::to_string(static_cast<int>(1e3 * kLeastEnergySeconds)) + " ms are needed");
  return 1e-3 * (last->mj - first->mj) / apart;
}

Result<double> mean_power_during(const Monitor& monitor, double settle_s, const std::function<void()>& work) {
  if (const Result<double> now = monitor.energy_mj(); !now.ok()) {
    return now.error();
  }
  std::atomic<bool> done = false;
  std::vector<EnergyPoll> polls;
  Status refused = ok_status();
  const auto start = std::chrono::steady_clock::now();
  std::thread poller([&] {
    while (!done) {
      const Result<double> mj = monitor.energy_mj();
      if (!mj.ok()) {
        refused = mj.error();
        return;
      }
      const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
      polls.push_back({passed.count(), *mj});
      std::this_thread::sleep_for(kEnergyPeriod);
    }
  });
  work();
  done = true;
  poller.join();
  if (!refused.ok()) return refused.error();
  return mean_power(polls, settle_s);
}

}  // namespace kgb::device
