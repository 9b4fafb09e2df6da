// SPDX-License-Identifier: Apache-2.0
// NVIDIA devices through the CUDA driver.
#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_map>

#include "base/hash.hpp"
#include "device/cuda/activity.hpp"
#include "device/cuda/cublas.hpp"
#include "device/cuda/driver.hpp"
#include "device/cuda/helpers.hpp"
#include "device/cuda/launch.hpp"
#include "device/cuda/nvml.hpp"
#include "device/runtime.hpp"
#include "fmt/format.h"
#include "stats/order.hpp"

namespace kgb::device {
namespace {

using cuda::Driver;
using cuda::LaunchAttribute;
using cuda::LaunchConfig;

struct Loaded {
  KernelImage image;  // without its code
  void* module = nullptr;
  void* function = nullptr;
};

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

class CudaRuntime final : public Runtime {
 public:
  CudaRuntime(const Driver& driver, Description description, void* stream)
      : driver_(driver), description_(std::move(description)), stream_(stream) {}
  ~CudaRuntime() override {
    // Not behind a kernel that never ends, nor in a lost context: the process takes those with it.
    if (driver_.stream_query(stream_) != cuda::code::kSuccess) {
      [[maybe_unused]] const cuda::Cublas* left = cublas_.release();
      return;
    }
    forget_graph();
    unload_all();
    if (helpers_) helpers_->release();
    for (const Scratch* scratch : {&scratch_, &profile_})
      if (scratch->at != 0) driver_.memory_free(scratch->at);
  }
  CudaRuntime(const CudaRuntime&) = delete;
  CudaRuntime& operator=(const CudaRuntime&) = delete;

  [[nodiscard]] const Description& description() const override { return description_; }

  Result<Address> allocate(std::size_t bytes) override {
    Address at = 0;
    KGB_CHECK(driver_.check(driver_.memory_alloc(&at, std::max<std::size_t>(bytes, 1)), "device memory"));
    return at;
  }
  void release(Address at) override {
    if (!hung_) driver_.memory_free(at);
  }

  Status write(Address to, std::span<const std::byte> bytes) override {
    if (bytes.empty()) return ok_status();
    KGB_CHECK(reachable());
    KGB_CHECK(
        driver_.check(driver_.copy_to_device(to, bytes.data(), bytes.size(), stream_), "copy to the device"));
    return driver_.check(driver_.stream_synchronize(stream_), "copy to the device");
  }
  Status read(std::span<std::byte> to, Address from) override {
    if (to.empty()) return ok_status();
    KGB_CHECK(reachable());
    KGB_CHECK(
        driver_.check(driver_.copy_to_host(to.data(), from, to.size(), stream_), "copy from the device"));
    return driver_.check(driver_.stream_synchronize(stream_), "copy from the device");
  }

  Status fill(Address at, std::byte value, std::size_t bytes) override {
    if (bytes == 0) return ok_status();
    KGB_CHECK(reachable());
    const auto number = std::to_integer<unsigned char>(value);
    KGB_CHECK(driver_.check(driver_.set_bytes(at, number, bytes, stream_), "filling device memory"));
    return driver_.check(driver_.stream_synchronize(stream_), "filling device memory");
  }

  Result<int> load(const KernelImage& image) override {
    const std::string key =
        sha256_hex({reinterpret_cast<const char*>(image.code.data()), image.code.size()}) + image.entry;
    if (const auto it = by_content_.find(key); it != by_content_.end()) return it->second;
    if (kernels_.size() >= kMostModules) unload_all();
    Loaded loaded;
    loaded.image = image;
    loaded.image.code.clear();
    KGB_CHECK(driver_.check(driver_.module_load(&loaded.module, image.code.data()), "loading a kernel"));
    KGB_CHECK(driver_.check(driver_.module_function(&loaded.function, loaded.module, image.entry.c_str()),
                            ("kernel " + image.entry).c_str()));
    KGB_CHECK(cuda::check_parameters(driver_, image, loaded.function));
    const int handle = static_cast<int>(kernels_.size());
    kernels_.push_back(std::move(loaded));
    by_content_.emplace(key, handle);
    return handle;
  }

