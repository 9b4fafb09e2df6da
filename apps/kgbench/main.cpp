// SPDX-License-Identifier: Apache-2.0
// The program: parses the command line, runs one subcommand, turns errors into one line and an exit code.
#include <poll.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <set>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "base/version.hpp"
#include "command.hpp"

namespace kgb::app {

#define KGB_COMMAND(verb) Registered register_##verb(CLI::App& root);
#include "commands.def"
#undef KGB_COMMAND

int exit_code(Fault fault) {
  return fault == Fault::user ? kExitUser : kExitFault;
}

namespace {

int say_error(const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.message.c_str());
  return exit_code(error.fault);
}

// The first word, where it was meant as a command and is none.
std::string unknown_command(int argc, char** argv, const CLI::App& root) {
  std::vector<std::string> known;
  for (const CLI::App* sub : root.get_subcommands([](const CLI::App*) { return true; }))
    known.push_back(sub->get_name());
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.empty() || word.starts_with('-') || std::find(known.begin(), known.end(), word) != known.end())
    return {};
  return in_quotes(word) + " is no command" + did_you_mean(word, known);
}

std::string command_name(const CLI::App& command) {
  return command.get_parent() == nullptr ? "kgbench" : "kgbench " + command.get_name();
}

// The first of the words that looks like an option of the command and is none, with the one it may have
// meant.
std::string unknown_option(const CLI::App& root) {
  const CLI::App* asked = &root;
  for (const CLI::App* sub : root.get_subcommands()) asked = sub;
  std::set<std::string> names;
  for (const CLI::App* app : {asked, &root})
    for (const CLI::Option* option : app->get_options())
      for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  const std::vector<std::string> known(names.begin(), names.end());
  for (const std::string& word : root.remaining(true)) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || names.contains(name)) continue;
    return in_quotes(name) + " is no option of " + command_name(*asked) + did_you_mean(name, known);
  }
  return {};
}

// CLI11 speaks several lines at times; the first one holds what happened.
int say_parse_error(const CLI::ParseError& error, const std::string& unknown, const CLI::App& root) {
  const std::string text = unknown.empty() ? first_line(error.what()) : unknown;
  const CLI::App* asked = &root;
  for (const CLI::App* sub : root.get_subcommands()) asked = sub;
  std::fprintf(stderr, "error: %s  (%s --help)\n", text.c_str(), command_name(*asked).c_str());
  return kExitUser;
}

int dispatch(int argc, char** argv) {
  CLI::App root{"kgbench judges GPU kernels: correct, honest, fast.", "kgbench"};
  root.set_version_flag("--version", "kgbench " + std::string(version()));
  root.require_subcommand(1);
  root.set_help_all_flag("--help-all", "Help of every subcommand");
  std::vector<Registered> commands;
#define KGB_COMMAND(verb) commands.push_back(register_##verb(root));
#include "commands.def"
#undef KGB_COMMAND
  root.add_option_function<std::vector<std::string>>(
          "--catalogue",
          [](const std::vector<std::string>& folders) {
            ::setenv("KGBENCH_CATALOGUE", join(folders, ":").c_str(), 1);
          },
          "folder with operators of your own, <source>/<op>/card.toml; may be given again")
      ->expected(1)
      ->take_all();
  for (CLI::App* sub : root.get_subcommands({})) sub->fallthrough();
  if (argc == 1) {
    std::fputs(root.help().c_str(), stdout);
    return kExitPass;
  }
  try {
    root.parse(argc, argv);
  } catch (const CLI::Success& success) {
    return root.exit(success);
  } catch (const CLI::ParseError& error) {
    std::string unknown = unknown_command(argc, argv, root);
    if (unknown.empty()) unknown = unknown_option(root);
    return say_parse_error(error, unknown, root);
  }
  for (const Registered& command : commands)
    if (command.app->parsed()) {
      Result<int> code = command.action();
      return code.ok() ? *code : say_error(code.error());
    }
  return kExitUser;
}

bool reader_went_away() {
  pollfd output{STDOUT_FILENO, POLLOUT, 0};
  return ::poll(&output, 1, 0) == 1 && (output.revents & POLLERR) != 0;
}

// What a command prints may be held back until here. A full disk loses some of it, and a script must learn
// so; a reader that went away (`kgbench report RUN | head`) has had what it wanted.
int with_output_checked(int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  if (reader_went_away()) return code;
  std::fputs(
      "error: standard output cannot be written, so what it holds is not whole. Free its disk, or send it"
      " elsewhere\n",
      stderr);
  return kExitFault;
}

}  // namespace
}  // namespace kgb::app

int main(int argc, char** argv) {
  // A reader that goes away (`kgbench report RUN | head`) is an error of a write, not a reason to die.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return kgb::app::with_output_checked(kgb::app::dispatch(argc, argv));
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory. Use fewer lanes (-j) or a machine with more\n", stderr);
  } catch (const std::exception& cause) {
    std::fprintf(stderr, "error: kgbench failed inside: %s. Please report it with the command that you ran\n",
                 cause.what());
  }
  return kgb::app::kExitFault;
}
