// SPDX-License-Identifier: Apache-2.0
// kgbench plan: what a candidate launches.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "base/files.hpp"
#include "command.hpp"
#include "report/plan_text.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

struct PlanArguments {
  std::string file, op, only;
  bool ttir = false, json = false;
  JudgeOptions judge;
};

Result<int> plan(const PlanArguments& options) {
  KGB_TRY(const std::string source, read_file(options.file, kMaxCandidateBytes));
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  KGB_TRY(const Catalogue catalogue, load_catalogue_for(options.op, options.judge));
  KGB_TRY(const Operator* const op, catalogue.find(options.op));
  KGB_TRY(std::vector<Workload> own, own_workloads_of(options.judge, *op));
  KGB_TRY(const std::optional<DeclaredLibrary> library, library_of(options.judge, catalogue));
  KGB_TRY(std::unique_ptr<Judge> judge, open_judge(options.judge, 1, catalogue, library));
  JudgeRequest request = request_of(options.judge, resolved);
  if (library) declare(request, library->library, *op);
  request.op = op->name;
  request.own = std::move(own);
  request.source = source;
  request.file = options.file;
  if (!options.only.empty()) request.only_workload = options.only;
  KGB_TRY(const std::vector<Judge::Planned> planned, judge->plan(request));
  bool whole = true;
  for (const Judge::Planned& row : planned) {
    if (options.json) {
      if (row.recording) std::printf("%s\n", to_json_text(*row.recording).c_str());
    } else {
      std::fputs(
          plan_text(row.call, row.recording ? &*row.recording : nullptr, row.findings, options.ttir).c_str(),
          stdout);
    }
    whole = whole && row.recording.has_value();
  }
  return whole ? kExitPass : kExitFailed;
}

}  // namespace

Registered register_plan(CLI::App& root) {
  auto options = std::make_shared<PlanArguments>();
  CLI::App* command = root.add_subcommand("plan", "Show what a candidate launches");
  command->footer(help_text("plan"));
  command->add_option("file", options->file, "the candidate: .py")->required();
  command->add_option("--op", options->op, "operator")->required();
  command->add_option("--only", options->only, "one workload, by its id: s3");
  command->add_flag("--ttir", options->ttir, "with the kernels' intermediate representation");
  command->add_flag("--json", options->json, "the recordings as JSON lines (docs/contracts/plan.md)");
  add_judge_options(*command, options->judge, {"smoke"});
  add_own_workload_options(*command, options->judge);
  add_library_option(*command, options->judge);
  return {command, [options] { return plan(*options); }};
}

}  // namespace kgb::app
