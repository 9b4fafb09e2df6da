// SPDX-License-Identifier: Apache-2.0
// Finds the installation and turns options into requests.
#include "setup.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/own_workloads.hpp"
#include "catalogue/toml.hpp"
#include "choose_chip.hpp"
#include "judge/baselines.hpp"
#include "model/generate.hpp"

namespace kgb::app {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

fs::path own_program() {
  std::error_code ignored;
  return fs::read_symlink("/proc/self/exe", ignored);
}

// The folder that holds catalogue/: named, or the nearest one above this program, or the installed
// share/kgbench.
fs::path find_home() {
  if (const std::string named = environment("KGBENCH_HOME"); !named.empty()) return named;
  std::error_code ignored;
  for (fs::path at = own_program().parent_path(); at.has_relative_path(); at = at.parent_path())
    for (const fs::path& home : {at, at / "share" / "kgbench"})
      if (fs::is_directory(home / "catalogue" / "operators", ignored)) return home;
  return {};
}

fs::path find_extension(const fs::path& python_dir) {
  if (const std::string named = environment("KGBENCH_EXT_DIR"); !named.empty()) return named;
  std::error_code ignored;
  if (fs::is_regular_file(python_dir / "kgbench" / "_kgbench.abi3.so", ignored)) return {};
  for (fs::path at = own_program().parent_path(); at.has_relative_path(); at = at.parent_path())
    if (fs::is_regular_file(at / "python" / "kgbench" / "_kgbench.abi3.so", ignored))
      return at / "python" / "kgbench";
  return {};
}

fs::path cache_folder() {
  if (const std::string named = environment("KGBENCH_CACHE"); !named.empty()) return named;
  if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty())
    return fs::path(base) / "kgbench";
  if (const std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "kgbench";
  return "/tmp/kgbench-cache";
}

// Where authors of any user can read: root's own cache is closed to them.
fs::path library_folder() {
  if (environment("KGBENCH_CACHE").empty() && ::geteuid() == 0) return "/var/cache/kgbench/libraries";
  return cache_folder() / "libraries";
}

// KGBENCH_CATALOGUE, which --catalogue sets: folders with a colon between them.
Result<std::vector<fs::path>> more_catalogues() {
  std::vector<fs::path> folders;
  const std::string named = environment("KGBENCH_CATALOGUE");
  if (named.empty()) return folders;
  for (const std::string& name : split(named, ':')) {
    std::error_code ignored;
    if (!fs::is_directory(name, ignored))
      return user_error("the catalogue " + in_quotes(name) +
                        " is no folder. It should hold <source>/<op>/card.toml");
    folders.push_back(fs::canonical(name, ignored));
  }
  return folders;
}

// An option given twice means no more than once.
template <typename T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::size_t memory_bytes() {
  return static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PHYS_PAGES))) *
         static_cast<std::size_t>(std::max(0L, ::sysconf(_SC_PAGE_SIZE)));
}

constexpr std::size_t kMostBroken = 5;

void tell_broken(const std::vector<BrokenOperator>& broken) {
  for (std::size_t i = 0; i < std::min(broken.size(), kMostBroken); ++i)
    std::fprintf(stderr, "  %s\n", broken[i].summary().c_str());
  if (broken.size() > kMostBroken)
    std::fprintf(stderr, "  %zu more operators are left out: kgbench list --check\n",
                 broken.size() - kMostBroken);
}

const std::vector<std::string> kTargets{"sm_80", "sm_90", "sm_100", "gfx942", "gfx950"};

}  // namespace

Result<Installation> find_installation() {
  Installation found;
  found.self = own_program();
  found.home = find_home();
  if (found.home.empty())
    return user_error(
        "kgbench does not find its catalogue. Set KGBENCH_HOME to the folder that holds catalogue/");
  KGB_TRY(found.more_catalogues, more_catalogues());
  // An installed package: home/ lies in the package's own folder, two below the one that Python searches.
  std::error_code ignored;
  found.python_dir = std::filesystem::is_directory(found.home / "python", ignored)
                         ? found.home / "python"
                         : found.home.parent_path().parent_path();
  found.extension_dir = find_extension(found.python_dir);
  const std::string interpreter = environment("KGBENCH_PYTHON");
  found.interpreter = interpreter.empty() ? "python3" : interpreter;
  found.include_dir = found.home / "include";
  found.cache_dir = cache_folder();
  found.library_dir = library_folder();
  return found;
}

