// SPDX-License-Identifier: Apache-2.0
// The run store: one SQLite file that holds what a run asked for and every finished evaluation.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/counters.hpp"
#include "model/verdict.hpp"

namespace kgb {

struct RunInfo {
  std::string id;          // name of the run's folder
  std::string created;     // UTC, ISO 8601
  std::string finished;    // empty while it runs
  std::string status;      // running, stopped, complete
  std::string version;     // of kgbench
  std::string contestant;  // "experts", "dir:PATH"
  std::string suite;
  std::string chip;
  std::string tiers;               // "smoke,hidden"
  std::string tolerance;           // model, published
  std::string targets;             // "sm_80,sm_90", empty: no cross-compilation
  std::string seed;                // hex
  std::string host;                // JSON: processor, kernel, torch and Triton versions
  std::string model{};             // that the contestant asks; empty: none
  std::string method{};            // JSON: what the method was told (rounds, temperature, budgets, ...)
  std::string profile{"careful"};  // or quick
  std::string mode{"plan"};        // or in-process
  std::string against{};           // the baseline that the run names; empty: each card's
  std::string timing{};            // published: do_bench beside our times
  // A method finds the candidates; else they were there.
  [[nodiscard]] bool by_method() const { return !method.empty() && method != "{}"; }
};

struct RunItem {
  std::int64_t id = 0;
  std::string op;
  int sample = 0;
  std::string candidate;  // path as given
  // What another judge had written of it: passed, failed, hacked, and why; empty: none had.
  std::string recorded{}, recorded_evidence{};
};

struct StoredEvaluation {
  RunItem item;
  Evaluation evaluation;
  std::string source;  // the candidate's text, as judged
};

// One candidate that a method proposed on its way to an item's answer, and what the judge told it.
struct Attempt {
  std::int64_t item = 0;
  int round = 0;        // from 0
  std::string created;  // UTC, ISO 8601
  std::string source;   // empty: the reply held no code
  std::string note;     // the method's: "repair of round 0", "BLOCK 1024 -> 2048"
  std::string verdict;  // empty: not judged
  double judge_s = 0;
  std::optional<double> device_s, speedup;
  std::string json;  // evidence, as the method saw it
};

// One call of a model: a row of the ledger. nullopt: unknown.
struct ModelCall {
  std::int64_t item = 0;
  int round = 0;
  std::string created;  // UTC, ISO 8601
  std::string model, wire;
  std::string status;  // ok, partial, failed, cancelled
  std::string message, finish;
  std::optional<std::int64_t> prompt, cached, cache_write, completion, reasoning;  // tokens
  std::optional<double> dollars;
  double seconds = 0, first_token_s = 0, waited_s = 0;
  int tries = 1;
  bool replayed = false;
};

// What kgbench count saw of one call.
struct CountedCall {
  std::string created;    // UTC, ISO 8601
  std::string version;    // of kgbench
  std::string candidate;  // path as given
  std::string source_hash;
  std::string seed;         // hex: values, which may decide how often loops run
  std::string description;  // of the workload
  CallCounters counters;
};

// Thread-safe: one connection behind a lock. Each finished evaluation is one transaction, so that a process
// killed at any moment has either all of an evaluation in the file or nothing of it.
class Store {
 public:
  // Opens or creates the file and brings its schema up to date; a file of a later version is refused.
  static Result<Store> open(const std::filesystem::path& file);
  // Opens for reading and writing; a missing file is the user's error.
  static Result<Store> open_existing(const std::filesystem::path& file);
  // Opens for reading alone: the file and its folder are left as they are, so that a store on a medium or
  // with permissions for reading will do. One of an earlier schema is brought up to date in memory.
  static Result<Store> open_to_read(const std::filesystem::path& file);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  Status begin_run(const RunInfo& run, const std::vector<RunItem>& items);
  [[nodiscard]] Result<std::vector<RunInfo>> runs() const;
  // Items of the run that have no evaluation yet.
  [[nodiscard]] Result<std::vector<RunItem>> pending(const std::string& run) const;
  [[nodiscard]] Result<std::vector<RunItem>> items(const std::string& run) const;  // all of them
  [[nodiscard]] Result<std::int64_t> item_count(const std::string& run) const;
  // A second evaluation of the same item is refused: nothing finished is overwritten.
  Status record(const RunItem& item, const Evaluation& evaluation, const std::string& source);
  Status set_status(const std::string& run, const std::string& status, const std::string& finished);
  [[nodiscard]] Result<std::vector<StoredEvaluation>> evaluations(const std::string& run) const;
  // The way to an item's answer. An attempt of the same item and round is refused.
  Status record_attempt(const Attempt& attempt);
  Status record_call(const ModelCall& call);
  [[nodiscard]] Result<std::vector<Attempt>> attempts(const std::string& run) const;  // by item, round
  [[nodiscard]] Result<std::vector<ModelCall>> calls(const std::string& run) const;   // by item, as made
  // Counts stand beside runs and need none; all of them or nothing is written.
  Status record_counts(const std::vector<CountedCall>& calls);
  // In the order they were recorded. `op`, `source_hash`: empty for any.
  [[nodiscard]] Result<std::vector<CountedCall>> counts(const std::string& op = {},
                                                        const std::string& source_hash = {}) const;

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kgb
