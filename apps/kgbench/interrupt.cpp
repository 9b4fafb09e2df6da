// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <unistd.h>

#include <csignal>

#include "command.hpp"

namespace kgb::app {
namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a handler may touch nothing else

extern "C" void on_interrupt(int) {
  if (stop_asked.exchange(true)) ::_exit(kExitFault);
}

}  // namespace

const std::atomic<bool>& stop_on_interrupt() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  return stop_asked;
}

}  // namespace kgb::app