  std::optional<Fault> launch(int kernel, const LaunchShape& shape, std::span<const Argument> args) override {
    const Loaded& loaded = kernels_[static_cast<std::size_t>(kernel)];
    const auto& grid = shape.grid;
    const cuda::LaunchRoom room{loaded.function, description_.shared_optin_bytes};
    if (auto refused = cuda::prepare_launch(driver_, loaded.image, shape, room)) return refused;
    if (auto refused = cuda::compare_parameters(loaded.image, args)) return refused;
    const std::int64_t programs = grid[0] * grid[1] * grid[2] * loaded.image.ctas;
    std::array<Argument, 2> behind;
    auto& [scratch, profile] = behind;
    if (auto refused = reserve(scratch_, loaded.image.scratch_bytes * programs, scratch)) return refused;
    if (auto refused = reserve(profile_, loaded.image.profile_bytes * programs, profile)) return refused;
    std::vector<void*> parameters = cuda::parameters_of(loaded.image, args, behind);
    std::array<LaunchAttribute, 4> attributes{};
    const LaunchConfig config = cuda::config_of(loaded.image, shape, stream_, attributes);
    const int result = driver_.launch(&config, loaded.function, parameters.data(), nullptr);
    if (result == cuda::code::kSuccess) return std::nullopt;
    return fault_of(result, loaded.image.entry);
  }

  void renew() override {
    const auto own = [](const Loaded& loaded) { return loaded.image.parameters.has_value(); };
    if (std::none_of(kernels_.begin(), kernels_.end(), own)) return;
    forget_graph();
    unload_all();
  }

  Status queue_copy(Address to, Address from, std::size_t bytes) override {
    if (bytes == 0) return ok_status();
    return driver_.check(driver_.copy_on_device(to, from, bytes, stream_), "a copy on the device");
  }
  Status queue_strided(const StridedCopy& copy) override {
    KGB_TRY(const cuda::Helpers* const helpers, this->helpers());
    return helpers->queue_copy(copy, stream_);
  }

  Result<std::unique_ptr<VendorCall>> vendor_call(const std::string& function, const Call& call,
                                                  const Places& places) override {
    if (cublas_ == nullptr) {
      constexpr int kHopper = 90;
      KGB_TRY(cublas_, cuda::Cublas::open(driver_, stream_, std::stoi(description_.arch) >= kHopper));
    }
    return cublas_->bind(function, call, places);
  }

  Status queue_read(Address from, std::size_t bytes) override {
    KGB_TRY(const cuda::Helpers* const helpers, this->helpers());
    return helpers->queue_read(from, bytes, stream_);
  }

  Status begin_graph() override {
    KGB_CHECK(helpers());  // loads what capture would not allow to load
    constexpr int kRelaxed = 2;
    return driver_.check(driver_.capture_begin(stream_, kRelaxed), "recording a graph");
  }
  Status end_graph() override {
    void* graph = nullptr;
    KGB_CHECK(driver_.check(driver_.capture_end(stream_, &graph), "recording a graph"));
    const Status adopted = adopt_graph(reinterpret_cast<std::uintptr_t>(graph));
    if (!adopted.ok()) {
      driver_.graph_destroy(graph);
      return adopted;
    }
    recorded_ = graph;
    return ok_status();
  }
  Status adopt_graph(std::uintptr_t graph) override {
    KGB_TRY(const cuda::Helpers* const helpers, this->helpers());
    KGB_TRY(void* const exec, helpers->stamped(reinterpret_cast<void*>(graph)));
    forget_graph();
    graph_ = exec;
    return ok_status();
  }

  Result<std::vector<double>> time(int n, const Restore& restore, Clock clock) override {
    if (graph_ == nullptr) return internal_error("there is no graph to time");
    if (clock == Clock::activity) return activity_ns(n, restore);
    KGB_TRY(const double empty, empty_ns());
    std::vector<double> samples;
    for (int i = 0; i < n; ++i) {
      KGB_CHECK(queue_copy(restore.to, restore.from, restore.bytes));
      KGB_TRY(const double ns, stamped_ns(graph_));
      samples.push_back(std::max(0.0, ns - empty));
    }
    return samples;
  }

