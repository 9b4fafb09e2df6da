// SPDX-License-Identifier: Apache-2.0
// kgbench count: what a candidate's kernels compute and ask of memory, printed and stored.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "counted.hpp"
#include "report/count_text.hpp"
#include "report/sanitize_text.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

struct CountArguments {
  std::string file, op, entry;
  std::vector<std::string> only;
  std::filesystem::path out = "runs/counts";
  bool json = false, no_store = false, all = false;
  JudgeOptions judge;
};

// What does not change from workload to workload.
struct Counting {
  const CountArguments& options;
  const Catalogue& catalogue;
  JudgeRequest request;
  std::vector<const ChipCard*> chips;
  executor::Workshop workshop;
  std::vector<CountedCall> counted;
  std::size_t findings = 0;
  bool short_form = false;  // a line for each workload
};

// The chips whose cards have peak rates, or the one that was asked for.
Result<std::vector<const ChipCard*>> chips_of(const std::string& name, const Catalogue& catalogue) {
  std::vector<const ChipCard*> chips;
  if (name != "auto") {
    KGB_TRY(const ChipCard* const chip, catalogue.chip(name));
    if (chip->peak.empty())
      return user_error("the card of " + name +
                        " has no peak rates, so it has no roofline. Name another chip");
    chips.push_back(chip);
    return chips;
  }
  for (const ChipCard& chip : catalogue.chips())
    if (!chip.peak.empty()) chips.push_back(&chip);
  return chips;
}

// The workloads that were asked for, by id and by entry.
Result<std::vector<Judge::Planned>> plan(Judge& judge, JudgeRequest request, const CountArguments& options) {
  std::vector<Judge::Planned> rows;
  const std::vector<std::string> everything{""};
  for (const std::string& id : options.only.empty() ? everything : options.only) {
    if (!id.empty()) request.only_workload = id;
    KGB_TRY(std::vector<Judge::Planned> found, judge.plan(request));
    for (Judge::Planned& row : found)
      if (options.entry.empty() || row.call.entry == options.entry) rows.push_back(std::move(row));
  }
  if (rows.empty() && !options.entry.empty())
    return user_error("none of these workloads calls " + in_quotes(options.entry) + ". kgbench show " +
                      request.op + " lists the entries; choose other workloads with --workload");
  return rows;
}

void print_line(const nlohmann::json& json) {
  std::printf("%s\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

void print(const Counting& counting, const CountReport& report, const CallCounters* before) {
  if (counting.options.json)
    print_line(to_json(report));
  else if (counting.short_form && before != nullptr && totals(*before) == totals(report.call.counters))
    return;
  else if (counting.short_form)
    std::fputs(count_summary(report).c_str(), stdout);
  else if (before != nullptr && totals(*before) == totals(report.call.counters))
    std::printf("  call %d       the same numbers\n", report.call.counters.call);
  else
    std::fputs(count_text(report).c_str(), stdout);
}

void print(const Counting& counting, const Finding& finding) {
  if (counting.options.json)
    print_line(to_json(finding));
  else
    std::fputs(sanitize_text(finding, counting.request.source).c_str(), stdout);
}

Status count_workload(Counting& counting, const Judge::Planned& row) {
  KGB_TRY(Counted counted, count_calls(row, counting.options.file, counting.request.seed,
                                       counting.options.judge.trial_s, counting.workshop));
  for (const Finding& finding : counted.findings) print(counting, finding);
  counting.findings += counted.findings.size();
  if (!counted.findings.empty()) return ok_status();  // what was counted until then is no whole call
  const CallCounters* before = nullptr;
  counting.counted.reserve(counting.counted.size() + counted.calls.size());
  for (CallCounters& call : counted.calls) {
    CountReport report =
        count_report(row, std::move(call), counting.request, counting.catalogue, counting.chips);
    print(counting, report, before);
    counting.counted.push_back(std::move(report.call));
    before = &counting.counted.back().counters;
  }
  return ok_status();
}

Result<int> count(CountArguments options) {
  KGB_TRY(const std::string source, read_file(options.file, kMaxCandidateBytes));
  const std::string chip = std::exchange(options.judge.chip, "auto");
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  KGB_TRY(const Catalogue catalogue, load_catalogue({options.op}));
  KGB_TRY(const Operator* const op, catalogue.find(options.op));
  Counting counting{options, catalogue, request_of(options.judge, resolved), {}, {}, {}, 0, false};
  KGB_TRY(counting.chips, chips_of(chip, catalogue));
  JudgeRequest& request = counting.request;
  KGB_TRY(request.own, own_workloads_of(options.judge, *op));
  request.op = op->name;
  request.source = source;
  request.file = options.file;
  KGB_TRY(std::unique_ptr<Judge> judge, open_judge(options.judge, 1, catalogue));
  KGB_TRY(const std::vector<Judge::Planned> planned, plan(*judge, request, options));
  counting.short_form = !options.all && !options.json && planned.size() > 1;
  for (const Judge::Planned& row : planned) KGB_CHECK(count_workload(counting, row));
  if (counting.short_form)
    std::puts("Kernels, loops, arguments and the other chips: --all, or --only ID of one workload");
  if (!options.no_store) {
    KGB_CHECK(make_folders(options.out));
    KGB_TRY(Store store, Store::open(options.out / "run.sqlite"));
    KGB_CHECK(store.record_counts(counting.counted));
    if (!options.json)
      std::printf("%zu calls stored in %s\n", counting.counted.size(), (options.out / "run.sqlite").c_str());
  }
  return counting.findings == 0 ? kExitPass : kExitFailed;
}

}  // namespace

Registered register_count(CLI::App& root) {
  auto options = std::make_shared<CountArguments>();
  CLI::App* command =
      root.add_subcommand("count", "Count a candidate's arithmetic, memory traffic and loops");
  command->footer(help_text("count"));
  command->add_option("file", options->file, "the candidate: .py")->required();
  command->add_option("--op", options->op, "operator")->required();
  command->add_option("--entry", options->entry, "workloads that call this entry alone: add_Scalar");
  command->add_option("--only", options->only, "these workloads alone, by their ids: s3,f1")->delimiter(',');
  command->add_flag("--all", options->all, "everything of every workload, in place of a line for each");
  command->add_flag("--json", options->json, "the counters as JSON lines, one for each call");
  command
      ->add_option("--out", options->out,
                   "folder of the store that the counts are added to, that of a run too")
      ->capture_default_str();
  command->add_flag("--no-store", options->no_store, "print alone");
  add_judge_options(*command, options->judge, {"smoke"});
  command->get_option("--chip")->description(
      "roofline of this chip card alone (auto: all that have peak rates)");
  add_own_workload_options(*command, options->judge);
  return {command, [options] { return count(*options); }};
}

}  // namespace kgb::app
