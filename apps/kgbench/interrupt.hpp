// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace kgb::app {

// Ctrl-C and SIGTERM set what is returned, so that a long command ends between two pieces of work; the second
// one ends the process at once, for what is stored is whole at any moment.
const std::atomic<bool>& stop_on_interrupt();

}  // namespace kgb::app