Result<Catalogue> load_catalogue(const std::vector<std::string>& only) {
  KGB_TRY(const Installation installation, find_installation());
  KGB_TRY(Catalogue catalogue,
          Catalogue::load(installation.home / "catalogue", installation.more_catalogues, only));
  static std::once_flag told;
  std::call_once(told, [&] { tell_broken(catalogue.broken()); });
  return catalogue;
}

Result<Catalogue> load_catalogue_for(const std::string& op, const JudgeOptions& options) {
  return load_catalogue(options.library.empty() ? std::vector<std::string>{op} : std::vector<std::string>());
}

void add_operator_choice(CLI::App& command, OperatorChoice& choice) {
  command.add_option("--suite", choice.suite, "operators to take")->capture_default_str();
  command.add_option("--op", choice.names, "these operators alone; several with commas")->delimiter(',');
}

Result<std::vector<const Operator*>> chosen(const OperatorChoice& choice, const Catalogue& catalogue) {
  if (choice.names.empty()) return catalogue.suite(choice.suite);
  std::vector<const Operator*> operators;
  for (const std::string& name : choice.names) {
    KGB_TRY(const Operator* const op, catalogue.find(name));
    operators.push_back(op);
  }
  return operators;
}

void add_judge_options(CLI::App& command, JudgeOptions& options,
                       const std::vector<std::string>& default_tiers) {
  options.tiers = default_tiers;
  command
      .add_option("--tier,--workload", options.tiers, "smoke, full, hidden, published; several with commas")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option(
      "--seed", options.seed_text,
      "hexadecimal; hidden workloads and all values follow from it (default: fresh and secret)");
  command
      .add_option("--tolerance", options.tolerance,
                  "model: bound from an error model; published: the original's rule")
      ->check(CLI::IsMember({"model", "published"}))
      ->capture_default_str();
  command
      .add_option(
          "--chip", options.chip,
          "what launch plans run on: a device of this machine (nvidia, or a chip card's name), cpu (the "
          "Triton VM), or auto: a device where there is one")
      ->capture_default_str();
  command
      .add_option(
          "--memcheck", options.memcheck,
          "run plans under compute-sanitizer, too: auto (profile careful, where it is installed), on, off")
      ->check(CLI::IsMember({"auto", "on", "off"}))
      ->capture_default_str();
  command
      .add_option("--devices", options.devices,
                  "these GPUs alone, by number, several with commas (default: all that are of one kind)")
      ->delimiter(',')
      ->check(CLI::Range(0, 1023));
  command
      .add_option("--target", options.targets,
                  "cross-compile for these: all, none, sm_80, sm_90, sm_100, gfx942, gfx950")
      ->delimiter(',');
  command
      .add_option("-j,--lanes", options.lanes,
                  "candidates judged at the same time (default: processors; seven for every four with "
                  "--profile quick on a GPU)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--value-sets", options.value_sets, "trials per workload, each on fresh values")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command.add_flag("--no-time", options.no_time, "leave out the gate fast");
  command.add_flag("--allow-weak-lock", options.allow_weak_lock,
                   "go on where this host lacks layers of the lock (kgbench doctor)");
  command
      .add_option("--author-limit", options.author_s,
                  "seconds for a candidate's host code, all workloads together (up to 240; for more in "
                  "proportion); of .cu, for each kernel's compilation")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
  command.add_option("--trial-limit", options.trial_s, "seconds for one trial")
      ->check(CLI::Range(1.0, 86400.0))
      ->capture_default_str();
}

void add_mode_options(CLI::App& command, JudgeOptions& options) {
  command.add_flag(
      "--in-process", options.in_process,
      "call the candidate with a device, in a locked process of its own, instead of recording its "
      "launch plan; a census says whose kernels ran (docs/in-process.md)");
  command
      .add_option("--against", options.against,
                  "on a device: what candidates are timed against, in place of the card's choice: torch, "
                  "torch.compile, cublas, vllm")
      ->check(CLI::IsMember(std::vector<std::string>(baselines())));
  command
      .add_option(
          "--timing", options.timing,
          "published: with --in-process, also the times of triton.testing.do_bench, in a column of their own")
      ->check(CLI::IsMember({"published"}));
}

void add_profile_option(CLI::App& command, JudgeOptions& options) {
  command
      .add_option_function<std::string>(
          "--profile", [&options](const std::string& name) { options.profile = profile_named(name); },
          "careful: everything; quick: a draw of the workloads on one set of values, for training loops "
          "(docs/use-as-a-reward.md)")
      ->check(CLI::IsMember({"careful", "quick"}))
      ->default_str("careful");
}

