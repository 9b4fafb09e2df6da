// SPDX-License-Identifier: Apache-2.0
// kgbench report: a run's results in one of the formats of reports.def, or a published table with runs in it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "report/published.hpp"
#include "stored_run.hpp"

namespace kgb::app {
namespace {

struct ReportArguments {
  std::vector<std::filesystem::path> runs;
  std::string format = "table", table, chip;
  std::filesystem::path out;
};

Result<int> deliver(const ReportArguments& options, const std::string& text) {
  if (options.out.empty()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return kExitPass;
  }
  if (const Status written = write_file_atomic(options.out, text); !written.ok())
    return user_error("the report cannot be written to " + in_quotes(options.out.string()) + " (" +
                      written.error().message + "). Name a file in a folder that exists with --out");
  return kExitPass;
}

// A published table with rows of the runs, of which there may be none.
Result<int> published(const ReportArguments& options) {
  const bool json = options.format == "json";
  if (!json && options.format != "table")
    return user_error("a published table has no format " + in_quotes(options.format) +
                      ". Formats of --table: table, json");
  KGB_TRY(const Installation installation, find_installation());
  KGB_TRY(PublishedTable table, load_published(installation.home / "catalogue" / "published", options.table));
  KGB_TRY(const std::vector<RunReport> reports, read_runs(options.runs, options.chip));
  for (const RunReport& report : reports)
    if (report.run.profile != "careful")
      return user_error(report.run.id + " is of the profile " + report.run.profile +
                        ", which no published table is. Judge it again: kgbench run --contestant replay:" +
                        report.run.id + " --profile careful");
  add_runs(table, pointers_to(reports));
  return deliver(options, json ? published_json(table).dump(2) + '\n' : published_text(table));
}

Result<int> report(const ReportArguments& options) {
  if (!options.table.empty()) return published(options);
  if (options.runs.size() != 1)
    return user_error(
        options.runs.empty()
            ? "no run. Name the folder that kgbench run printed"
            : "a report is of one run. Several: kgbench compare, or kgbench report --table NAME");
  std::vector<std::string> formats;
  const ReportRow* chosen = nullptr;
  for (const ReportRow& row : reports()) {
    formats.push_back(row.name);
    if (row.name == options.format) chosen = &row;
  }
  if (chosen == nullptr)
    return user_error("no format " + in_quotes(options.format) + did_you_mean(options.format, formats) +
                      ". Formats: " + join(formats, ", "));
  KGB_TRY(const std::vector<RunReport> loaded, read_runs(options.runs, options.chip));
  ReportStyle style;
  style.colour = options.out.empty() && wants_colour();
  if (loaded.size() == 1) return deliver(options, chosen->make(loaded.front(), style));
  if (chosen->join == nullptr)
    return user_error("the format " + chosen->name +
                      " is of one chip, and the run of several. Name one with " +
                      "--chip: " + join(chips_of(loaded), ", "));
  std::vector<std::string> texts;
  for (const RunReport& one : loaded) texts.push_back(chosen->make(one, style));
  return deliver(options, chosen->join(texts));
}

}  // namespace

Registered register_report(CLI::App& root) {
  auto options = std::make_shared<ReportArguments>();
  CLI::App* command = root.add_subcommand("report", "Show a run's results");
  command->footer(help_text("report"));
  command->add_option("run", options->runs, "folder of the run; with --table any number");
  command->add_option("--format", options->format, "table, json, csv, statistics (as CSV), html or junit")
      ->capture_default_str();
  command->add_option("--table", options->table,
                      "a published table with rows of these runs: a100, platforms, cost");
  command->add_option("--chip", options->chip, "of a run that was joined over chips: this one alone");
  command->add_option("--out", options->out, "write to this file instead of standard output");
  return {command, [options] { return report(*options); }};
}

}  // namespace kgb::app
