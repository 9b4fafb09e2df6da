// SPDX-License-Identifier: Apache-2.0
// Two patterns through a kernel of kgbench's own.
#include "executor/probe.hpp"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "device/runtime.hpp"

namespace kgb::executor {
namespace {

constexpr std::size_t kWords = std::size_t{1} << 19;  // 4 MiB: every multiprocessor gets its share
constexpr std::chrono::seconds kLimit{20};

Status copy_through(device::Runtime& runtime, device::Address from, device::Address to, std::uint64_t salt) {
  std::vector<std::uint64_t> pattern(kWords), seen(kWords);
  for (std::size_t i = 0; i < kWords; ++i) pattern[i] = (i + salt) * 0x9E3779B97F4A7C15ULL;
  KGB_CHECK(runtime.write(from, std::as_bytes(std::span(pattern))));
  KGB_CHECK(runtime.fill(to, std::byte{0xFF}, 8 * kWords));
  KGB_CHECK(runtime.queue_strided({to, from, 8, {{static_cast<std::int64_t>(kWords), 8, 8}}}));
  if (const auto fault = runtime.wait(std::chrono::steady_clock::now() + kLimit))
    return host_error("a kernel of kgbench's own failed: " + fault->message);
  KGB_CHECK(runtime.read(std::as_writable_bytes(std::span(seen)), to));
  for (std::size_t i = 0; i < kWords; ++i)
    if (seen[i] != pattern[i])
      return host_error("a copy came back with other bytes, the first at " + std::to_string(8 * i));
  return ok_status();
}

}  // namespace

Status probe(const std::string& backend) {
  KGB_TRY(const std::unique_ptr<device::Runtime> runtime, device::open_runtime(backend, 0));
  KGB_TRY(const device::Address from, runtime->allocate(8 * kWords));
  KGB_TRY(const device::Address to, runtime->allocate(8 * kWords));
  for (const std::uint64_t salt : {std::uint64_t{1}, std::uint64_t{0xA5A5A5A5}})
    KGB_CHECK(copy_through(*runtime, from, to, salt));
  runtime->release(from);
  runtime->release(to);
  return ok_status();
}

}  // namespace kgb::executor
