// SPDX-License-Identifier: Apache-2.0
// A call of a plan as one graph of the device: host nodes become copies, and each replay starts from the same
// memory.
#include <algorithm>
#include <cstring>

#include "executor/device_side.hpp"
#include "executor/machine.hpp"
#include "executor/strided.hpp"
#include "fmt/format.h"

namespace kgb::executor {
namespace {

using device::Address;
using device::CopyAxis;

// Device memory that lives as long as the timed call.
class Staging {
 public:
  explicit Staging(device::Runtime& runtime) : runtime_(runtime) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    for (const Address at : taken_) runtime_.release(at);
  }
  Result<Address> take(std::size_t bytes) {
    KGB_TRY(const Address at, runtime_.allocate(bytes));
    taken_.push_back(at);
    return at;
  }
  Result<Address> hold(std::span<const std::byte> bytes) {
    KGB_TRY(const Address at, take(bytes.size()));
    KGB_CHECK(runtime_.write(at, bytes));
    return at;
  }

 private:
  device::Runtime& runtime_;
  std::vector<Address> taken_;
};

// Axes of a copy onto `dst`, those of extent 1 left out and neighbours joined that lie densely on both sides.
// Strides of `from` in elements.
std::vector<CopyAxis> axes_of(const View& dst, const std::vector<std::int64_t>& from) {
  const auto size = static_cast<std::int64_t>(size_of(dst.dtype));
  std::vector<CopyAxis> axes;
  for (std::size_t i = 0; i < dst.shape.size(); ++i) {
    const CopyAxis axis{dst.shape[i], dst.strides[i] * size, from[i] * size};
    if (axis.extent == 1) continue;
    CopyAxis* outer = axes.empty() ? nullptr : &axes.back();
    if (outer != nullptr && outer->to_stride == axis.to_stride * axis.extent &&
        outer->from_stride == axis.from_stride * axis.extent)
      *outer = {outer->extent * axis.extent, axis.to_stride, axis.from_stride};
    else
      axes.push_back(axis);
  }
  return axes;
}

// Queues the nodes that are no launches. An Error says why the call cannot be timed.
class HostNodes {
 public:
  HostNodes(device::Runtime& runtime, const Arena& arena, Staging& staging)
      : runtime_(runtime), arena_(arena), staging_(staging) {}

  // What must be on the device before the graph is recorded.
  Status stage(const Node& node) {
    if (std::holds_alternative<Read>(node))
      return user_error(
          "its host code reads what its kernels computed, and a graph cannot wait for the host");
    std::vector<std::byte> bytes;
    if (const auto* fill = std::get_if<Fill>(&node)) bytes = fill->value;
    if (const auto* upload = std::get_if<Upload>(&node)) bytes = relocated(*upload);
    if (const auto* constant = std::get_if<Constant>(&node)) {
      const View& dst = constant->dst;
      std::int64_t n = 1;
      for (const std::int64_t extent : dst.shape) n *= extent;
      bytes.resize(static_cast<std::size_t>(n) * size_of(dst.dtype));
      if (n > 0)
        make_constant({bytes.data(), dst.dtype, dst.shape, contiguous_strides(dst.shape)}, constant->kind,
                      constant->params);
    }
    Address at = 0;
    if (!bytes.empty()) {
      KGB_TRY(at, staging_.hold(bytes));
    }
    staged_.push_back(at);
    return ok_status();
  }

  // Nodes are queued in the order in which they were staged.
  Status queue(const Node& node) {
    const Address staged = staged_[next_++];
    if (const auto* fill = std::get_if<Fill>(&node))
      return copy(fill->dst, staged, std::vector<std::int64_t>(fill->dst.shape.size(), 0));
    if (const auto* constant = std::get_if<Constant>(&node))
      return copy(constant->dst, staged, contiguous_strides(constant->dst.shape));
    if (const auto* upload = std::get_if<Upload>(&node))
      return runtime_.queue_copy(arena_.address(upload->dst), staged, upload->bytes.size());
    if (const auto* moved = std::get_if<Copy>(&node)) {
      const bool plain = moved->src.dtype == moved->dst.dtype && moved->src.conj == moved->dst.conj &&
                         moved->src.neg == moved->dst.neg;
      if (!plain)
        return user_error("its host code casts by " + moved->op +
                          ", which is not timed yet: cast in a kernel");
      return copy(moved->dst, arena_.address(moved->src.at), moved->src.strides);
    }
    return ok_status();
  }

