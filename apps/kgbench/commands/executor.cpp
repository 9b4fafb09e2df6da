// SPDX-License-Identifier: Apache-2.0
// kgbench executor: the process that runs launch plans; started by the judge, not by people.
#include <CLI/CLI.hpp>
#include <memory>

#include "command.hpp"
#include "executor/native_host.hpp"
#include "executor/server.hpp"

namespace kgb::app {

Registered register_executor(CLI::App& root) {
  struct Options {
    int fd = -1;
    bool native = false;
    std::string backend;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("executor", "Run launch plans for the judge")->group("");
  command->add_option("--fd", options->fd, "channel")->required();
  command->add_flag("--native", options->native, "load and call a native candidate");
  command->add_option("--backend", options->backend, "run launches on a device of this runtime");
  return {command, [options]() -> Result<int> {
            return options->native ? serve_native(options->fd)
                                   : executor::serve(options->fd, options->backend);
          }};
}

}  // namespace kgb::app
