// SPDX-License-Identifier: Apache-2.0
// kgbench nvrtc: the process that compiles CUDA candidates; started by the judge in its lock, not by people.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"
#include "compiler/cuda_server.hpp"

namespace kgb::app {

Registered register_nvrtc(CLI::App& root) {
  struct Options {
    int fd = -1;
    std::string library;
    std::vector<std::string> includes;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("nvrtc", "Compile CUDA candidates for the judge")->group("");
  command->add_option("--fd", options->fd, "channel")->required();
  command->add_option("--library", options->library, "NVRTC's library")->required();
  command->add_option("--include", options->includes, "folders of headers");
  return {command, [options]() -> Result<int> {
            NvrtcPlace place{options->library, {}};
            for (const std::string& folder : options->includes) place.includes.emplace_back(folder);
            return serve_cuda_compiler(options->fd, place);
          }};
}

}  // namespace kgb::app
