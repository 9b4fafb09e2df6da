// SPDX-License-Identifier: Apache-2.0
// Workers: a thread per process drains its output and reaps it, so that neither a full pipe nor a zombie can
// hold us.
#include "sandbox/worker.hpp"

#include <poll.h>

#include <algorithm>
#include <thread>

namespace kgb::sandbox {
namespace {

constexpr std::size_t kKeptErrorOutput = 4000;
constexpr Millis kForever{std::chrono::hours(24 * 365)};
constexpr Millis kStopStep{50};

// Waits for the answer, or its deadline. False: nobody wants it any more.
bool wanted(int fd, const Deadline& deadline, const std::atomic<bool>* stop) {
  while (stop != nullptr && !deadline.passed()) {
    if (*stop) return false;
    const Result<bool> there = wait_for(fd, POLLIN, Deadline(Millis(deadline.poll_ms(kStopStep.count()))));
    if (!there.ok() || *there) break;
  }
  return true;
}

}  // namespace

struct Worker::Running {
  Running(Started started_process, Fd our_end)
      : started(std::move(started_process)), channel(std::move(our_end)) {
    keeper = std::thread([this] {
      Limits limits;
      limits.wall = kForever;
      Channel* const channels[] = {&started.out, &started.err};
      Result<Finished> end = started.child.wait(limits, channels);
      if (end.ok()) finished = *end;
    });
  }
  ~Running() {
    channel.reset();
    if (keeper.joinable()) {
      started.child.kill();
      keeper.join();
    }
  }
  Started started;
  Fd channel;
  Finished finished;
  std::thread keeper;
};

Starter::Starter(Command command)
    : start_([command = std::move(command)](int channel) {
        Command with_channel = command;
        with_channel.pass.insert(with_channel.pass.begin(), channel);
        return kgb::sandbox::start(with_channel);
      }) {}

Worker::Worker(Starter starter) : starter_(std::move(starter)) {}
Worker::~Worker() = default;
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;

void Worker::stop() {
  running_.reset();
}

Status Worker::start() {
  KGB_TRY(auto ends, make_socket_pair());
  KGB_TRY(Started started, starter_.start(ends.second.get()));
  running_ = std::make_unique<Running>(std::move(started), std::move(ends.first));
  return ok_status();
}

WorkerLoss Worker::lose(FrameEnd end) {
  WorkerLoss loss;
  loss.end = end;
  // A process that closed its channel is about to end by itself; anything else is killed.
  if (end != FrameEnd::closed) running_->started.child.kill();
  running_->channel.reset();
  for (int i = 0; i < 200 && running_->started.child.running(); ++i) std::this_thread::sleep_for(Millis(5));
  if (running_->started.child.running()) running_->started.child.kill();
  running_->keeper.join();
  loss.finished = running_->finished;
  const std::string& text = running_->started.err.bytes;
  loss.error_output = text.substr(text.size() - std::min(text.size(), kKeptErrorOutput));
  running_.reset();
  return loss;
}

Result<Answer> Worker::ask(std::string_view json, std::span<const std::byte> blob, Millis limit,
                           const FrameLimits& limits, const std::atomic<bool>* stop) {
  if (running_ == nullptr) {
    KGB_CHECK(start());
  }
  const Deadline deadline(limit);
  Answer answer;
  Status sent = write_frame(running_->channel.get(), json, blob, deadline);
  if (!sent.ok()) {
    answer.loss = lose(FrameEnd::closed);
    return answer;
  }
  if (!wanted(running_->channel.get(), deadline, stop)) {
    answer.loss = lose(FrameEnd::deadline);
    return answer;
  }
  FrameRead read = read_frame(running_->channel.get(), deadline, limits);
  if (read.end != FrameEnd::none) {
    answer.loss = lose(read.end);
    return answer;
  }
  answer.frame = std::move(read.frame);
  return answer;
}

WorkerPool::WorkerPool(Starter starter, std::size_t size) : starter_(std::move(starter)), size_(size) {}
WorkerPool::~WorkerPool() = default;

void WorkerPool::with(const std::function<void(Worker&)>& work) {
  std::unique_ptr<Worker> worker;
  {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return !idle_.empty() || made_ < size_; });
    if (idle_.empty()) {
      ++made_;
      worker = std::make_unique<Worker>(starter_);
    } else {
      worker = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  work(*worker);
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(worker));
  }
  freed_.notify_one();
}

Result<Answer> WorkerPool::ask(std::string_view json, std::span<const std::byte> blob, Millis limit,
                               const FrameLimits& limits, const std::atomic<bool>* stop) {
  Result<Answer> answer = internal_error("no worker was asked");
  with([&](Worker& worker) { answer = worker.ask(json, blob, limit, limits, stop); });
  return answer;
}

}  // namespace kgb::sandbox
