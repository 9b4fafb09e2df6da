// SPDX-License-Identifier: Apache-2.0
// kgbench merge: runs of one contestant over parts of a suite, and over chips, become one.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>

#include "campaign/merge.hpp"
#include "command.hpp"

namespace kgb::app {
namespace {

struct MergeArguments {
  std::vector<std::filesystem::path> runs;
  std::filesystem::path out;
};

Result<int> merge(const MergeArguments& options) {
  std::error_code ignored;
  if (std::filesystem::exists(options.out / "run.sqlite", ignored))
    return user_error(options.out.string() + " holds a run already: name another --out");
  std::vector<StoredRun> runs;
  for (const std::filesystem::path& folder : options.runs) {
    KGB_TRY(std::vector<StoredRun> held, open_runs(folder));
    std::move(held.begin(), held.end(), std::back_inserter(runs));
  }
  KGB_TRY(const Merged merged, merge_runs(runs, options.out));
  const std::string chips = merged.chips > 1 ? " on " + std::to_string(merged.chips) + " chips" : "";
  std::printf("%lld items of %zu runs%s in %s: %lld judged, %lld open\n",
              static_cast<long long>(merged.items), runs.size(), chips.c_str(), options.out.string().c_str(),
              static_cast<long long>(merged.evaluations), static_cast<long long>(merged.open));
  return kExitPass;
}

}  // namespace

Registered register_merge(CLI::App& root) {
  auto options = std::make_shared<MergeArguments>();
  CLI::App* command = root.add_subcommand("merge", "Join runs of one contestant into one run");
  command->footer(help_text("merge"));
  command->add_option("runs", options->runs, "folders of the runs")->required();
  command->add_option("--out", options->out, "folder of the new run")->required();
  return {command, [options] { return merge(*options); }};
}

}  // namespace kgb::app
