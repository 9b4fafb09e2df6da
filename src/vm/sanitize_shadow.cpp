// SPDX-License-Identifier: Apache-2.0
// Shadow memory between launches: what exists, what the host wrote, and the size of granules.
#include "vm/sanitize_shadow.hpp"

#include <algorithm>
#include <bit>

namespace kgb::vm {

void RegionShadow::fit(std::size_t offset, std::size_t size) {
  const int wanted = std::min(std::countr_zero(offset | size), 3);
  if (shift >= 0 && wanted >= shift) return;
  if (shift < 0) {
    shift = wanted;
    writer.assign((bytes + granule() - 1) >> shift, whole ? kHostTag : 0);
    return;
  }
  const int parts = shift - wanted;
  shift = wanted;
  const std::size_t count = (bytes + granule() - 1) >> shift;
  if (!writer.empty()) writer = writer.split(parts, count);
  if (!reader.empty()) reader = reader.split(parts, count);
}

void RegionShadow::refresh_whole() {
  if (whole || shift < 0) return;
  whole = !writer.any(0, writer.size(), [](std::uint32_t word) { return word == 0; });
}

RegionShadow& SanitizerState::at(const std::byte* start, std::size_t bytes) {
  const auto [found, fresh] = regions.try_emplace(start);
  RegionShadow& region = found->second;
  if (fresh || region.bytes != bytes) {
    region = {};
    region.start = start;
    region.bytes = bytes;
  }
  return region;
}

RegionShadow* SanitizerState::holding(const std::byte* byte) {
  auto after = regions.upper_bound(byte);
  if (after == regions.begin()) return nullptr;
  RegionShadow& region = std::prev(after)->second;
  return byte < region.start + region.bytes ? &region : nullptr;
}

bool SanitizerState::reserve(std::uint64_t count) {
  if (count > kTagMask / 2) return false;
  if (next_tag + count <= kTagMask) return true;
  for (auto& [start, region] : regions) {
    region.writer.update(0, region.writer.size(),
                         [](std::uint32_t word) { return word == 0 ? 0 : kHostTag; });
    region.reader.fill(0, region.reader.size(), 0);
  }
  next_tag = 2;
  return true;
}

Sanitizer::Sanitizer(Checks checks) : state_(std::make_unique<SanitizerState>()) {
  state_->checks = checks;
}

Sanitizer::~Sanitizer() = default;

const Checks& Sanitizer::checks() const {
  return state_->checks;
}

void Sanitizer::watch(Footprint* footprint) {
  state_->footprint = footprint;
}

void Sanitizer::allocate(const std::byte* start, std::size_t bytes) {
  RegionShadow region;
  region.start = start;
  region.bytes = bytes;
  region.whole = bytes == 0;
  state_->regions[start] = std::move(region);
}

void Sanitizer::release(const std::byte* start) {
  if (RegionShadow* region = state_->holding(start)) region->freed = true;
}

void Sanitizer::define(const std::byte* at, std::size_t bytes) {
  RegionShadow* region = bytes == 0 ? nullptr : state_->holding(at);
  if (region == nullptr || region->whole) return;
  const auto offset = static_cast<std::size_t>(at - region->start);
  bytes = std::min(bytes, region->bytes - offset);
  if (bytes == region->bytes) {
    region->whole = true;
    if (region->shift >= 0) region->writer.fill(0, region->writer.size(), kHostTag);
    return;
  }
  // The buffer's last granule may reach past its end.
  const bool to_end = offset + bytes == region->bytes;
  region->fit(offset | 4, to_end ? 4 : bytes);
  const std::size_t first = offset >> region->shift;
  const std::size_t last = (offset + bytes + region->granule() - 1) >> region->shift;
  region->writer.fill(first, last - first, kHostTag);
}

bool Sanitizer::defined(const std::byte* at, std::size_t bytes) const {
  RegionShadow* region = bytes == 0 ? nullptr : state_->holding(at);
  if (region == nullptr || region->whole) return true;
  if (region->shift < 0) return false;
  const auto offset = static_cast<std::size_t>(at - region->start);
  bytes = std::min(bytes, region->bytes - offset);
  const std::size_t first = offset >> region->shift, last = (offset + bytes - 1) >> region->shift;
  return !region->writer.any(first, last + 1 - first, [](std::uint32_t word) { return word == 0; });
}

bool Sanitizer::whole(const std::byte* start) const {
  RegionShadow* region = state_->holding(start);
  if (region != nullptr) region->refresh_whole();
  return region == nullptr || region->whole;
}

}  // namespace kgb::vm
