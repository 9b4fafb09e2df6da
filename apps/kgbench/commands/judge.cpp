// SPDX-License-Identifier: Apache-2.0
// kgbench judge: one candidate with its evidence on one screen, or a stream of candidates.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "judge_told.hpp"
#include "report/verdict_text.hpp"
#include "setup.hpp"
#include "stream.hpp"

namespace kgb::app {
namespace {

struct JudgeArguments {
  std::string file, op, only, baseline;
  std::vector<std::string> time_specs;
  bool json = false, stream = false;
  JudgeOptions judge;
};

// Names the baseline in the request once it has passed what the candidate has to pass: a wrong kernel is no
// measure of speed.
Status take_baseline(Judge& judge, const std::string& file, JudgeRequest& request) {
  if (file.empty()) return ok_status();
  KGB_TRY(const std::string source, read_file(file, kCandidateFileBytes));
  JudgeRequest alone = request;
  alone.source = source;
  alone.file = file;
  alone.time = false;
  alone.in_process = false;  // it is timed by its plan
  alone.timed.clear();
  alone.targets.clear();
  KGB_TRY(const Evaluation evaluation, judge_told(judge, alone));
  if (const Finding* finding = deciding_finding(evaluation.findings))
    return user_error("the baseline " + file + " does not pass: " + std::string(name_of(evaluation.verdict)) +
                      ": " + first_line(finding->message) + ". kgbench judge " + file + " --op " +
                      request.op + " has all");
  request.baseline_source = source;
  request.baseline_file = file;
  return ok_status();
}

Result<int> judge_one(const JudgeArguments& options) {
  if (options.file.empty())
    return user_error("no candidate. Name a file: kgbench judge mine.py --op aten::softmax");
  if (options.op.empty()) return user_error("no operator. Name one with --op (kgbench list)");
  KGB_TRY(const std::string source, read_file(options.file, kCandidateFileBytes));
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  if (!options.baseline.empty() && !options.judge.against.empty())
    return user_error("--baseline and --against both say what the candidate is timed against: name one");
  if (!options.baseline.empty() && resolved.chip == "cpu" && language_of(options.file) != "cpp")
    return user_error(
        "--baseline needs a clock, and the virtual machine of chip cpu is none. Use it on a GPU, or kgbench"
        " compare, which counts the work of both");
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
  request.contestant = library ? library->contestant() : "file";
  if (!options.only.empty()) request.only_workload = options.only;
  KGB_TRY(request.timed, timed_workloads_of(options.time_specs, *op));
  KGB_CHECK(take_baseline(*judge, options.baseline, request));
  KGB_TRY(const Evaluation evaluation, judge_told(*judge, request));
  if (options.json)
    std::printf("%s\n",
                to_json(evaluation).dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  else
    std::fputs(verdict_text(evaluation, wants_colour()).c_str(), stdout);
  if (evaluation.verdict == Verdict::infra) return kExitFault;
  return evaluation.verdict == Verdict::pass ? kExitPass : kExitFailed;
}

}  // namespace

Registered register_judge(CLI::App& root) {
  auto options = std::make_shared<JudgeArguments>();
  CLI::App* command = root.add_subcommand("judge", "Judge one candidate, or a stream of them");
  command->footer(help_text("judge"));
  command->add_option("file", options->file, "the candidate: .py (Triton), .cu (CUDA C++) or .cpp");
  command->add_option("--op", options->op, "operator: aten::softmax, or softmax where that is unique");
  command->add_option("--only", options->only, "one workload, by its id: s3, f12, h7");
  command->add_option("--baseline", options->baseline,
                      "a candidate that passes: timed against it, in place of the card's baseline");
  command->add_flag("--json", options->json, "the whole evaluation as JSON");
  command->add_flag("--stream", options->stream, "JSON lines from standard input to standard output");
  add_judge_options(*command, options->judge, {"smoke", "hidden"});
  add_profile_option(*command, options->judge);
  add_mode_options(*command, options->judge);
  add_own_workload_options(*command, options->judge);
  add_time_spec_option(*command, options->time_specs);
  add_library_option(*command, options->judge);
  return {command, [options]() -> Result<int> {
            if (!options->stream) return judge_one(*options);
            if (!options->judge.library.empty())
              return user_error("--library goes with one candidate or with kgbench run, not with --stream");
            if (!options->baseline.empty() || !options->time_specs.empty())
              return user_error("--baseline and --time-spec go with one candidate, not with --stream");
            return judge_stream(options->judge, {options->json, options->only});
          }};
}

}  // namespace kgb::app
