// SPDX-License-Identifier: Apache-2.0
// kgbench new: a stub candidate.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/files.hpp"
#include "catalogue/texts.hpp"
#include "command.hpp"
#include "setup.hpp"

namespace kgb::app {

Registered register_new_(CLI::App& root) {
  struct Options {
    std::string op;
    std::filesystem::path out;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("new", "Write a stub candidate for an operator");
  command->footer(help_text("new"));
  command->add_option("op", options->op, "operator: aten::softmax, or softmax where that is unique")
      ->required();
  command->add_option("--out", options->out,
                      "file to write; an existing one is left alone (default: standard output)");
  return {command, [options]() -> Result<int> {
            KGB_TRY(const Catalogue catalogue, load_catalogue());
            KGB_TRY(const Operator* const op, catalogue.find(options->op));
            const std::string text = stub_text(*op);
            if (options->out.empty()) {
              std::fputs(text.c_str(), stdout);
              return kExitPass;
            }
            std::error_code ignored;
            if (std::filesystem::exists(options->out, ignored))
              return user_error(options->out.string() + " exists already. Name another file with --out");
            KGB_CHECK(write_file_atomic(options->out, text));
            std::printf("%s written. Fill in the kernel, then: kgbench judge %s --op %s\n",
                        options->out.string().c_str(), options->out.string().c_str(), op->name.c_str());
            return kExitPass;
          }};
}

}  // namespace kgb::app