namespace {

// With a device and few timings a lane often waits: for the device, for its turn, for another's compilation.
// Measured on 16 processors and an H200 (bench/results/2026-12-03.md): 28 lanes judge half as many again.
int default_lanes(Profile profile, bool device) {
  const int own = processors();
  return device && profile == Profile::quick ? own + own * 3 / 4 : own;
}

Status check_mode(const JudgeOptions& options, bool device) {
  if (options.in_process && !device)
    return user_error(
        "--in-process calls the candidate on a device, and there is none here (kgbench doctor says what is "
        "missing). Leave it out: launch plans are judged on the virtual machine");
  if (!options.against.empty() && !device)
    return user_error("--against chooses what is timed on a device, and there is none here. Leave it out");
  if (!options.timing.empty() && !options.in_process)
    return user_error(
        "--timing published calls candidate and baseline as the original does, which only --in-process can: "
        "add it");
  return ok_status();
}

}  // namespace

Result<ResolvedOptions> resolve(const JudgeOptions& options) {
  ResolvedOptions resolved;
  const std::vector<std::string> tier_names{"smoke", "full", "hidden", "published"};
  for (const std::string& name : options.tiers) {
    const std::optional<Tier> tier = tier_named(name);
    if (!tier)
      return user_error("no tier " + in_quotes(name) + did_you_mean(name, tier_names) +
                        ". Tiers: smoke, full, hidden, published");
    add_once(resolved.tiers, *tier);
  }
  KGB_TRY(ChosenChip chosen, choose_chip(options.chip, options.devices));
  resolved.chip = chosen.card;
  resolved.devices = std::move(chosen.devices);
  KGB_CHECK(check_mode(options, !resolved.devices.empty()));
  for (const std::string& target : options.targets) {
    if (target == "none") continue;
    if (target == "all") {
      for (const std::string& each : kTargets) add_once(resolved.targets, each);
      continue;
    }
    if (std::find(kTargets.begin(), kTargets.end(), target) == kTargets.end())
      return user_error("no target " + in_quotes(target) + did_you_mean(target, kTargets) +
                        ". Targets: all, none, " + join(kTargets, ", "));
    add_once(resolved.targets, target);
  }
  const Profile profile = options.profile.value_or(Profile::careful);
  if (options.targets.empty() && profile == Profile::careful) resolved.targets = kTargets;
  resolved.seed = fresh_seed();
  if (!options.seed_text.empty()) {
    const std::optional<std::uint64_t> seed = seed_from_text(options.seed_text);
    if (!seed)
      return user_error("--seed " + in_quotes(options.seed_text) + " is not 1 to 16 hexadecimal digits");
    resolved.seed = *seed;
  }
  resolved.lanes = options.lanes > 0 ? options.lanes : default_lanes(profile, !resolved.devices.empty());
  return resolved;
}

void add_own_workload_options(CLI::App& command, JudgeOptions& options) {
  command.add_option("--workloads", options.own_file,
                     "TOML file with [[workload]] tables of your own, as on a card");
  command
      .add_option("--workload-spec", options.own_specs,
                  "one workload of your own: 'self=f16[4096,32003] dim=-1'; may be given again")
      ->expected(1)
      ->take_all();
}

Result<OwnTables> own_tables_of(const JudgeOptions& options) {
  OwnTables own;
  if (!options.own_file.empty()) {
    KGB_TRY(own.text, read_file(options.own_file, kMaxTomlBytes));
    own.file = options.own_file;
  } else if (!options.own_specs.empty()) {
    own.file = "--workload-spec";
  }
  for (const std::string& spec : options.own_specs) {
    KGB_TRY(const std::string table, workload_table(spec));
    own.text += "\n" + table;
  }
  if (const Result<TomlTable> document = parse_toml(own.text); !document.ok())
    return user_error(own.file + ":" + document.error().message);
  return own;
}

Result<std::vector<Workload>> own_workloads_of(const OwnTables& own, const Operator& op) {
  if (own.file.empty()) return std::vector<Workload>();
  return own_workloads(op, own.text, own.file);
}

Result<std::vector<Workload>> own_workloads_of(const JudgeOptions& options, const Operator& op) {
  KGB_TRY(const OwnTables own, own_tables_of(options));
  return own_workloads_of(own, op);
}

void add_time_spec_option(CLI::App& command, std::vector<std::string>& specs) {
  command
      .add_option("--time-spec", specs,
                  "a workload that is timed in place of the heaviest of those judged, in the form of "
                  "--workload-spec: 'self=f32[4096,8192] dim=-1'; may be given again")
      ->expected(1)
      ->take_all();
}

