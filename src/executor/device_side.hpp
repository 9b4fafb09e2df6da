// SPDX-License-Identifier: Apache-2.0
// A trial's launches on a device, and what the VM guarantees by construction and a device does not: that
// read-only inputs stay as they were.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "device/runtime.hpp"
#include "executor/arena.hpp"
#include "model/kernel_image.hpp"
#include "model/launch_plan.hpp"
#include "model/verdict.hpp"

namespace kgb::executor {

// The device of an executor; `lost` once a fault has taken the context: the process must end then.
struct DeviceState {
  explicit DeviceState(device::Runtime& at, bool apart = false) : runtime(at), memory(at, apart) {}
  device::Runtime& runtime;
  DeviceMemory memory;
  bool lost = false;
};

// A timed call that stands ready to be replayed.
struct Replays {
  // Takes n samples, in nanoseconds of device time.
  std::function<Result<std::vector<double>>(int n)> sample;
  // The call back to back for at least so long.
  std::function<Result<Sustained>(std::chrono::milliseconds)> sustain;
  // One replay, node by node.
  std::function<Result<std::vector<device::NodeTime>>()> trace;
};
// Called once the timed call stands; returns when no more replays are wanted.
using TimeSeries = std::function<Status(const Replays&)>;

class DeviceSide {
 public:
  // `images`: one for each kernel of the recording.
  DeviceSide(const Recording& recording, const std::vector<KernelImage>& images, DeviceState& state,
             Arena& arena);

  // Runs one launch to its end: the arena travels there and back.
  [[nodiscard]] std::optional<Finding> run(const Launch& launch, device::SteadyTime deadline);
  // The same for a function of the vendor's library.
  [[nodiscard]] std::optional<Finding> run(device::VendorCall& call, device::SteadyTime deadline);
  // Runs the nodes, then `vendor` if there is one, as one graph of the device and hands it to `series` as
  // often as it likes: docs/contracts/trial.md, "Timed calls". The arena then holds what one replay from the
  // call's start leaves.
  [[nodiscard]] std::optional<Finding> time(const std::vector<Node>& nodes, device::VendorCall* vendor,
                                            const TimeSeries& series, device::SteadyTime deadline);
  // What the arena's buffer holds from here on is what it must hold.
  void remember(int buffer);
  // Its memory is another's now.
  void forget(int buffer) { remembered_[static_cast<std::size_t>(buffer)].reset(); }
  // The first remembered buffer that changed.
  [[nodiscard]] std::optional<int> changed() const;

 private:
  [[nodiscard]] device::Argument argument_of(const KernelArg& arg, const std::string& type) const;
  [[nodiscard]] Finding to_finding(const device::Fault& fault, const Launch& launch);
  [[nodiscard]] std::optional<Finding> queue(const Launch& launch);

  const Recording& recording_;
  const std::vector<KernelImage>& images_;
  DeviceState& state_;
  Arena& arena_;
  std::vector<std::optional<std::vector<std::byte>>> remembered_;
};

}  // namespace kgb::executor
