// SPDX-License-Identifier: Apache-2.0
// kgbench report: a run's results in one of the formats of reports.def.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/files.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "report/report.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

struct Options {
  std::filesystem::path run;
  std::string format = "table";
  std::filesystem::path out;
};

Result<int> report(const Options& options) {
  std::filesystem::path file = options.run;
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) file /= "run.sqlite";
  std::vector<std::string> formats;
  const ReportRow* chosen = nullptr;
  for (const ReportRow& row : reports()) {
    formats.push_back(row.name);
    if (row.name == options.format) chosen = &row;
  }
  if (chosen == nullptr)
    return user_error("no format " + in_quotes(options.format) + did_you_mean(options.format, formats) +
                      ". Formats: " + join(formats, ", "));
  KGB_TRY(const Store store, Store::open_existing(file));
  KGB_TRY(const RunReport loaded, load_report(store));
  ReportStyle style;
  style.colour = options.out.empty() && wants_colour();
  const std::string text = chosen->make(loaded, style);
  if (!options.out.empty()) {
    if (const Status written = write_file_atomic(options.out, text); !written.ok())
      return user_error("the report cannot be written to " + in_quotes(options.out.string()) + " (" +
                        written.error().message + "). Name a file in a folder that exists with --out");
    return kExitPass;
  }
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    return host_error("the report cannot be written to standard output");
  return kExitPass;
}

}  // namespace

Registered register_report(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("report", "Show a run's results");
  command->footer(help_text("report"));
  command->add_option("run", options->run, "folder of the run")->required();
  command->add_option("--format", options->format, "table, json, csv, html or junit")->capture_default_str();
  command->add_option("--out", options->out, "write to this file instead of standard output");
  return {command, [options] { return report(*options); }};
}

}  // namespace kgb::app
