// SPDX-License-Identifier: Apache-2.0
// Buffers and records of CUPTI. Source of names, numbers and layouts: cupti_activity.h of CUDA 12.
#include "device/cuda/activity.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <type_traits>
#include <utility>

namespace kgb::device::cuda {
namespace {

constexpr int kMemcpy = 1, kMemset = 2, kConcurrentKernel = 10;
constexpr int kKinds[] = {kMemcpy, kMemset, kConcurrentKernel};
// Of all three kinds of records, every version since CUDA 11; the name of kernel records alone.
constexpr std::size_t kStartAt = 16, kEndAt = 24, kNameAt = 104;
constexpr std::size_t kKernelStreamAt = 48, kOtherStreamAt = 40, kCopyKindAt = 4;
constexpr std::size_t kBufferBytes = 1 << 20, kBufferAlignment = 8;

using Next = int (*)(std::uint8_t* buffer, std::size_t valid, std::uint8_t** record);

struct Gathered {
  std::mutex mutex;
  std::vector<Record> records;
  Next next = nullptr;
};
Gathered& gathered() {
  static Gathered all;
  return all;
}

template <typename T>
T field(const std::uint8_t* record, std::size_t at) {
  T value;
  std::memcpy(&value, record + at, sizeof value);
  return value;
}

Record record_of(int kind, const std::uint8_t* at) {
  Record record;
  record.start = field<std::uint64_t>(at, kStartAt);
  record.end = field<std::uint64_t>(at, kEndAt);
  record.work = kind == kConcurrentKernel ? Work::kernel : kind == kMemcpy ? Work::copy : Work::memset;
  record.stream = field<std::uint32_t>(at, record.work == Work::kernel ? kKernelStreamAt : kOtherStreamAt);
  if (record.work == Work::copy) record.copy = field<std::uint8_t>(at, kCopyKindAt);
  if (record.work != Work::kernel) return record;
  if (const auto* name = field<const char*>(at, kNameAt); name != nullptr) record.name = name;
  return record;
}

extern "C" void give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *most_records = 0;
}

extern "C" void take_buffer(void* /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                            std::size_t /*size*/, std::size_t valid) {
  const std::lock_guard lock(gathered().mutex);
  std::uint8_t* record = nullptr;
  while (valid > 0 && gathered().next(buffer, valid, &record) == 0) {
    const int kind = field<int>(record, 0);
    if (std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds)) continue;
    gathered().records.push_back(record_of(kind, record));
  }
  std::free(buffer);
}

void* open_library() {
  const char* named = std::getenv("KGBENCH_CUPTI_LIBRARY");
  for (const char* library :
       {named, "libcupti.so.13", "libcupti.so.12", "libcupti.so",
        "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", "/usr/local/cuda/lib64/libcupti.so"}) {
    if (library == nullptr || *library == '\0') continue;
    if (void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  return nullptr;
}

}  // namespace

Result<Activity*> Activity::open() {
  static Activity activity;
  static const Status opened = [] {
    void* handle = open_library();
    if (handle == nullptr)
      return Status(host_error("CUPTI was not found: set KGBENCH_CUPTI_LIBRARY to the path of libcupti.so"));
    const auto find = [handle](auto& function, const char* symbol) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, symbol));
      return function != nullptr;
    };
    int (*callbacks)(decltype(&give_buffer), decltype(&take_buffer)) = nullptr;
    if (!find(activity.enable_, "cuptiActivityEnable") || !find(activity.disable_, "cuptiActivityDisable") ||
        !find(activity.flush_, "cuptiActivityFlushAll") ||
        !find(gathered().next, "cuptiActivityGetNextRecord") ||
        !find(callbacks, "cuptiActivityRegisterCallbacks"))
      return Status(host_error("this CUPTI lacks activity records; kgbench needs that of CUDA 12 or later"));
    if (const int result = callbacks(&give_buffer, &take_buffer); result != 0)
      return Status(host_error("CUPTI does not record activity (error " + std::to_string(result) + ")"));
    return ok_status();
  }();
  if (!opened.ok()) return opened.error();
  return &activity;
}

Status Activity::start() {
  for (const int kind : kKinds)
    if (const int result = enable_(kind); result != 0)
      return host_error("CUPTI refuses activity records (error " + std::to_string(result) + ")");
  return ok_status();
}

void Activity::stop() {
  for (const int kind : kKinds) disable_(kind);
}

Result<std::vector<Record>> Activity::take() {
  constexpr std::uint32_t kForced = 1;
  if (const int result = flush_(kForced); result != 0)
    return host_error("CUPTI does not give its records (error " + std::to_string(result) + ")");
  const std::lock_guard lock(gathered().mutex);
  std::vector<Record> records = std::exchange(gathered().records, {});
  std::sort(records.begin(), records.end(),
            [](const Record& a, const Record& b) { return a.start < b.start; });
  return records;
}

std::vector<Record> between_stamps(const std::vector<Record>& records) {
  const auto stamp = [](const Record& record) { return record.name == "kgb_stamp"; };
  // By their order, not by their ends: a kernel's record may end some ten ns after its follower's begins. The
  // last pair: records of earlier replays can come with those of this one.
  const auto last = std::find_if(records.rbegin(), records.rend(), stamp);
  if (last == records.rend()) return {};
  const auto first = std::find_if(std::next(last), records.rend(), stamp);
  if (first == records.rend()) return {};
  return {first.base(), std::prev(last.base())};
}

double span_of(const std::vector<Record>& records) {
  std::uint64_t first = 0, last = 0;
  for (const Record& record : between_stamps(records)) {
    first = first == 0 ? record.start : std::min(first, record.start);
    last = std::max(last, record.end);
  }
  return static_cast<double>(last - first);
}

}  // namespace kgb::device::cuda
