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

// One worker; not thread-safe. The command's `pass` gets the channel as its first descriptor, so it is
// number 3.
class Worker {
 public:
  explicit Worker(Command command);
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
  Command command_;
  std::unique_ptr<Running> running_;
};

// At most `size` equal workers, made on demand; callers wait for a free one.
class WorkerPool {
 public:
  WorkerPool(Command command, std::size_t size);
  ~WorkerPool();
  [[nodiscard]] Result<Answer> ask(std::string_view json, std::span<const std::byte> blob, Millis limit,
                                   const FrameLimits& limits = {}, const std::atomic<bool>* stop = nullptr);
  // Runs `work` with one worker held, for several requests in a row.
  void with(const std::function<void(Worker&)>& work);

 private:
  Command command_;
  std::size_t size_, made_ = 0;
  std::vector<std::unique_ptr<Worker>> idle_;
  std::mutex mutex_;
  std::condition_variable freed_;
};

}  // namespace kgb::sandbox
