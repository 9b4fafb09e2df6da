// SPDX-License-Identifier: Apache-2.0
// Turns between waiting program instances, and the proof that a wait cannot end.
#include "vm/sanitize_wait.hpp"

namespace kgb::vm {
namespace {

std::uint64_t mixed(std::uint64_t hash, const std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i)  // FNV-1a
    hash = (hash ^ static_cast<std::uint64_t>(data[i])) * 0x100000001B3u;
  return hash;
}

std::uint64_t carried_by(Frame& frame, const std::vector<int>& values) {
  std::uint64_t hash = 0xCBF29CE484222325u;
  for (const int id : values) {
    const Value& value = frame.at(id);
    if (value.form == Form::splat)
      hash = mixed(hash, reinterpret_cast<const std::byte*>(&value.bits), sizeof value.bits);
    else
      hash = mixed(hash, elements(frame, id), static_cast<std::size_t>(value.n) * frame.info(id).bytes);
  }
  return hash;
}

}  // namespace

bool after_trip(Frame& frame, const Instruction& made, Spin& spin) {
  FrameCheck& check = *frame.check;
  if (check.turns == nullptr) return true;
  const std::uint64_t carried = carried_by(frame, made.regions[0].blocks[0].arguments);
  const bool stuck = spin.valid && spin.changes == check.launch->changes && spin.carried == carried;
  spin = {true, check.launch->changes, carried};
  if (!stuck) return true;
  spin.valid = false;
  return check.turns->wait(frame, made);
}

Turns::Turns(LaunchCheck& launch, MakeFrame make, RunRest rest, MayStart may, std::size_t limit)
    : launch_(launch), make_(std::move(make)), rest_(std::move(rest)), may_(std::move(may)), limit_(limit) {}

Turns::Runner& Turns::runner_of(const Frame& frame) {
  for (const auto& runner : runners_)
    if (runner->frame == &frame) return *runner;
  return *runners_.front();
}

void Turns::run(Frame& frame) {
  runners_.push_back(std::make_unique<Runner>());
  Runner& first = *runners_.back();
  first.frame = &frame;
  first.check.launch = &launch_;
  first.check.turns = launch_.checks().waits ? this : nullptr;
  frame.check = &first.check;
  rest_(frame);
  finish(0);
  for (std::size_t i = 1;; ++i) {  // more may start while others end
    std::thread thread;
    {
      const std::lock_guard lock(mutex_);
      if (i >= runners_.size()) break;
      thread = std::move(runners_[i]->thread);
    }
    thread.join();
  }
  frame.check = nullptr;
}

// Sets the turn. The lock is held.
Turns::Next Turns::choose() {
  for (std::size_t i = 0; i < runners_.size(); ++i) {
    const Runner& runner = *runners_[i];
    if (!runner.waiting || runner.done || runner.changes == launch_.changes) continue;
    turn_ = i;
    return Next::other;
  }
  return runners_.size() < limit_ && may_() ? Next::fresh : Next::none;
}

void Turns::start() {
  const std::size_t self = runners_.size();
  runners_.push_back(std::make_unique<Runner>());
  Runner& runner = *runners_.back();
  runner.own = make_();
  runner.frame = runner.own.get();
  runner.check.launch = &launch_;
  runner.check.turns = this;
  runner.frame->check = &runner.check;
  turn_ = self;
  runner.thread = std::thread([this, self, frame = runner.frame] {
    {
      std::unique_lock lock(mutex_);
      turned_.wait(lock, [&] { return turn_ == self || stopped_; });
    }
    rest_(*frame);
    finish(self);
  });
}

void Turns::stop() {
  stopped_ = true;
  turned_.notify_all();
}

void Turns::finish(std::size_t self) {
  const std::lock_guard lock(mutex_);
  runners_[self]->done = true;
  if (stopped_) return;
  const Next next = choose();
  if (next == Next::none) {
    for (const auto& runner : runners_)
      if (runner->waiting && !runner->done) report(*runner);
    return stop();
  }
  if (next == Next::fresh) start();
  turned_.notify_all();
}

void Turns::report(Runner& runner) {
  if (runner.frame->state->stop) return;  // the run was ended: nobody could have written
  const bool crowded = may_();
  std::string text = "a loop that waits";
  int region = -1;
  std::int64_t offset = 0;
  if (runner.check.read_bytes != 0 && (region = runner.frame->memory->find(runner.check.read_at)) >= 0) {
    const Region& buffer = runner.frame->memory->region(region);
    offset = static_cast<std::int64_t>(runner.check.read_at - reinterpret_cast<std::uint64_t>(buffer.data));
    text += " for element " + std::to_string(offset / static_cast<std::int64_t>(runner.check.read_bytes)) +
            " of '" + buffer.name + "'";
  }
  text += crowded ? ", which none of the " + std::to_string(runners_.size()) +
                        " programs that wait at the same time will write,"
                  : ", which no program will write any more,";
  launch_.report(*runner.frame, *runner.loop, "endless_wait", std::move(text), region, offset, {});
  runner.frame->state->stop = true;
}

bool Turns::wait(Frame& frame, const Instruction& made) {
  std::unique_lock lock(mutex_);
  Runner& self = runner_of(frame);
  const auto index = [&] {
    for (std::size_t i = 0; i < runners_.size(); ++i)
      if (runners_[i].get() == &self) return i;
    return std::size_t{0};
  }();
  self.loop = &made;
  self.waiting = true;
  self.changes = launch_.changes;
  const Next next = choose();
  if (next == Next::none) {
    report(self);
    stop();
    frame.trapped = true;
    return false;
  }
  if (next == Next::fresh) start();
  turned_.notify_all();
  turned_.wait(lock, [&] { return turn_ == index || stopped_; });
  self.waiting = false;
  if (!stopped_) return true;
  frame.trapped = true;
  return false;
}

}  // namespace kgb::vm
