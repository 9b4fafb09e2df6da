// SPDX-License-Identifier: Apache-2.0
// What a subcommand is: options on a CLI11 subcommand and a function that runs it.
#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"

namespace CLI {
class App;
}

namespace kgb::app {

// Exit codes, documented in docs/cli: 0 all asked for passed or the run completed, 1 a judged candidate
// failed, 2 a user's mistake, 3 our or the host's fault.
inline constexpr int kExitPass = 0, kExitFailed = 1, kExitUser = 2, kExitFault = 3;

// Runs the command and gives the exit code; an Error becomes one line and the code of its fault.
using Action = std::function<Result<int>()>;

// Adds the subcommand to `root`; the returned action runs it after parsing. One per row of commands.def.
struct Registered {
  CLI::App* app = nullptr;
  Action action;
};

// Text of docs/cli/<verb>.md, shown below the options by --help.
[[nodiscard]] std::string help_text(const std::string& verb);

[[nodiscard]] int exit_code(Fault fault);

}  // namespace kgb::app
