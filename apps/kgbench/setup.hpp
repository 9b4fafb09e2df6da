// SPDX-License-Identifier: Apache-2.0
// What several subcommands share: finding the installation, options of judging, text for people.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/library.hpp"
#include "catalogue/catalogue.hpp"
#include "judge/judge.hpp"

namespace CLI {
class App;
}

namespace kgb::app {

// KGBENCH_HOME, KGBENCH_PYTHON, KGBENCH_EXT_DIR where they are set; else by the place of this program.
[[nodiscard]] Result<Installation> find_installation();
// `only`: as Catalogue::load takes it. Says on standard error, the first time in a process, which operators a
// broken card leaves out.
[[nodiscard]] Result<Catalogue> load_catalogue(const std::vector<std::string>& only = {});

// --suite and --op, as mutate, screen and tolerance have them.
struct OperatorChoice {
  std::string suite = "demo";
  std::vector<std::string> names;
};
void add_operator_choice(CLI::App& command, OperatorChoice& choice);
[[nodiscard]] Result<std::vector<const Operator*>> chosen(const OperatorChoice& choice,
                                                          const Catalogue& catalogue);

// What is read of a candidate's file where a larger one gets its verdict from the judge (kMaxCandidateBytes).
inline constexpr std::size_t kCandidateFileBytes = std::size_t{64} << 20;

// Options that run, judge and plan have in common.
struct JudgeOptions {
  std::vector<std::string> tiers;
  std::string seed_text, tolerance = "model", chip = "auto";
  std::vector<std::string> targets;
  std::string memcheck = "auto";  // auto, on, off
  std::vector<int> devices;       // of this machine, as CUDA numbers them; none: all of one kind
  int lanes = 0;
  int value_sets = 2;
  std::string own_file;                // TOML with [[workload]] tables
  std::vector<std::string> own_specs;  // "self=f16[4096,32003] dim=-1"
  std::string library;                 // NAME or NAME=PATH: a declared library that the candidate calls
  bool install = false;                // the library first
  std::optional<Profile> profile;      // careful unless it is given
  bool in_process = false;             // on a device: call the candidate instead of recording its plan
  std::string against;                 // the baseline by name; empty: the card's
  std::string timing;                  // "published": a do_bench column
  bool allow_weak_lock = false, no_time = false;
  bool large = false;  // many large workloads: the oracle's answers to them may take an eighth of the memory
  double author_s = 60, trial_s = 60;
};
// One operator's, or all where a library is declared: its file names operators.
[[nodiscard]] Result<Catalogue> load_catalogue_for(const std::string& op, const JudgeOptions& options);
void add_judge_options(CLI::App& command, JudgeOptions& options,
                       const std::vector<std::string>& default_tiers);
// --in-process, --against and --timing, for what judges and times.
void add_mode_options(CLI::App& command, JudgeOptions& options);
// --profile, for what judges whole candidates.
void add_profile_option(CLI::App& command, JudgeOptions& options);

// The options, checked: unknown tiers, targets and chips are the user's errors with a suggestion.
struct ResolvedOptions {
  std::vector<Tier> tiers;
  std::uint64_t seed = 0;
  std::vector<std::string> targets;
  int lanes = 1;
  std::string chip = "cpu";           // the card's name
  std::vector<DeviceChoice> devices;  // none on chip cpu
};
[[nodiscard]] Result<ResolvedOptions> resolve(const JudgeOptions& options);
// What the options say of every candidate; operator, source and file are the caller's.
[[nodiscard]] JudgeRequest request_of(const JudgeOptions& options, const ResolvedOptions& resolved);
// Workloads of the user's own, empty when none were given.
void add_own_workload_options(CLI::App& command, JudgeOptions& options);
[[nodiscard]] Result<std::vector<Workload>> own_workloads_of(const JudgeOptions& options, const Operator& op);
// The same in two steps, for many operators: as TOML, read and checked once, then for each operator.
struct OwnTables {
  std::string text, file;  // `file`: what errors name; empty: none were given
};
[[nodiscard]] Result<OwnTables> own_tables_of(const JudgeOptions& options);
[[nodiscard]] Result<std::vector<Workload>> own_workloads_of(const OwnTables& own, const Operator& op);
// --time-spec: workloads that are timed in place of the heaviest of those judged.
void add_time_spec_option(CLI::App& command, std::vector<std::string>& specs);
[[nodiscard]] Result<std::vector<Workload>> timed_workloads_of(const std::vector<std::string>& specs,
                                                               const Operator& op);
// --install, and --library where the candidate is a file.
void add_install_option(CLI::App& command, JudgeOptions& options);
void add_library_option(CLI::App& command, JudgeOptions& options);
// The library of the options, installed where that was asked for; none when none was named.
[[nodiscard]] Result<std::optional<DeclaredLibrary>> library_of(const JudgeOptions& options,
                                                                const Catalogue& catalogue);
[[nodiscard]] Result<std::unique_ptr<Judge>> open_judge(const JudgeOptions& options, int lanes,
                                                        Catalogue catalogue,
                                                        const std::optional<DeclaredLibrary>& library = {});

[[nodiscard]] bool is_terminal(int fd);
[[nodiscard]] bool wants_colour();  // standard output is a terminal and NO_COLOR is not set
[[nodiscard]] int processors();
// JSON facts of this host and the library judged, for the store.
[[nodiscard]] std::string host_facts(const std::optional<DeclaredLibrary>& library);

}  // namespace kgb::app
