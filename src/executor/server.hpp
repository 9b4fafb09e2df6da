// SPDX-License-Identifier: Apache-2.0
// The executor process: answers trial requests on a frame channel.
#pragma once

#include <string>

namespace kgb::executor {

// Serves until the peer closes the channel (docs/contracts/wire.md). Returns an exit code. With a backend of
// src/device/runtimes.def, launches run on the first device that it shows this process, which ends after a
// fault that took the context.
int serve(int fd, const std::string& backend = {});

}  // namespace kgb::executor
