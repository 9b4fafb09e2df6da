// SPDX-License-Identifier: Apache-2.0
// Evicts the caches by streaming through a large buffer.
#include "device/cache_flush.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace kgb {
namespace {

constexpr std::size_t kDefaultBytes = 32u << 20, kMostBytes = 256u << 20, kLine = 64;

// "32768K" of /sys; 0 when it is not there or no number.
std::size_t cache_size(const std::string& index) {
  std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + index + "/size");
  std::size_t kib = 0;
  return file >> kib ? kib << 10 : 0;
}

}  // namespace

std::size_t last_level_cache_bytes() {
  std::size_t largest = 0;
  for (const char* index : {"0", "1", "2", "3", "4"}) largest = std::max(largest, cache_size(index));
  return largest == 0 ? kDefaultBytes : std::min(largest, kMostBytes);
}

void flush_caches() {
  static std::vector<std::uint64_t> buffer(2 * last_level_cache_bytes() / sizeof(std::uint64_t));
  for (std::size_t i = 0; i < buffer.size(); i += kLine / sizeof(std::uint64_t)) ++buffer[i];
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < buffer.size(); i += kLine / sizeof(std::uint64_t)) sum += buffer[i];
  asm volatile("" : : "r"(sum) : "memory");  // the reads must happen
}

}  // namespace kgb