Result<std::vector<Workload>> timed_workloads_of(const std::vector<std::string>& specs, const Operator& op) {
  std::string text;
  for (const std::string& spec : specs) {
    KGB_TRY(const std::string table, workload_table(spec));
    text += "\n" + table;
  }
  if (text.empty()) return std::vector<Workload>();
  KGB_TRY(std::vector<Workload> timed, own_workloads(op, text, "--time-spec"));
  for (std::size_t i = 0; i < timed.size(); ++i) timed[i].call.workload = "t" + std::to_string(i);
  return timed;
}

JudgeRequest request_of(const JudgeOptions& options, const ResolvedOptions& resolved) {
  JudgeRequest request;
  request.tiers = resolved.tiers;
  request.seed = resolved.seed;
  request.tolerance = options.tolerance;
  request.chip = resolved.chip;
  request.targets = resolved.targets;
  request.value_sets = options.value_sets;
  request.time = !options.no_time;
  request.profile = options.profile.value_or(Profile::careful);
  using Memcheck = JudgeRequest::Memcheck;
  request.memcheck = options.memcheck == "on"    ? Memcheck::on
                     : options.memcheck == "off" ? Memcheck::off
                                                 : Memcheck::automatic;
  request.in_process = options.in_process;
  request.against = options.against;
  request.published = options.timing == "published";
  return request;
}

void add_install_option(CLI::App& command, JudgeOptions& options) {
  command.add_flag("--install", options.install,
                   "first install the library, with pip, into a folder of its own");
}

void add_library_option(CLI::App& command, JudgeOptions& options) {
  command.add_option(
      "--library", options.library,
      "NAME or NAME=PATH: a declared library that the candidate may call (kgbench list --libraries)");
  add_install_option(command, options);
}

Result<std::optional<DeclaredLibrary>> library_of(const JudgeOptions& options, const Catalogue& catalogue) {
  if (options.library.empty()) {
    if (options.install) return user_error("--install: no library was named");
    return std::optional<DeclaredLibrary>();
  }
  KGB_TRY(const Installation installation, find_installation());
  const auto say = [](const std::string& text) { std::fprintf(stderr, "  %s\n", text.c_str()); };
  if (options.install) KGB_CHECK(install_library(options.library, installation, catalogue, say));
  KGB_TRY(DeclaredLibrary declared, declare_library(options.library, installation, catalogue));
  return std::optional<DeclaredLibrary>(std::move(declared));
}

Result<std::unique_ptr<Judge>> open_judge(const JudgeOptions& options, int lanes, Catalogue catalogue,
                                          const std::optional<DeclaredLibrary>& library) {
  JudgeSetup setup;
  if (library) setup.library = library->site;
  KGB_TRY(setup.installation, find_installation());
  KGB_TRY(ChosenChip chosen, choose_chip(options.chip, options.devices));
  setup.devices = std::move(chosen.devices);
  setup.note = [](const std::string& line) { std::fprintf(stderr, "  %s\n", line.c_str()); };
  for (const std::string& line : chosen.left_out) setup.note(line);
  setup.lanes = lanes;
  if (options.large) setup.expectation_bytes = std::max(setup.expectation_bytes, memory_bytes() / 8);
  setup.threads = processors();
  setup.allow_weak_lock = options.allow_weak_lock;
  setup.limits.author_s = options.author_s;
  setup.limits.trial_s = options.trial_s;
  const bool on_device = !setup.devices.empty();
  KGB_TRY(std::unique_ptr<Judge> judge, Judge::open(std::move(setup), std::move(catalogue)));
  if (options.memcheck != "on" || judge->has_memcheck()) return judge;
  return user_error(on_device
                        ? "--memcheck on: compute-sanitizer was not found. Install it with the CUDA toolkit, "
                          "or name it with KGBENCH_COMPUTE_SANITIZER"
                        : "--memcheck on needs a GPU; on the virtual machine every access is watched anyway");
}

bool is_terminal(int fd) {
  return ::isatty(fd) == 1;
}

bool wants_colour() {
  const char* off = std::getenv("NO_COLOR");
  return is_terminal(STDOUT_FILENO) && (off == nullptr || *off == '\0');
}

int processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  // What we may use, not what is there: containers and schedulers pin.
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

std::string host_facts(const std::optional<DeclaredLibrary>& library) {
  nlohmann::json facts;
  utsname name{};
  if (::uname(&name) == 0) facts["kernel"] = std::string(name.sysname) + " " + name.release;
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.rfind("model name", 0) == 0) {
      facts["processor"] = std::string(trim(line.substr(line.find(':') + 1)));
      break;
    }
  facts["processors"] = processors();
  if (library) facts["library"] = library->site.name + " " + library->site.version;
  return facts.dump();
}

}  // namespace kgb::app
