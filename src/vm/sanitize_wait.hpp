// SPDX-License-Identifier: Apache-2.0
// Program instances that wait for each other: a waiting one gives its turn away and is tried again when
// memory has changed; when nobody can change it any more, the wait is a finding.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "vm/sanitize_check.hpp"

namespace kgb::vm {

// Of one execution of a loop: what it carried and how often memory had changed when its last trip ended.
struct Spin {
  bool valid = false;
  std::uint64_t changes = 0, carried = 0;
};

// Only one thread runs at any time; each holds one instance. Turns change where a loop made a trip that
// changed nothing: since the machine is deterministic, such a loop would go on for ever.
class Turns {
 public:
  using MakeFrame = std::function<std::unique_ptr<Frame>()>;
  using RunRest = std::function<void(Frame&)>;
  using MayStart = std::function<bool()>;
  // `make` gives another frame with bound arguments, `rest` runs what is left of the grid on it, and `may`
  // says whether anything is left.
  Turns(LaunchCheck& launch, MakeFrame make, RunRest rest, MayStart may, std::size_t limit);

  // Runs the grid, beginning on this frame; returns when all instances have ended.
  void run(Frame& frame);
  // The loop at `made` made a trip that changed nothing. False: it would never end, and was reported.
  bool wait(Frame& frame, const Instruction& made);

 private:
  struct Runner {
    Frame* frame = nullptr;
    FrameCheck check;
    std::unique_ptr<Frame> own;
    std::thread thread;
    bool waiting = false, done = false;
    std::uint64_t changes = 0;  // when it began to wait
    const Instruction* loop = nullptr;
  };
  enum class Next : std::uint8_t { other, fresh, none };
  Next choose();
  void start();
  void finish(std::size_t self);
  void report(Runner& runner);
  void stop();
  Runner& runner_of(const Frame& frame);

  LaunchCheck& launch_;
  MakeFrame make_;
  RunRest rest_;
  MayStart may_;
  std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable turned_;
  std::vector<std::unique_ptr<Runner>> runners_;
  std::size_t turn_ = 0;
  bool stopped_ = false;
};

// After each trip of a loop whose length is not known. False: the instance has ended.
bool after_trip(Frame& frame, const Instruction& made, Spin& spin);

}  // namespace kgb::vm
