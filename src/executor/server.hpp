// SPDX-License-Identifier: Apache-2.0
// The executor process: answers trial requests on a frame channel.
#pragma once

#include <string>

#include "executor/trial.hpp"
#include "model/trial.hpp"

namespace kgb::executor {

// What a request asks for, without device and series. The request must outlive it.
[[nodiscard]] TrialOptions options_of(const TrialRequest& request);

// Serves until the peer closes the channel (docs/contracts/wire.md). Returns an exit code. With a backend of
// src/device/runtimes.def, launches run on the first device that it shows this process, which ends after a
// fault that took the context.
int serve(int fd, const std::string& backend = {});

}  // namespace kgb::executor
