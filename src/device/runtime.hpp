// SPDX-License-Identifier: Apache-2.0
// What kgbench needs of a device's runtime. One file runtimes/<backend>.cpp and one row of runtimes.def each;
// the vendor's library is opened at run time, so that every build knows every runtime.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "device/vendor.hpp"
#include "model/call.hpp"
#include "model/kernel_image.hpp"
#include "model/launch_plan.hpp"
#include "model/trial.hpp"

namespace kgb::device {

using Address = std::uint64_t;
using SteadyTime = std::chrono::steady_clock::time_point;

struct Description {
  std::string name;    // as the runtime calls it: "NVIDIA H200"
  std::string arch;    // as Triton calls it: "90"
  std::string driver;  // "13.0"
  std::string uuid;    // 32 hexadecimal digits; empty: the runtime does not tell
  std::int64_t multiprocessors = 0, memory_bytes = 0, l2_bytes = 0, shared_optin_bytes = 0;
};

// What went wrong with a candidate's work: a kind of docs/contracts/findings.md. Unless the device only
// refused, the context is lost and the process that holds it must end.
struct Fault {
  std::string kind, message;
  bool lost = true;
};

// One argument of a kernel as the device reads it.
struct Argument {
  std::array<std::byte, 8 * kMostIntegers> bytes{};
  std::size_t size = 8;  // bytes that hold something: a parameter may be smaller, never larger
};

// The shape of a launch. A block of no threads is the one that the kernel's compiler chose.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{0, 0, 0};
  std::int64_t shared_bytes = 0;  // beside what the kernel's image asks for
};

// A copy of elements, both sides strided; strides in bytes, 0 repeats. At most kCopyAxes axes.
inline constexpr std::size_t kCopyAxes = 6;
struct CopyAxis {
  std::int64_t extent = 1, to_stride = 0, from_stride = 0;
};
struct StridedCopy {
  Address to = 0, from = 0;
  std::size_t element_bytes = 1;  // 1, 2, 4, 8 or 16
  std::vector<CopyAxis> axes;     // outermost first
};

// stamps: the global timer, read by a kernel before and one after. activity: the runtime's own hardware
// records, which cost start-up time and a library.
enum class Clock { stamps, activity };

// One kernel, copy or memset of a graph that ran; nanoseconds from the first start.
struct NodeTime {
  std::string name;  // of kernels; empty for copies and memsets
  double start_ns = 0, ns = 0;
};

// What a loaded kernel takes of the device.
struct KernelResources {
  std::int64_t registers = 0;      // of a thread
  std::int64_t local_bytes = 0;    // of a thread, in memory: spilled registers and arrays
  std::int64_t static_shared = 0;  // bytes of a program, beside those that a launch asks for
};

// What is put back before every timed replay, outside the window.
struct Restore {
  Address to = 0, from = 0;
  std::size_t bytes = 0;
};

// A context on one device. Not thread-safe. Every call but launches and waits reports the host's errors.
class Runtime {
 public:
  virtual ~Runtime() = default;
  [[nodiscard]] virtual const Description& description() const = 0;
  // Aligned to at least 512 bytes.
  [[nodiscard]] virtual Result<Address> allocate(std::size_t bytes) = 0;
  virtual void release(Address at) = 0;
  [[nodiscard]] virtual Status write(Address to, std::span<const std::byte> bytes) = 0;
  [[nodiscard]] virtual Status read(std::span<std::byte> to, Address from) = 0;
  [[nodiscard]] virtual Status fill(Address at, std::byte value, std::size_t bytes) = 0;
  // A handle for launches; the same code is loaded once.
  [[nodiscard]] virtual Result<int> load(const KernelImage& image) = 0;
  // Queues a launch. What the driver would not check is checked here: shared memory, threads, the grid.
  [[nodiscard]] virtual std::optional<Fault> launch(int kernel, const LaunchShape& shape,
                                                    std::span<const Argument> args) = 0;
  // Forgets kernels that the candidate wrote in CUDA, with what their global variables hold: they are loaded
  // anew.
  virtual void renew() = 0;
  // Queued, like launches.
  [[nodiscard]] virtual Status queue_copy(Address to, Address from, std::size_t bytes) = 0;
  [[nodiscard]] virtual Status queue_strided(const StridedCopy& copy) = 0;
  // A function of the vendor's library with the arguments of the call; made before a graph is begun. The
  // runtime must outlive it. Error: no library, or what of the call does not fit the function.
  [[nodiscard]] virtual Result<std::unique_ptr<VendorCall>> vendor_call(const std::string& function,
                                                                        const Call& call,
                                                                        const Places& places) = 0;
  // A kernel of kgbench's own that reads so many bytes, a multiple of 16.
  [[nodiscard]] virtual Status queue_read(Address from, std::size_t bytes) = 0;
  // What is queued between the two is not run but becomes the graph of time(), in place of the one before.
  [[nodiscard]] virtual Status begin_graph() = 0;
  [[nodiscard]] virtual Status end_graph() = 0;
  // The same for a graph that somebody else recorded in this context (a CUgraph): it becomes the graph of
  // time().
  [[nodiscard]] virtual Status adopt_graph(std::uintptr_t graph) = 0;
  // Replays the graph n times, each time restored and with cold caches: nanoseconds of device time from the
  // start of its first node to the end of its last, what an empty graph shows taken off.
  [[nodiscard]] virtual Result<std::vector<double>> time(int n, const Restore& restore,
                                                         Clock clock = Clock::stamps) = 0;
  // Replays the graph back to back for at least so long, caches and memory as the replays leave them.
  [[nodiscard]] virtual Result<Sustained> sustain(std::chrono::milliseconds time) = 0;
  // Replays the graph once, restored and with cold caches, and tells its nodes apart by hardware records, in
  // order of start.
  [[nodiscard]] virtual Result<std::vector<NodeTime>> trace(const Restore& restore) = 0;
  // Of a handle that load() gave.
  [[nodiscard]] virtual KernelResources resources(int kernel) const = 0;
  // Until everything queued is done.
  [[nodiscard]] virtual std::optional<Fault> wait(SteadyTime deadline) = 0;
};

// Devices that the runtime shows this process.
[[nodiscard]] Result<int> count_devices(const std::string& backend);
// What the runtime says of a device, without taking hold of it.
[[nodiscard]] Result<Description> describe_device(const std::string& backend, int index);
// The runtime of a Triton backend ("cuda") on its visible device `index`. Errors say what is missing.
[[nodiscard]] Result<std::unique_ptr<Runtime>> open_runtime(const std::string& backend, int index);

}  // namespace kgb::device