  Result<Sustained> sustain(std::chrono::milliseconds time) override {
    if (graph_ == nullptr) return internal_error("there is no graph to replay");
    Sustained done;
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    // Bursts of some milliseconds, so that waiting for the device is a small part.
    for (std::int64_t burst = 1; done.seconds < 1e-3 * static_cast<double>(time.count());) {
      for (std::int64_t i = 0; i < burst; ++i)
        KGB_CHECK(driver_.check(driver_.graph_launch(graph_, stream_), "a replay"));
      KGB_CHECK(driver_.check(driver_.stream_synchronize(stream_), "a replay"));
      const double before = done.seconds;
      done.seconds = seconds();
      done.replays += burst;
      if (done.seconds - before < kBurstSeconds && burst < kMostBurst) burst *= 2;
    }
    return done;
  }

  Result<std::vector<NodeTime>> trace(const Restore& restore) override {
    if (graph_ == nullptr) return internal_error("there is no graph to time");
    KGB_TRY(cuda::Activity* const activity, cuda::Activity::open());
    KGB_CHECK(activity->start());
    // CUPTI knows the nodes of graphs alone that were instantiated while it listened.
    const Result<std::vector<cuda::Record>> records = [&]() -> Result<std::vector<cuda::Record>> {
      if (recorded_ == nullptr) return recorded_replay(*activity, graph_, restore);
      KGB_TRY(const cuda::Helpers* const helpers, this->helpers());
      KGB_TRY(void* const exec, helpers->stamped(recorded_));
      Result<std::vector<cuda::Record>> seen = recorded_replay(*activity, exec, restore);
      driver_.graph_exec_destroy(exec);
      return seen;
    }();
    activity->stop();
    if (!records.ok()) return records.error();
    std::vector<NodeTime> nodes;
    const std::vector<cuda::Record> inside = cuda::between_stamps(*records);
    if (inside.empty())
      return host_error(fmt::format(
          "CUPTI gave {} records of a replay, of which none lies between its stamps", records->size()));
    for (const cuda::Record& record : inside)
      nodes.push_back({record.name, static_cast<double>(record.start - inside.front().start),
                       static_cast<double>(record.end - record.start)});
    return nodes;
  }

  KernelResources resources(int kernel) const override {
    const auto attribute = [&](int which) {
      int value = 0;
      driver_.function_attribute(&value, which, kernels_[static_cast<std::size_t>(kernel)].function);
      return static_cast<std::int64_t>(value);
    };
    return {attribute(cuda::function_attribute::kRegisters), attribute(cuda::function_attribute::kLocalBytes),
            attribute(cuda::function_attribute::kStaticShared)};
  }

