// SPDX-License-Identifier: Apache-2.0
// A stand-in for CUPTI's activity records, in the same library as the driver's: kernels, copies and fills
// with the host's clock. Names, numbers and layouts as src/device/cuda/activity.cpp reads them.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <set>

#include "activity.hpp"

namespace {

constexpr int kMemcpy = 1, kConcurrentKernel = 10, kNoMore = 12;
constexpr std::size_t kRecordBytes = 128, kStartAt = 16, kEndAt = 24, kNameAt = 104;
constexpr std::size_t kKernelStreamAt = 48, kOtherStreamAt = 40, kCopyKindAt = 4;
constexpr std::uint32_t kStream = 7;  // there is one
constexpr std::uint8_t kOnDevice = 8;

struct Noted {
  std::string name;
  std::uint64_t start = 0, end = 0;
};
std::deque<Noted> noted;
std::set<int> enabled;

using Give = void (*)(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records);
using Take = void (*)(void* context, std::uint32_t stream, std::uint8_t* buffer, std::size_t size,
                      std::size_t valid);
Give give = nullptr;
Take take = nullptr;

std::uint64_t now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(since).count());
}

void write(std::uint8_t* record, const Noted& one) {
  static std::set<std::string> names;  // records point to them
  std::memset(record, 0, kRecordBytes);
  const int kind = one.name.empty() ? kMemcpy : kConcurrentKernel;
  std::memcpy(record, &kind, sizeof kind);
  std::memcpy(record + kStartAt, &one.start, sizeof one.start);
  std::memcpy(record + kEndAt, &one.end, sizeof one.end);
  const std::size_t stream_at = one.name.empty() ? kOtherStreamAt : kKernelStreamAt;
  std::memcpy(record + stream_at, &kStream, sizeof kStream);
  if (one.name.empty()) {
    std::memcpy(record + kCopyKindAt, &kOnDevice, sizeof kOnDevice);
    return;
  }
  const char* name = names.insert(one.name).first->c_str();
  std::memcpy(record + kNameAt, &name, sizeof name);
}

}  // namespace

namespace standin {

std::function<int()> recorded(std::string name, std::function<int()> work) {
  return [name = std::move(name), work = std::move(work)] {
    const std::uint64_t start = now();
    const int result = work();
    if (enabled.count(name.empty() ? kMemcpy : kConcurrentKernel) != 0) noted.push_back({name, start, now()});
    return result;
  };
}

}  // namespace standin

extern "C" {

int cuptiActivityRegisterCallbacks(Give giver, Take taker);
int cuptiActivityEnable(int kind);
int cuptiActivityDisable(int kind);
int cuptiActivityFlushAll(std::uint32_t flag);
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record);

int cuptiActivityRegisterCallbacks(Give giver, Take taker) {
  give = giver;
  take = taker;
  return 0;
}
int cuptiActivityEnable(int kind) {
  enabled.insert(kind);
  return 0;
}
int cuptiActivityDisable(int kind) {
  enabled.erase(kind);
  return 0;
}
int cuptiActivityFlushAll(std::uint32_t /*flag*/) {
  while (!noted.empty()) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, most = 0, valid = 0;
    give(&buffer, &size, &most);
    for (; valid + kRecordBytes <= size && !noted.empty(); valid += kRecordBytes) {
      write(buffer + valid, noted.front());
      noted.pop_front();
    }
    take(nullptr, 0, buffer, size, valid);
  }
  return 0;
}
int cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record) {
  std::uint8_t* next = *record == nullptr ? buffer : *record + kRecordBytes;
  if (next + kRecordBytes > buffer + valid) return kNoMore;
  *record = next;
  return 0;
}

}  // extern "C"
