// SPDX-License-Identifier: Apache-2.0
// kgbench's own kernels on the device: time stamps, reading the caches cold, strided copies. As PTX, which
// the driver compiles, so that building needs no CUDA.
#pragma once

#include <cstdint>
#include <string>

#include "device/cuda/driver.hpp"
#include "device/runtime.hpp"

namespace kgb::device::cuda {

class Helpers {
 public:
  // Errors: the driver does not take the PTX.
  static Result<Helpers> load(const Driver& driver, std::int64_t l2_bytes);

  // A graph of: stamp, the nodes of `inner` unless it is nullptr, stamp. The stamps write nanoseconds of the
  // device's global timer to stamps()[0] and [1].
  [[nodiscard]] Result<void*> stamped(void* inner) const;
  [[nodiscard]] Address stamps() const { return stamps_; }
  // Queues a read of several times the L2 cache: whatever lay there is evicted, and nothing dirty stays
  // behind.
  [[nodiscard]] Status queue_flush(void* stream) const;
  // Queues a read of so many bytes, a multiple of 16, by every multiprocessor.
  [[nodiscard]] Status queue_read(Address from, std::size_t bytes, void* stream) const;
  [[nodiscard]] Status queue_copy(const StridedCopy& copy, void* stream) const;
  // Gives back the module and the memory; nothing of it may be running.
  void release() const;

 private:
  explicit Helpers(const Driver& driver) : driver_(&driver) {}
  [[nodiscard]] Status launch(void* function, unsigned blocks, void** parameters, void* stream) const;

  const Driver* driver_;
  void *module_ = nullptr, *stamp_ = nullptr, *read_ = nullptr;
  void* copy_[5] = {};  // by the logarithm of the element's size
  Address stamps_ = 0, flush_ = 0;
  std::uint64_t flush_words_ = 0;  // of 16 bytes
};

// The PTX of all helpers.
[[nodiscard]] std::string helper_ptx();

}  // namespace kgb::device::cuda
