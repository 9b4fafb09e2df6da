// SPDX-License-Identifier: Apache-2.0
// kgbench export: the winning kernels of a run, or all its samples.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "base/text.hpp"
#include "campaign/export.hpp"
#include "command.hpp"
#include "sandbox/process.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  fs::path run, best, out;
  std::string format = "jsonl";
};

// A run, or one for each chip.
using Runs = std::vector<StoredRun>;

Status write_lines(const Runs& runs, std::FILE* file) {
  bool written = true;
  for (const StoredRun& run : runs)
    KGB_CHECK(export_samples(run, [&](std::string_view line) {
      written = written && std::fwrite(line.data(), 1, line.size(), file) == line.size() &&
                std::fputc('\n', file) != EOF;
    }));
  if (!written || std::fflush(file) != 0)
    return host_error("the samples could not be written. Is the disk full?");
  return ok_status();
}

Status write_jsonl(const Runs& runs, const fs::path& out) {
  if (out.empty()) return write_lines(runs, stdout);
  std::FILE* file = std::fopen(out.c_str(), "w");
  if (file == nullptr) return user_error(out.string() + " cannot be written. Does its folder exist?");
  Status done = write_lines(runs, file);
  if (std::fclose(file) != 0 && done.ok())
    done = host_error(out.string() + " could not be written. Is the disk full?");
  return done;
}

// Parquet is written by pyarrow from the lines.
Status write_parquet(const Runs& runs, const fs::path& out) {
  if (out.empty()) return user_error("--format parquet needs a file: --out samples.parquet");
  KGB_TRY(const Installation installation, find_installation());
  const fs::path lines = out.string() + ".jsonl";
  KGB_CHECK(write_jsonl(runs, lines));
  sandbox::Command command;
  command.argv = {installation.interpreter, (installation.python_dir / "kgbench" / "parquet.py").string(),
                  fs::absolute(lines).string(), fs::absolute(out).string()};
  command.environment = {"PATH=/usr/bin:/bin"};
  sandbox::Limits limits;
  limits.wall = Millis{600'000};
  KGB_TRY(const sandbox::Output done, sandbox::run(command, limits));
  std::error_code ignored;
  fs::remove(lines, ignored);
  if (!done.finished.clean()) return user_error(std::string(trim(done.err)));
  return ok_status();
}

// What is fastest on one chip need not be on another: each has a folder of its own.
Result<int> write_best(const Runs& runs, const fs::path& best) {
  for (const StoredRun& run : runs) {
    const fs::path folder = runs.size() == 1 ? best : best / chip_place(run.run.chip);
    KGB_TRY(const std::int64_t count, export_best(run, folder));
    std::fprintf(stderr, "%lld kernels in %s\n", static_cast<long long>(count), folder.string().c_str());
  }
  return kExitPass;
}

Result<int> export_run(const ExportArguments& options) {
  KGB_TRY(const Runs runs, open_runs(options.run));
  if (!options.best.empty()) return write_best(runs, options.best);
  KGB_CHECK(options.format == "parquet" ? write_parquet(runs, options.out) : write_jsonl(runs, options.out));
  return kExitPass;
}

}  // namespace

Registered register_export_(CLI::App& root) {
  auto options = std::make_shared<ExportArguments>();
  CLI::App* command = root.add_subcommand("export", "Write a run's winning kernels, or all its samples");
  command->footer(help_text("export"));
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("--best", options->best, "folder for the best passing kernel of each operator");
  command->add_option("--format", options->format, "jsonl, or parquet (needs pyarrow)")
      ->check(CLI::IsMember({"jsonl", "parquet"}))
      ->capture_default_str();
  command->add_option("--out", options->out, "file for the samples (default: standard output)");
  return {command, [options] { return export_run(*options); }};
}

}  // namespace kgb::app