 private:
  std::vector<std::byte> relocated(const Upload& upload) const {
    std::vector<std::byte> bytes = upload.bytes;
    for (const Relocation& relocation : upload.relocations) {
      const std::uint64_t address = arena_.address(relocation.target);
      std::memcpy(bytes.data() + relocation.byte, &address, sizeof address);
    }
    return bytes;
  }

  Status copy(const View& dst, Address from, const std::vector<std::int64_t>& strides) {
    const std::vector<CopyAxis> axes = axes_of(dst, strides);
    const auto size = static_cast<std::int64_t>(size_of(dst.dtype));
    const Address to = arena_.address(dst.at);
    if (std::any_of(axes.begin(), axes.end(), [](const CopyAxis& axis) { return axis.extent == 0; }))
      return ok_status();
    if (axes.empty()) return runtime_.queue_copy(to, from, static_cast<std::size_t>(size));
    if (axes.size() == 1 && axes[0].to_stride == size && axes[0].from_stride == size)
      return runtime_.queue_copy(to, from, static_cast<std::size_t>(axes[0].extent * size));
    if (axes.size() > device::kCopyAxes)
      return user_error(fmt::format("a copy by its host code has {} axes; at most {} are timed", axes.size(),
                                    device::kCopyAxes));
    return runtime_.queue_strided({to, from, static_cast<std::size_t>(size), axes});
  }

  device::Runtime& runtime_;
  const Arena& arena_;
  Staging& staging_;
  std::vector<Address> staged_;
  std::size_t next_ = 0;
};

Finding untimed(const std::string& why) {
  return make_finding("untimed", why);
}

}  // namespace

std::optional<Finding> DeviceSide::time(const std::vector<Node>& nodes, device::VendorCall* vendor,
                                        const TimeSeries& series, device::SteadyTime deadline) {
  device::Runtime& runtime = state_.runtime;
  Staging staging(runtime);
  HostNodes host(runtime, arena_, staging);
  device::Restore restore;
  const auto prepare = [&]() -> Status {
    KGB_CHECK(arena_.push());
    KGB_TRY(restore, arena_.mirror());
    KGB_TRY(restore.from, staging.take(restore.bytes));
    KGB_CHECK(runtime.queue_copy(restore.from, restore.to, restore.bytes));
    for (const Node& node : nodes) KGB_CHECK(host.stage(node));
    return ok_status();
  };
  if (const Status ready = prepare(); !ready.ok()) return untimed(ready.error().message);
  // Once without a graph: modules are loaded, scratch memory is there, and a fault has its place.
  for (const bool recorded : {false, true}) {
    HostNodes again = host;
    if (recorded)
      if (const Status begun = runtime.begin_graph(); !begun.ok()) return untimed(begun.error().message);
    Status queued = ok_status();
    std::optional<Finding> finding;
    for (const Node& node : nodes) {
      if (const auto* launch = std::get_if<Launch>(&node)) finding = queue(*launch);
      if (queued.ok()) queued = again.queue(node);
      if (finding || !queued.ok()) break;
    }
    if (vendor != nullptr && queued.ok()) queued = vendor->queue();
    const Status ended = recorded ? runtime.end_graph() : ok_status();
    if (finding) return finding;
    if (!queued.ok()) return untimed(queued.error().message);
    if (!ended.ok()) return untimed(ended.error().message);
    if (const auto fault = runtime.wait(deadline)) {
      state_.lost = state_.lost || fault->lost;
      return make_finding(fault->kind, "the timed call: " + fault->message);
    }
  }
  const Replays replays{[&](int n) { return runtime.time(n, restore); },
                        [&](std::chrono::milliseconds time) { return runtime.sustain(time); },
                        [&] { return runtime.trace(restore); }};
  if (const Status done = series(replays); !done.ok()) {
    state_.lost = true;  // a replay that failed, or a series cut short: this context is not used again
    return untimed(done.error().message);
  }
  // The outputs that will be judged are those of one more replay of the same graph.
  if (const Result<std::vector<double>> last = runtime.time(1, restore); !last.ok()) {
    state_.lost = true;
    return make_finding("device_fault", "a timed replay: " + last.error().message);
  }
  if (const Status back = arena_.pull(); !back.ok()) return untimed(back.error().message);
  return std::nullopt;
}

}  // namespace kgb::executor
