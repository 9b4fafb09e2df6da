// SPDX-License-Identifier: Apache-2.0
// Arguments as the device reads them, launches, and the watch over inputs.
#include "executor/device_side.hpp"

#include <algorithm>
#include <cstring>

#include "executor/cast.hpp"
#include "executor/machine.hpp"
#include "fmt/format.h"

namespace kgb::executor {
namespace {

// Triton's words for scalar floats; everything else travels as an integer.
std::optional<DType> float_named(const std::string& type) {
  if (type == "fp16") return DType::f16;
  if (type == "bf16") return DType::bf16;
  if (type == "fp32" || type == "f32") return DType::f32;
  if (type == "fp64") return DType::f64;
  return std::nullopt;
}

}  // namespace

DeviceSide::DeviceSide(const Recording& recording, const std::vector<KernelImage>& images, DeviceState& state,
                       Arena& arena)
    : recording_(recording),
      images_(images),
      state_(state),
      arena_(arena),
      remembered_(recording.buffers.size()) {}

device::Argument DeviceSide::argument_of(const KernelArg& arg, const std::string& type) const {
  device::Argument out;
  const auto put = [&out](const auto& value) { std::memcpy(out.bytes.data(), &value, sizeof value); };
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&arg.value)) {
    std::memcpy(out.bytes.data(), list->data(), std::min(out.bytes.size(), 8 * list->size()));
    out.size = out.bytes.size();
    return out;
  }
  if (const auto* ref = std::get_if<BufferRef>(&arg.value)) {
    put(arena_.address(*ref));
  } else if (const auto as = float_named(type)) {
    const auto* real = std::get_if<double>(&arg.value);
    const double value = real != nullptr ? *real : static_cast<double>(std::get<std::int64_t>(arg.value));
    cast_run(*as, DType::f64, {out.bytes.data(), reinterpret_cast<const std::byte*>(&value), 1, 0, 0}, {});
  } else if (const auto* real = std::get_if<double>(&arg.value)) {
    put(static_cast<std::int64_t>(*real));
  } else {
    put(std::get<std::int64_t>(arg.value));  // little-endian: the device reads as many bytes as the type has
  }
  return out;
}

Finding DeviceSide::to_finding(const device::Fault& fault, const Launch& launch) {
  const Kernel& kernel = recording_.kernels[static_cast<std::size_t>(launch.kernel)];
  state_.lost = state_.lost || fault.lost;
  Finding finding = make_finding(fault.kind, fmt::format("kernel {} on {}: {}", kernel.name,
                                                         state_.runtime.description().name, fault.message));
  finding.file = launch.file;
  finding.line = launch.line;
  finding.details["kernel"] = kernel.name;
  return finding;
}

std::optional<Finding> DeviceSide::queue(const Launch& launch) {
  const auto at = static_cast<std::size_t>(launch.kernel);
  const Result<int> loaded = state_.runtime.load(images_[at]);
  if (!loaded.ok()) return to_finding({"device_refused", loaded.error().message, false}, launch);
  std::vector<device::Argument> args;
  for (std::size_t i = 0; i < launch.args.size(); ++i)
    args.push_back(argument_of(launch.args[i], recording_.kernels[at].signature[i]));
  if (const auto fault =
          state_.runtime.launch(*loaded, {launch.grid, launch.block, launch.shared_bytes}, args))
    return to_finding(*fault, launch);
  return std::nullopt;
}

std::optional<Finding> DeviceSide::run(const Launch& launch, device::SteadyTime deadline) {
  if (const Status there = arena_.push(); !there.ok())
    return to_finding({"infra", there.error().message, true}, launch);
  if (auto finding = queue(launch)) return finding;
  if (const auto fault = state_.runtime.wait(deadline)) return to_finding(*fault, launch);
  if (const Status back = arena_.pull(); !back.ok())
    return to_finding({"infra", back.error().message, true}, launch);
  return std::nullopt;
}

std::optional<Finding> DeviceSide::run(device::VendorCall& call, device::SteadyTime deadline) {
  if (const Status there = arena_.push(); !there.ok()) return make_finding("infra", there.error().message);
  if (const Status queued = call.queue(); !queued.ok())
    return make_finding("untimed", queued.error().message);
  if (const auto fault = state_.runtime.wait(deadline)) {
    state_.lost = state_.lost || fault->lost;
    return make_finding(fault->kind, call.library() + ": " + fault->message);
  }
  if (const Status back = arena_.pull(); !back.ok()) return make_finding("infra", back.error().message);
  return std::nullopt;
}

void DeviceSide::remember(int buffer) {
  const auto bytes = arena_.bytes(buffer);
  remembered_[static_cast<std::size_t>(buffer)].emplace(bytes.begin(), bytes.end());
}

std::optional<int> DeviceSide::changed() const {
  for (std::size_t b = 0; b < remembered_.size(); ++b) {
    if (!remembered_[b]) continue;
    const auto now = arena_.bytes(static_cast<int>(b));
    if (!std::equal(now.begin(), now.end(), remembered_[b]->begin(), remembered_[b]->end()))
      return static_cast<int>(b);
  }
  return std::nullopt;
}

}  // namespace kgb::executor
