// SPDX-License-Identifier: Apache-2.0
// A long-lived child that answers requests over a frame channel: started on demand, killed when it does not
// answer, started again for the next request.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frame.hpp"
#include "base/result.hpp"
#include "sandbox/process.hpp"

namespace kgb::sandbox {

// Why a request got no answer. The worker is gone then.
struct WorkerLoss {
  FrameEnd end = FrameEnd::none;  // closed: it died; deadline: it was killed
  Finished finished;
  std::string error_output;  // the end of its standard error
};
struct Answer {
  Frame frame;
  std::optional<WorkerLoss> loss;
};

// How a worker comes to life: by a program, or by whatever else makes a process that answers on `channel`,
// its end of the socket pair, which stays the caller's.
class Starter {
 public:
  using Start = std::function<Result<Started>(int channel)>;
  // The command's `pass` gets the channel as its first descriptor, so it is number 3.
  Starter(Command command);  // implicit: most workers are programs
  explicit Starter(Start start) : start_(std::move(start)) {}
  [[nodiscard]] Result<Started> start(int channel) const { return start_(channel); }

 private:
  Start start_;
};

// One worker; not thread-safe.
class Worker {
 public:
  explicit Worker(Starter starter);
  ~Worker();
  Worker(Worker&&) noexcept;
  Worker& operator=(Worker&&) noexcept;

  // Starts the process when it is not running. An Error is the host's: it cannot be started. `stop`, once
  // set, is a deadline that has passed.
  [[nodiscard]] Result<Answer> ask(std::string_view json, std::span<const std::byte> blob, Millis limit,
                                   const FrameLimits& limits = {}, const std::atomic<bool>* stop = nullptr);
  void stop();

 private:
  struct Running;
  Status start();
  WorkerLoss lose(FrameEnd end);
  Starter starter_;
  std::unique_ptr<Running> running_;
};

// At most `size` equal workers, made on demand; callers wait for a free one.
class WorkerPool {
 public:
  WorkerPool(Starter starter, std::size_t size);
  ~WorkerPool();
  [[nodiscard]] Result<Answer> ask(std::string_view json, std::span<const std::byte> blob, Millis limit,
                                   const FrameLimits& limits = {}, const std::atomic<bool>* stop = nullptr);
  // Runs `work` with one worker held, for several requests in a row.
  void with(const std::function<void(Worker&)>& work);

 private:
  Starter starter_;
  std::size_t size_, made_ = 0;
  std::vector<std::unique_ptr<Worker>> idle_;
  std::mutex mutex_;
  std::condition_variable freed_;
};

}  // namespace kgb::sandbox
