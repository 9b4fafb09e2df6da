// SPDX-License-Identifier: Apache-2.0
// Seats at devices, the lease of each, and the probe that decides whether one stays.
#include "judge/station.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/text.hpp"

namespace kgb {
namespace {

constexpr int kContexts = 4;  // executors that share a device; each holds some hundreds of megabytes of it
constexpr int kCrews = 4;     // they prepare beside each other, and then measure one after the other
constexpr int kProbes = 2;    // all of which must fail: what happens once may be another process's doing

std::size_t at_most(int lanes, int most) {
  return static_cast<std::size_t>(std::clamp(lanes, 1, most));
}

}  // namespace

Station::Station(Parts parts)
    : parts_(std::move(parts)),
      executors_(parts_.executor, at_most(parts_.lanes, kContexts)),
      crews_(parts_.crew, at_most(parts_.lanes, kCrews)) {}

std::string Station::name() const {
  return "device " + std::to_string(parts_.device.index) + " (" + parts_.told.name + ")";
}

const DeviceMonitor& Station::monitor() {
  std::call_once(monitor_once_, [this] { monitor_.emplace(parts_.device); });
  return *monitor_;
}

const Peaks& Station::peaks() {
  std::call_once(peaks_once_, [this] {
    const Lease::Held alone = lease_.alone();
    if (Result<Peaks> found = parts_.peaks(); found.ok())
      peaks_ = std::move(*found);
    else
      peaks_.problem = found.error().message;
  });
  return peaks_;
}

Status Station::time(const Work& prepare, const Work& work) {
  Status done = ok_status();
  crews_.with([&](Crew& crew) {
    {
      const Lease::Held shared = share();
      done = prepare(crew);
    }
    if (done.ok()) {
      const Lease::Held alone = lease_.alone();
      done = work(crew);
    }
    if (!done.ok()) crew.stop();
  });
  return done;
}

bool Station::fit_after(Steady::time_point failed) {
  const std::lock_guard one(probing_);
  if (left_out_) return false;
  if (probed_ && *probed_ > failed) return true;
  const Lease::Held shared = share();
  for (int attempt = 0; attempt < kProbes; ++attempt) {
    const Steady::time_point began = Steady::now();
    const Result<std::string> wrong = parts_.probe();
    if (!wrong.ok()) return true;  // nobody asked the device, so nothing speaks against it
    if (wrong->empty()) {
      probed_ = began;
      return true;
    }
    why_ = *wrong;
  }
  left_out_ = true;
  return false;
}

std::string Station::why() const {
  const std::lock_guard one(probing_);
  return why_;
}

Seat::Seat(Seat&& other) noexcept
    : all_(std::exchange(other.all_, nullptr)), station_(other.station_), blamed_(other.blamed_) {}

Seat::~Seat() {
  if (all_ != nullptr) all_->give_back(*station_);
}

Stations::Stations(std::vector<std::unique_ptr<Station>> stations)
    : stations_(std::move(stations)), loads_(stations_.size()) {}

Result<Seat> Stations::take() {
  {
    const std::lock_guard lock(mutex_);
    std::size_t best = stations_.size();
    const auto rank = [&](std::size_t i) { return std::tuple(loads_[i].now, loads_[i].ever, i); };
    for (std::size_t i = 0; i < stations_.size(); ++i)
      if (!stations_[i]->left_out() && (best == stations_.size() || rank(i) < rank(best))) best = i;
    if (best < stations_.size()) {
      ++loads_[best].now;
      ++loads_[best].ever;
      return Seat(*this, *stations_[best]);
    }
  }
  return host_error("no device is left: " + join(left_out(), "; ") +
                    ". Mend it (nvidia-smi tells its state), or judge on others with --devices");
}

std::vector<std::string> Stations::left_out() const {
  std::vector<std::string> lines;
  for (const auto& station : stations_)
    if (station->left_out()) lines.push_back(station->name() + " was left out: " + station->why());
  return lines;
}

void Stations::give_back(const Station& station) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < stations_.size(); ++i)
    if (stations_[i].get() == &station) --loads_[i].now;
}

}  // namespace kgb