  std::optional<Fault> wait(SteadyTime deadline) override {
    // Short kernels end within the spin; long ones are asked for now and then.
    for (int tries = 0;; ++tries) {
      const int result = driver_.stream_query(stream_);
      if (result == cuda::code::kSuccess) return std::nullopt;
      if (result != cuda::code::kNotReady) return fault_of(result, "a kernel");
      if (std::chrono::steady_clock::now() >= deadline) {
        hung_ = true;
        return Fault{"deadline", "the device was still at work when the time limit of the trial passed",
                     true};
      }
      if (tries > kSpins) std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  static constexpr std::size_t kMostModules = 4096;
  static constexpr int kSpins = 2000;
  static constexpr int kEmptySamples = 101;
  static constexpr std::int64_t kMostBurst = 1024;
  static constexpr double kBurstSeconds = 5e-3;

  struct Scratch {
    Address at = 0;
    std::int64_t bytes = 0;
  };

  [[nodiscard]] Status reachable() const {
    if (!hung_) return ok_status();
    return host_error("the device's memory is behind a kernel that has not ended");
  }

  Result<const cuda::Helpers*> helpers() {
    if (!helpers_) {
      KGB_TRY(cuda::Helpers loaded, cuda::Helpers::load(driver_, description_.l2_bytes));
      helpers_ = loaded;
    }
    return &*helpers_;
  }

  // One replay with cold caches. The read of the flush is still running when the graph is queued, so the
  // host's launch lies outside the stamps.
  Result<double> stamped_ns(void* exec) {
    KGB_CHECK(helpers_->queue_flush(stream_));
    KGB_CHECK(driver_.check(driver_.graph_launch(exec, stream_), "a timed replay"));
    std::array<std::uint64_t, 2> stamps{};
    KGB_CHECK(read(std::as_writable_bytes(std::span(stamps)), helpers_->stamps()));
    return static_cast<double>(stamps[1] - stamps[0]);
  }

  void forget_graph() {
    if (graph_ != nullptr) driver_.graph_exec_destroy(graph_);
    if (recorded_ != nullptr) driver_.graph_destroy(recorded_);
    graph_ = recorded_ = nullptr;
  }

  // The records of one replay; between Activity::start and stop.
  Result<std::vector<cuda::Record>> recorded_replay(cuda::Activity& activity, void* exec,
                                                    const Restore& restore) {
    KGB_CHECK(queue_copy(restore.to, restore.from, restore.bytes));
    KGB_TRY([[maybe_unused]] const double stamped, stamped_ns(exec));
    return activity.take();
  }

  Result<std::vector<double>> activity_ns(int n, const Restore& restore) {
    KGB_TRY(cuda::Activity* const activity, cuda::Activity::open());
    KGB_CHECK(activity->start());
    std::vector<double> samples;
    const auto sample = [&]() -> Status {
      KGB_TRY(const std::vector<cuda::Record> records, recorded_replay(*activity, graph_, restore));
      samples.push_back(cuda::span_of(records));
      return ok_status();
    };
    Status done = ok_status();
    for (int i = 0; i < n && done.ok(); ++i) done = sample();
    activity->stop();
    if (!done.ok()) return done.error();
    return samples;
  }

  // The two stamps with nothing between: median of what such graphs show.
  Result<double> empty_ns() {
    if (empty_ns_) return *empty_ns_;
    KGB_TRY(const cuda::Helpers* const helpers, this->helpers());
    KGB_TRY(void* const exec, helpers->stamped(nullptr));
    std::vector<double> samples;
    for (int i = 0; i < kEmptySamples; ++i) {
      KGB_TRY(const double ns, stamped_ns(exec));
      samples.push_back(ns);
    }
    driver_.graph_exec_destroy(exec);
    empty_ns_ = median(std::move(samples));
    return *empty_ns_;
  }

  // Grows a scratch buffer to what a launch needs and gives its address.
  std::optional<Fault> reserve(Scratch& scratch, std::int64_t bytes, Argument& out) {
    if (bytes > scratch.bytes) {
      if (scratch.at != 0) {
        driver_.stream_synchronize(stream_);
        driver_.memory_free(scratch.at);
      }
      scratch = {};
      if (const int result = driver_.memory_alloc(&scratch.at, static_cast<std::size_t>(bytes)); result != 0)
        return fault_of(result, "scratch memory");
      scratch.bytes = bytes;
    }
    std::copy_n(reinterpret_cast<const std::byte*>(&scratch.at), sizeof scratch.at, out.bytes.begin());
    return std::nullopt;
  }

  Fault fault_of(int result, const std::string& what) const {
    const std::string message = what + ": " + driver_.describe(result);
    if (result == cuda::code::kOutOfMemory) return {"memory_limit", message, false};
    if (result == cuda::code::kAssert) return {"kernel_assert", message, true};
    if (result == cuda::code::kLaunchTimeout) return {"deadline", message, true};
    // Refused launches have small numbers and leave the context alone; from 700 on the context is lost.
    const bool lost = result >= cuda::code::kIllegalAddress && result < 800;
    return {lost ? "device_fault" : "device_refused", message, lost};
  }

  void unload_all() {
    driver_.stream_synchronize(stream_);
    for (const Loaded& loaded : kernels_) driver_.module_unload(loaded.module);
    kernels_.clear();
    by_content_.clear();
  }

  const Driver& driver_;
  Description description_;
  void* stream_;
  Scratch scratch_, profile_;
  std::optional<cuda::Helpers> helpers_;
  std::unique_ptr<cuda::Cublas> cublas_;
  std::optional<double> empty_ns_;
  // Behind a kernel that may never end every call that copies or frees would wait for it: none is made. The
  // process takes all with it.
  bool hung_ = false;
  void* graph_ = nullptr;     // of the plan between stamps, ready to be replayed
  void* recorded_ = nullptr;  // what it was made from; null where another process's library owns that
  std::vector<Loaded> kernels_;
  std::unordered_map<std::string, int> by_content_;
};

std::string uuid_text(const Driver& driver, int device) {
  std::array<unsigned char, 16> uuid{};
  if (driver.device_uuid(uuid.data(), device) != cuda::code::kSuccess) return "";
  std::string text;
  for (const unsigned char byte : uuid) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

Result<Description> describe(const Driver& driver, int device) {
  Description d;
  char name[256] = {};
  std::size_t memory = 0;
  int version = 0, major = 0, minor = 0, value = 0;
  KGB_CHECK(driver.check(driver.device_name(name, sizeof name - 1, device), "the device's name"));
  KGB_CHECK(driver.check(driver.device_memory(&memory, device), "the device's memory"));
  driver.driver_version(&version);
  const auto attribute = [&](int which) {
    value = 0;
    driver.device_attribute(&value, which, device);
    return value;
  };
  major = attribute(cuda::device_attribute::kMajor);
  minor = attribute(cuda::device_attribute::kMinor);
  d.name = name;
  d.arch = std::to_string(10 * major + minor);
  d.driver = version_text(version);
  d.uuid = uuid_text(driver, device);
  d.memory_bytes = static_cast<std::int64_t>(memory);
  d.multiprocessors = attribute(cuda::device_attribute::kMultiprocessors);
  d.l2_bytes = attribute(cuda::device_attribute::kL2Bytes);
  d.shared_optin_bytes = attribute(cuda::device_attribute::kSharedOptin);
  return d;
}

}  // namespace

Result<int> count_cuda() {
  KGB_TRY(const Driver* const driver, Driver::open());
  int count = 0;
  KGB_CHECK(driver->check(driver->device_count(&count), "the number of CUDA devices"));
  return count;
}

Result<Description> describe_cuda(int index) {
  KGB_TRY(const Driver* const driver, Driver::open());
  int device = 0;
  KGB_CHECK(
      driver->check(driver->device_get(&device, index), ("CUDA device " + std::to_string(index)).c_str()));
  return describe(*driver, device);
}

Result<std::unique_ptr<Monitor>> monitor_cuda(int index) {
  KGB_TRY(const Driver* const driver, Driver::open());
  KGB_TRY(const cuda::Nvml* const nvml, cuda::Nvml::open());
  int device = 0;
  char bus[32] = {};
  KGB_CHECK(
      driver->check(driver->device_get(&device, index), ("CUDA device " + std::to_string(index)).c_str()));
  KGB_CHECK(driver->check(driver->device_pci_bus(bus, sizeof bus - 1, device), "the device's PCI bus"));
  return cuda::monitor_of(*nvml, bus);
}

Result<std::unique_ptr<Runtime>> open_cuda(int index) {
  KGB_TRY(const Driver* const driver, Driver::open());
  int device = 0;
  void *context = nullptr, *stream = nullptr;
  KGB_CHECK(
      driver->check(driver->device_get(&device, index), ("CUDA device " + std::to_string(index)).c_str()));
  KGB_TRY(Description description, describe(*driver, device));
  KGB_CHECK(driver->check(driver->context_retain(&context, device), "a context on the device"));
  KGB_CHECK(driver->check(driver->context_set(context), "a context on the device"));
  constexpr unsigned kNonBlocking = 1;
  KGB_CHECK(driver->check(driver->stream_create(&stream, kNonBlocking), "a stream"));
  return std::unique_ptr<Runtime>(new CudaRuntime(*driver, std::move(description), stream));
}

}  // namespace kgb::device
