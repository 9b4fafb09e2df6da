// SPDX-License-Identifier: Apache-2.0
// kgbench new: a stub candidate, or the folder of an operator of the user's own.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/texts.hpp"
#include "command.hpp"
#include "new_operator.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

struct NewArguments {
  std::string op, name;
  std::filesystem::path out, reference;
};

Result<int> new_candidate(const NewArguments& options) {
  if (options.op.empty())
    return user_error("no operator. Name one (kgbench list), or: kgbench new operator NAME");
  KGB_TRY(const Catalogue catalogue, load_catalogue({options.op}));
  KGB_TRY(const Operator* const op, catalogue.find(options.op));
  const std::string text = options.out.extension() == ".cu" ? cuda_stub_text(*op) : stub_text(*op);
  if (options.out.empty()) {
    std::fputs(text.c_str(), stdout);
    return kExitPass;
  }
  std::error_code ignored;
  if (std::filesystem::exists(options.out, ignored))
    return user_error(options.out.string() + " exists already. Name another file with --out");
  if (options.out.has_parent_path() && !std::filesystem::is_directory(options.out.parent_path(), ignored))
    return user_error("there is no folder " + in_quotes(options.out.parent_path().string()) +
                      ". Name a file in a folder that exists with --out");
  if (const Status written = write_file_atomic(options.out, text); !written.ok())
    return user_error("the stub cannot be written to " + in_quotes(options.out.string()) + " (" +
                      written.error().message + "). Name a file in a folder that exists with --out");
  std::printf("%s written. Fill in the kernel, then: kgbench judge %s --op %s\n",
              options.out.string().c_str(), options.out.string().c_str(), op->name.c_str());
  return kExitPass;
}

}  // namespace

Registered register_new_(CLI::App& root) {
  auto options = std::make_shared<NewArguments>();
  CLI::App* command = root.add_subcommand("new", "Write a stub candidate, or an operator of your own");
  command->footer(help_text("new"));
  command->add_option("op", options->op, "operator: aten::softmax, or softmax where that is unique");
  command->add_option("--out", options->out,
                      "file to write; an existing one is left alone (default: standard output)");
  CLI::App* own = command->add_subcommand("operator", "Write the folder of an operator of your own");
  own->add_option("name", options->name, "source::op, or op alone (source `own`)")->required();
  own->add_option("--reference", options->reference, "Python file with one function for each entry")
      ->required();
  own->fallthrough();
  return {command, [options, own]() {
            return own->parsed() ? new_operator(options->name, options->reference) : new_candidate(*options);
          }};
}

}  // namespace kgb::app
