// SPDX-License-Identifier: Apache-2.0
// The arena of a trial: every buffer of a recording between red zones, in one mapping that is scrubbed
// afterwards.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/runtime.hpp"
#include "model/launch_plan.hpp"

namespace kgb::executor {

inline constexpr std::size_t kBufferAlignment = 512;
inline constexpr std::size_t kRedZone = 256;  // at least, before and after every buffer

// Patterns of red zones and of memory that nothing has written. One number per value set, since each hides
// something: 0xFF.. is NaN, which a maximum drops; 0x7B.. is a large number; 0xFB.. is its negative.
inline constexpr std::array<std::byte, 3> kPatterns{std::byte{0xFF}, std::byte{0x7B}, std::byte{0xFB}};

struct RedZoneHit {
  int before = -1, after = -1;  // buffers on both sides of the zone; -1 at the ends
  std::int64_t distance = 0;    // bytes past the end of `before`, or from the start when there is none
};

// Memory that outlives a trial, so that small trials do not pay for fresh pages. Holds nothing but zeros
// between trials.
class ArenaMemory {
 public:
  ArenaMemory() = default;
  ArenaMemory(const ArenaMemory&) = delete;
  ArenaMemory& operator=(const ArenaMemory&) = delete;
  ~ArenaMemory();
  // At least `bytes`, page-aligned. nullptr: the process may not have so much.
  [[nodiscard]] std::byte* take(std::size_t bytes);
  // Zeroes what was taken; gives large mappings back.
  void scrub();

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0, taken_ = 0;
};

// The same on a device: what a trial took is zeroed, or given back when it was large.
class DeviceMemory {
 public:
  // `apart`: every buffer of an arena is an allocation of its own, of its very size. A tool that knows
  // allocations then sees what leaves one; there are no red zones.
  explicit DeviceMemory(device::Runtime& runtime, bool apart = false) : runtime_(runtime), apart_(apart) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory();
  [[nodiscard]] Result<device::Address> take(std::size_t bytes);
  [[nodiscard]] Result<std::vector<device::Address>> take_apart(const std::vector<std::size_t>& sizes);
  [[nodiscard]] bool apart() const { return apart_; }
  void scrub();
  [[nodiscard]] device::Runtime& runtime() { return runtime_; }

 private:
  device::Runtime& runtime_;
  bool apart_;
  std::vector<device::Address> parts_;
  device::Address at_ = 0;
  std::size_t bytes_ = 0, taken_ = 0;
};

// With a device the arena exists twice: pointers of the plan are addresses of the device's copy, host nodes
// and checks work on the host's, and push() and pull() carry one to the other.
class Arena {
 public:
  // Lays the buffers out and paints everything with the pattern. Error: more memory than the process may
  // have.
  static Result<Arena> create(const std::vector<PlanBuffer>& buffers, std::byte pattern, ArenaMemory& memory,
                              DeviceMemory* device = nullptr);
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&&) = delete;
  ~Arena();

  [[nodiscard]] std::byte* data(int buffer) const {
    return base_ + offsets_[static_cast<std::size_t>(buffer)];
  }
  [[nodiscard]] std::span<std::byte> bytes(int buffer) const {
    return {data(buffer), sizes_[static_cast<std::size_t>(buffer)]};
  }
  // The address that a pointer of a plan has; 0 for the null pointer.
  [[nodiscard]] std::uint64_t address(const BufferRef& ref) const;
  // The first byte between buffers that lost its pattern.
  [[nodiscard]] std::optional<RedZoneHit> check_red_zones() const;
  [[nodiscard]] std::byte pattern() const { return pattern_; }

  [[nodiscard]] Status push();
  [[nodiscard]] Status pull();
  // Where the device's copy lies, as the target of a restore.
  [[nodiscard]] Result<device::Restore> mirror() const;

 private:
  Arena() = default;
  DeviceMemory* device_ = nullptr;
  device::Address device_base_ = 0;
  std::vector<device::Address> parts_;  // of each buffer, where they lie apart
  ArenaMemory* memory_ = nullptr;
  std::byte* base_ = nullptr;
  std::size_t total_ = 0;
  std::byte pattern_{};
  std::vector<int> places_;  // the buffers that have memory of their own, by address
  std::vector<std::size_t> offsets_, sizes_;
};

}  // namespace kgb::executor
