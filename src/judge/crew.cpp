// SPDX-License-Identifier: Apache-2.0
// Hands crews out, one caller each.
#include "judge/crew.hpp"

#include <utility>

namespace kgb {

void CrewPool::with(const std::function<void(Crew&)>& work) {
  std::unique_ptr<Crew> crew;
  {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [&] { return !idle_.empty() || made_ < size_; });
    if (idle_.empty()) {
      ++made_;
      crew = std::make_unique<Crew>(make_());
    } else {
      crew = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  work(*crew);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(crew));
  freed_.notify_one();
}

}  // namespace kgb
