// SPDX-License-Identifier: Apache-2.0
// A copy and a read, each as a graph of its own.
#include "device/bandwidth.hpp"

#include <algorithm>
#include <functional>

namespace kgb::device {
namespace {

constexpr std::int64_t kTimesL2 = 16, kLeastBytes = 1 << 20, kPartOfMemory = 8;
constexpr int kWarmUps = 3, kSamples = 20;

// Bytes per second of what `queue` queues, which moves so many.
Result<double> rate_of(Runtime& runtime, double bytes, const std::function<Status()>& queue) {
  KGB_CHECK(runtime.begin_graph());
  const Status queued = queue();
  KGB_CHECK(runtime.end_graph());
  if (!queued.ok()) return queued.error();
  KGB_TRY([[maybe_unused]] const std::vector<double> warm, runtime.time(kWarmUps, {}));
  KGB_TRY(const std::vector<double> ns, runtime.time(kSamples, {}));
  const double best = *std::min_element(ns.begin(), ns.end());
  if (best <= 0) return host_error("moving memory took no time on the device's clock");
  return bytes / (1e-9 * best);
}

}  // namespace

Result<Bandwidth> measure_bandwidth(Runtime& runtime) {
  const Description& device = runtime.description();
  const std::int64_t wanted = std::max(kTimesL2 * device.l2_bytes, kLeastBytes);
  const auto bytes =
      static_cast<std::size_t>(std::max(kLeastBytes, std::min(wanted, device.memory_bytes / kPartOfMemory)));
  KGB_TRY(const Address from, runtime.allocate(bytes));
  const Result<Address> to = runtime.allocate(bytes);
  const auto measure = [&]() -> Result<Bandwidth> {
    if (!to.ok()) return to.error();
    KGB_CHECK(runtime.fill(from, std::byte{1}, bytes));
    Bandwidth made;
    const auto moved = static_cast<double>(bytes);
    KGB_TRY(made.copy, rate_of(runtime, 2 * moved, [&] { return runtime.queue_copy(*to, from, bytes); }));
    KGB_TRY(made.read, rate_of(runtime, moved, [&] { return runtime.queue_read(from, bytes); }));
    return made;
  };
  Result<Bandwidth> made = measure();
  if (to.ok()) runtime.release(*to);
  runtime.release(from);
  return made;
}

}  // namespace kgb::device
