// SPDX-License-Identifier: Apache-2.0
// kgbench tune: a kernel, or many, made faster without a model.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "campaign/tuning.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "model/operator_name.hpp"
#include "setup.hpp"
#include "tune_tasks.hpp"

namespace kgb::app {
namespace {

struct TuneArguments {
  std::string file, tasks, out;
  OperatorChoice operators;
  int rounds = 40;
  std::uint64_t draw = 0;
  double minutes = 0;
  bool json = false;
  std::vector<std::string> time_specs;
  JudgeOptions judge;
};

Result<std::vector<TuneTask>> tasks_of(const TuneArguments& options, const Catalogue& catalogue) {
  if (!options.tasks.empty()) {
    KGB_TRY(const std::string text, read_text_file(options.tasks));
    return tune_tasks_from_json_lines(text, options.tasks, catalogue);
  }
  if (!options.file.empty() && options.operators.names.size() != 1)
    return user_error("name the operator of " + options.file + " with --op (kgbench list)");
  if (!options.time_specs.empty() && options.operators.names.size() != 1)
    return user_error("--time-spec goes with one operator; several have theirs in a file of --tasks");
  KGB_TRY(const std::vector<const Operator*> operators, chosen(options.operators, catalogue));
  std::vector<TuneTask> tasks;
  for (const Operator* op : operators) {
    if (op->tagged("no_kernel") && options.operators.names.empty()) continue;
    TuneTask task{op, options.file, {}};
    KGB_TRY(task.timed, timed_workloads_of(options.time_specs, *op));
    tasks.push_back(std::move(task));
  }
  return tasks;
}

// Where `kgbench run --contestant dir:DIR` finds it: DIR/<source>/<op>.py.
Status keep(const std::string& folder, const TuneRow& row) {
  if (folder.empty() || !row.tuned || !row.tuned->improved()) return ok_status();
  const std::filesystem::path file = std::filesystem::path(folder) / candidate_name(row.op);
  KGB_CHECK(make_folders(file.parent_path()));
  return write_file_atomic(file, row.tuned->source);
}

Result<int> run_tune(const TuneArguments& options) {
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  if (resolved.chip == "cpu")
    return user_error(
        "nothing is timed on chip cpu: the virtual machine is no clock. Tune on a machine with an NVIDIA GPU "
        "(kgbench doctor)");
  KGB_TRY(const Installation installation, find_installation());
  KGB_TRY(const Catalogue catalogue,
          load_catalogue(options.tasks.empty() ? options.operators.names : std::vector<std::string>()));
  KGB_TRY(const std::vector<TuneTask> tasks, tasks_of(options, catalogue));
  KGB_TRY(const std::unique_ptr<Judge> judge, open_judge(options.judge, resolved.lanes, catalogue));
  TuneOptions how;
  how.request = request_of(options.judge, resolved);
  how.tuner.rewriter = {installation.interpreter, installation.python_dir};
  how.tuner.rounds = options.rounds;
  how.lanes = resolved.lanes;
  how.seed = options.draw;
  if (options.minutes > 0)
    how.deadline = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(static_cast<std::int64_t>(60e3 * options.minutes));
  const std::atomic<bool>& stop_asked = stop_on_interrupt();
  Status kept = ok_status();
  const auto told = [&](const TuneRow& row) {
    if (const Status wrote = keep(options.out, row); !wrote.ok()) kept = wrote;
    const std::string text =
        options.json ? tune_json(row).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n"
                     : tune_text(row);
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
  };
  KGB_TRY(const std::vector<TuneRow> rows, tune_all(*judge, tasks, how, told, stop_asked));
  if (!kept.ok()) return kept.error();
  std::size_t improved = 0, failed = 0;
  for (const TuneRow& row : rows) {
    improved += row.tuned && row.tuned->improved() ? 1 : 0;
    failed += row.tuned ? 0 : 1;
  }
  std::fprintf(stderr, "%zu of %zu kernels are faster than their seeds\n", improved, tasks.size());
  if (stop_asked) return kExitFault;
  if (failed > 0 && tasks.size() == 1) return user_error(rows.front().error);
  return failed > 0 ? kExitFailed : kExitPass;
}

}  // namespace

Registered register_tune(CLI::App& root) {
  auto options = std::make_shared<TuneArguments>();
  CLI::App* command = root.add_subcommand("tune", "Make kernels faster without a model");
  command->footer(help_text("tune"));
  command->add_option("file", options->file, "the seed kernel (default: the operator's expert)");
  add_operator_choice(*command, options->operators);
  command->add_option("--tasks", options->tasks, "JSON lines with op, time and seed: many operators at once");
  command->add_option("--rounds", options->rounds, "proposals raced, of each operator")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--minutes", options->minutes, "no proposals after so many minutes (default: no limit)")
      ->check(CLI::Range(0.0, 1e6));
  command->add_option("--draw", options->draw, "another number searches in another order")
      ->capture_default_str();
  command->add_option("--out", options->out, "folder for the tuned kernels: <source>/<op>.py");
  command->add_flag("--json", options->json, "a JSON line for each operator");
  add_time_spec_option(*command, options->time_specs);
  add_judge_options(*command, options->judge, {"smoke", "hidden"});
  options->judge.large = true;
  return {command, [options]() { return run_tune(*options); }};
}

}  // namespace kgb::app
