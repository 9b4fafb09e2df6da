// SPDX-License-Identifier: Apache-2.0
// The judge: takes one candidate through the gates and gives its evaluation. Theory of operation in
// judge.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "model/launch_plan.hpp"
#include "model/verdict.hpp"

namespace kgb {

// Where the parts of an installation are.
struct Installation {
  std::filesystem::path home;                          // holds catalogue/
  std::vector<std::filesystem::path> more_catalogues;  // a user's own operators
  std::filesystem::path python_dir;                    // folder that holds the package kgbench
  std::filesystem::path extension_dir;  // folder that holds _kgbench.abi3.so; empty: beside the package
  std::string interpreter;              // Python with torch and Triton
  std::filesystem::path self;           // this program, started again as the executor
  std::filesystem::path include_dir;    // headers for C++ candidates
  std::filesystem::path cache_dir;      // compile results, shared between runs
  std::filesystem::path library_dir;    // installed libraries; readable by the users that authors run as
};

struct Limits {
  double author_s = 60;  // all workloads of one candidate
  double trial_s = 60;   // one trial on the VM
  std::size_t memory_bytes = std::size_t{4} << 30;
  std::uint64_t max_steps = 0;  // tile operations of one launch; 0: the VM's default
};

// A device that plans run on.
struct DeviceChoice {
  std::string backend;  // a row of src/device/runtimes.def
  int index = 0;        // among those that this process sees
};

// A declared library, installed or as a checkout: candidates that call it may read these folders and no more.
struct LibrarySite {
  std::string name;
  std::string version;                         // "5.0.2", "checkout"
  std::vector<std::filesystem::path> folders;  // in front of the author's sys.path
  std::vector<std::pair<std::string, std::string>> environment;
};

struct JudgeSetup {
  Installation installation;
  std::vector<DeviceChoice> devices;   // of one kind; candidates are spread over them. None: the VM
  std::optional<LibrarySite> library;  // that the candidates are declared to call
  int lanes = 1;                       // candidates judged at the same time, on all devices
  int threads = 1;                     // of the machine, shared by the lanes
  bool allow_weak_lock = false;
  Limits limits;
  std::size_t expectation_bytes = std::size_t{768} << 20;  // of the oracle's answers, kept for all lanes
  // Told at once, on the thread of whoever asked for a judgement, when a device is left out.
  std::function<void(const std::string& line)> note;
};

struct JudgeRequest {
  std::string op;      // "aten::softmax"
  std::string source;  // the candidate's text
  std::string file;    // its path as given, for messages
  std::string contestant;
  std::string chip = "cpu";          // the card of what it is judged on
  std::string library;               // the name of JudgeSetup::library, where the candidate calls it
  std::vector<std::string> lacking;  // entries that the library does not have: not run, `unsupported`
  std::vector<Tier> tiers{Tier::smoke, Tier::hidden};
  // The candidate is called with a device, in a locked process of its own; a census says what ran. Of
  // candidates in Python on chips with a device.
  bool in_process = false;
  bool published = false;                    // in-process: a do_bench column beside the timings
  std::vector<Workload> own;                 // judged in place of the tiers
  std::optional<std::string> only_workload;  // "h7"
  // Timed in place of the heaviest of those judged. They may be large: they run on the device alone, without
  // the VM's watch, and the outputs of the timed calls are held against the oracle.
  std::vector<Workload> timed;
  // A candidate that this one is timed against in place of the card's baseline, and its name for messages. It
  // must pass by itself, which is the caller's to see to.
  std::string baseline_source, baseline_file;
  // On a device: the baseline by name (judge/baselines.hpp); empty: what the card says.
  std::string against;
  std::uint64_t seed = 0;            // hidden workloads and values follow from it
  std::string tolerance = "model";   // or "published"
  std::vector<std::string> targets;  // cross-compilation; empty: none
  int value_sets = 2;                // trials per workload; on a device 0: on the VM alone
  bool time = true;                  // gate fast, where the candidate can be timed on this chip
  // Quick: a draw of the workloads, one set of values, one timed workload with a wide interval.
  Profile profile = Profile::careful;
  // Whether plans run under compute-sanitizer too: where the profile is careful and the tool is there, or
  // always.
  enum class Memcheck { automatic, on, off } memcheck = Memcheck::automatic;
  bool quick = false;  // times until faster, slower or the same is certain, not until the ratio is narrow
  // Told when a gate begins (0 of n workloads) and as it goes on: gate compile counts kernels times targets,
  // gate correct workloads. On the caller's thread.
  std::function<void(Gate, std::size_t done, std::size_t total)> progress;
  // Set from another thread: processes that work for this candidate are killed, its lane is free soon, and
  // the evaluation is an Error of the user's.
  const std::atomic<bool>* stop = nullptr;
};

// A candidate's text may have as many bytes; more is refused with a verdict.
inline constexpr std::size_t kMaxCandidateBytes = std::size_t{4} << 20;
// What a candidate's file holds, by its name: "cpp", "cuda" or "triton".
[[nodiscard]] std::string language_of(const std::string& file);
// The ending of a file in a language: ".cpp", ".cu" or ".py".
[[nodiscard]] const char* suffix_of(const std::string& language);

// A workload that was recorded and compiled for the chip: the frame that `kgbench executor --replay` reads
// from a file.
struct StoredReplay {
  std::string json;
  std::vector<std::byte> blob;
  std::size_t before = 0, launches = 0;  // launches of the earlier calls, and of the last one
  std::vector<Finding> findings;         // where one has a verdict, the frame may be missing
};

// One output of one call, as it was compared with the oracle's values.
struct Compared {
  const Workload& workload;
  const ErrorBound& bound;
  std::span<const std::byte> bytes;
  const ExpectedOutput& expected;
};
using Observer = std::function<void(const Compared&)>;

class Judge {
 public:
  // Starts the processes. Errors name what is missing and how to get it. Operators that the catalogue lacks
  // cannot be judged.
  static Result<std::unique_ptr<Judge>> open(JudgeSetup setup, Catalogue catalogue);
  ~Judge();
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  // Thread-safe; at most `lanes` callers make progress at a time. A user's mistake (unknown operator) is an
  // Error; everything about the candidate is a verdict. `observer` sees what is compared, on the caller's
  // thread.
  [[nodiscard]] Result<Evaluation> judge(const JudgeRequest& request, const Observer& observer = {});
  // The recordings of the requested workloads, for `kgbench plan`: workload id and recording.
  struct Planned {
    std::string workload;
    Call call;
    std::vector<Call> calls;  // the three that were recorded
    std::optional<Recording> recording;
    std::vector<Finding> findings;
  };
  [[nodiscard]] Result<std::vector<Planned>> plan(const JudgeRequest& request);
  // The one workload of the request as a frame to be replayed on a device.
  [[nodiscard]] Result<StoredReplay> replay(const JudgeRequest& request);
  // Folders that the interpreter imports from.
  [[nodiscard]] const std::vector<std::string>& import_folders() const;
  // Ids of the workloads that gate fast would time: those that the request names, else the heaviest. Nothing
  // is started.
  [[nodiscard]] Result<std::vector<std::string>> timed_workloads(const JudgeRequest& request) const;
  [[nodiscard]] const Catalogue& catalogue() const;
  // Whether compute-sanitizer was found; never looked for on chip cpu.
  [[nodiscard]] bool has_memcheck() const;

 private:
  struct Impl;
  explicit Judge(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// 64 bits from the kernel, for runs without a given seed.
[[nodiscard]] std::uint64_t fresh_seed();

}  // namespace kgb
