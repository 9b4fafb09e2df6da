// SPDX-License-Identifier: Apache-2.0
// The second clock: CUPTI's activity records, hardware timestamps of every kernel, copy and memset. By
// dlopen.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace kgb::device::cuda {

enum class Work { kernel, copy, memset };
// CUPTI's own numbers of what a copy goes between.
inline constexpr int kToDevice = 1, kToHost = 2, kOnDevice = 8;

struct Record {
  std::string name;                  // of kernels; empty for copies and memsets
  std::uint64_t start = 0, end = 0;  // ns
  Work work = Work::kernel;
  int copy = 0;              // of copies: kToDevice, kToHost, kOnDevice, ...
  std::uint32_t stream = 0;  // CUPTI's number of the stream that it ran on
};

class Activity {
 public:
  // Once per process. KGBENCH_CUPTI_LIBRARY names a library in an unusual place.
  static Result<Activity*> open();
  // Between the two every kernel, copy and memset of the process is recorded.
  [[nodiscard]] Status start();
  void stop();
  // What was recorded and is finished, in order of start; takes it.
  [[nodiscard]] Result<std::vector<Record>> take();

 private:
  Activity() = default;
  int (*enable_)(int kind) = nullptr;
  int (*disable_)(int kind) = nullptr;
  int (*flush_)(std::uint32_t flag) = nullptr;
};

// What ran between the two stamps of a timed replay (kgb_stamp). `records` in order of start.
[[nodiscard]] std::vector<Record> between_stamps(const std::vector<Record>& records);
// Nanoseconds from the first start to the last end of what ran between the two stamps of a timed replay
// (kgb_stamp); 0 when that is nothing. `records` in order of start.
[[nodiscard]] double span_of(const std::vector<Record>& records);

}  // namespace kgb::device::cuda
