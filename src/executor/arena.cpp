// SPDX-License-Identifier: Apache-2.0
// Layout, painting and checking of the arena.
#include "executor/arena.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/text.hpp"

namespace kgb::executor {
namespace {

constexpr std::size_t kKept = std::size_t{64} << 20;  // larger mappings are given back after each trial

std::size_t align_up(std::size_t value, std::size_t to) {
  return (value + to - 1) / to * to;
}

// Index of the first byte of the range that is not `pattern`, or its length.
std::size_t first_difference(std::span<const std::byte> range, std::byte pattern) {
  const auto it = std::find_if(range.begin(), range.end(), [&](std::byte b) { return b != pattern; });
  return static_cast<std::size_t>(it - range.begin());
}

}  // namespace

ArenaMemory::~ArenaMemory() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

std::byte* ArenaMemory::take(std::size_t bytes) {
  if (bytes > bytes_) {
    if (data_ != nullptr) ::munmap(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
    const std::size_t size = align_up(std::max(bytes, std::size_t{1} << 20), 4096);
    void* mapped = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return nullptr;
    data_ = static_cast<std::byte*>(mapped);
    bytes_ = size;
  }
  taken_ = bytes;
  return data_;
}

void ArenaMemory::scrub() {
  if (bytes_ > kKept) {
    ::munmap(data_, bytes_);
    data_ = nullptr;
    bytes_ = 0;
  } else if (data_ != nullptr) {
    std::memset(data_, 0, taken_);
  }
  taken_ = 0;
}

DeviceMemory::~DeviceMemory() {
  if (at_ != 0) runtime_.release(at_);
  for (const device::Address part : parts_) runtime_.release(part);
}

Result<std::vector<device::Address>> DeviceMemory::take_apart(const std::vector<std::size_t>& sizes) {
  for (const std::size_t bytes : sizes) {
    KGB_TRY(const device::Address part, runtime_.allocate(bytes));
    parts_.push_back(part);
  }
  return parts_;
}

Result<device::Address> DeviceMemory::take(std::size_t bytes) {
  if (bytes > bytes_) {
    if (at_ != 0) runtime_.release(at_);
    at_ = 0;
    bytes_ = 0;
    KGB_TRY(at_, runtime_.allocate(bytes));
    bytes_ = bytes;
  }
  taken_ = bytes;
  return at_;
}

void DeviceMemory::scrub() {
  for (const device::Address part : parts_) runtime_.release(part);
  parts_.clear();
  // After a fault the device answers nothing any more; its process ends, and its memory with it.
  const bool zeroed = bytes_ <= kKept && at_ != 0 && runtime_.fill(at_, std::byte{0}, taken_).ok();
  if (!zeroed && at_ != 0) {
    runtime_.release(at_);
    at_ = 0;
    bytes_ = 0;
  }
  taken_ = 0;
}

Result<Arena> Arena::create(const std::vector<PlanBuffer>& buffers, std::byte pattern, ArenaMemory& memory,
                            DeviceMemory* device) {
  Arena arena;
  std::size_t at = kBufferAlignment;  // the first red zone
  for (std::size_t b = 0; b < buffers.size(); ++b) {
    const auto size = static_cast<std::size_t>(buffers[b].bytes);
    arena.offsets_.push_back(at);
    arena.sizes_.push_back(size);
    if (buffers[b].reuses) continue;
    arena.places_.push_back(static_cast<int>(b));
    at = align_up(at + size + kRedZone, kBufferAlignment);
  }
  for (std::size_t b = 0; b < buffers.size(); ++b)
    arena.offsets_[b] = arena.offsets_[static_cast<std::size_t>(memory_of(buffers, static_cast<int>(b)))];
  arena.total_ = at;
  arena.pattern_ = pattern;
  arena.base_ = memory.take(at);
  if (arena.base_ == nullptr)
    return host_error("the buffers of the launch plan need " + human_bytes(at) +
                      ", which the executor may not have");
  arena.memory_ = &memory;
  if (device != nullptr) {
    if (device->apart()) {
      KGB_TRY(arena.parts_, device->take_apart(arena.sizes_));
    } else {
      KGB_TRY(arena.device_base_, device->take(at));
    }
    arena.device_ = device;
  }
  std::memset(arena.base_, std::to_integer<int>(pattern), at);
  return arena;
}

Arena::Arena(Arena&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)),
      device_base_(other.device_base_),
      parts_(std::move(other.parts_)),
      memory_(std::exchange(other.memory_, nullptr)),
      base_(other.base_),
      total_(other.total_),
      pattern_(other.pattern_),
      places_(std::move(other.places_)),
      offsets_(std::move(other.offsets_)),
      sizes_(std::move(other.sizes_)) {}

Arena::~Arena() {
  if (memory_ != nullptr) memory_->scrub();
  if (device_ != nullptr) device_->scrub();
}

Status Arena::push() {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    KGB_CHECK(device_->runtime().write(parts_[i], bytes(static_cast<int>(i))));
  if (device_->apart()) return ok_status();
  return device_->runtime().write(device_base_, {base_, total_});
}
Status Arena::pull() {
  for (std::size_t i = 0; i < parts_.size(); ++i)
    KGB_CHECK(device_->runtime().read(bytes(static_cast<int>(i)), parts_[i]));
  if (device_->apart()) return ok_status();
  return device_->runtime().read({base_, total_}, device_base_);
}

Result<device::Restore> Arena::mirror() const {
  if (device_ == nullptr) return internal_error("this arena is on no device");
  if (device_->apart()) return internal_error("buffers that lie apart are not timed");
  return device::Restore{device_base_, 0, total_};
}

std::uint64_t Arena::address(const BufferRef& ref) const {
  if (ref.buffer < 0) return 0;
  if (!parts_.empty())
    return parts_[static_cast<std::size_t>(ref.buffer)] + static_cast<std::uint64_t>(ref.offset);
  const std::uint64_t base =
      device_ != nullptr ? device_base_ : static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(base_));
  return base + offsets_[static_cast<std::size_t>(ref.buffer)] + static_cast<std::uint64_t>(ref.offset);
}

std::optional<RedZoneHit> Arena::check_red_zones() const {
  std::size_t zone = 0;
  int before = -1;
  for (std::size_t i = 0; i <= places_.size(); ++i) {
    const int after = i < places_.size() ? places_[i] : -1;
    const std::size_t end = after < 0 ? total_ : offsets_[static_cast<std::size_t>(after)];
    const std::size_t found = first_difference({base_ + zone, end - zone}, pattern_);
    if (zone + found < end) return RedZoneHit{before, after, static_cast<std::int64_t>(found)};
    if (after >= 0) zone = end + sizes_[static_cast<std::size_t>(after)];
    before = after;
  }
  return std::nullopt;
}

}  // namespace kgb::executor
