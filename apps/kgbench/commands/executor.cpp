// SPDX-License-Identifier: Apache-2.0
// kgbench executor: the process that runs launch plans; started by the judge, not by people.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "executor/native_host.hpp"
#include "executor/probe.hpp"
#include "executor/replay.hpp"
#include "executor/server.hpp"

namespace kgb::app {
namespace {

// A plan that fails may have taken the context with it: the ones behind it are not tried.
Result<int> print_replays(const std::vector<std::string>& files, const executor::ReplayOptions& options) {
  for (const std::string& file : files) {
    KGB_TRY(const Replayed replayed, executor::replay(file, options));
    std::printf("%s\n", to_json_text(replayed).c_str());
    std::fflush(stdout);
    if (!replayed.findings.empty()) return kExitFailed;
  }
  return kExitPass;
}

}  // namespace

Registered register_executor(CLI::App& root) {
  struct Options {
    int fd = -1;
    bool native = false, probe = false, apart = false;
    std::string backend;
    std::vector<std::string> replays;
    int samples = 0;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("executor", "Run launch plans for the judge")->group("");
  command->add_option("--fd", options->fd, "channel");
  command->add_flag("--native", options->native, "load and call a native candidate");
  command->add_option("--backend", options->backend, "run launches on a device of this runtime");
  command->add_flag("--probe", options->probe, "ask the device whether it still does as it is told, and end");
  command->add_option("--replay", options->replays, "run stored plans on the device, print what ran, end");
  command->add_flag("--apart", options->apart, "of a replay: every buffer is an allocation of its own");
  command->add_option("--samples", options->samples, "of a replay: time the last call as often")
      ->check(CLI::Range(0, 1000));
  return {command, [options]() -> Result<int> {
            if (options->probe) {
              KGB_CHECK(executor::probe(options->backend));
              return kExitPass;
            }
            if (options->apart && options->samples > 0)
              return user_error("--apart is for checking, --samples for timing: leave one of them out");
            if (!options->replays.empty())
              return print_replays(options->replays, {options->backend, options->samples, options->apart});
            if (options->fd < 0) return user_error("the executor needs a channel: --fd");
            if (options->native) return serve_native(options->fd);
            // Not through the driver's own exit handlers: they would wait for a kernel that never ends.
            std::_Exit(executor::serve(options->fd, options->backend));
          }};
}

}  // namespace kgb::app
