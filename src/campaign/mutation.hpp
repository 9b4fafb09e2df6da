// SPDX-License-Identifier: Apache-2.0
// The mutation score: of small faults planted in an expert, how many does the judge find
// (docs/cli/mutate.md)?
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "judge/judge.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

struct Mutant {
  std::string id;             // "drop_mask:a2a34149": kind and a digest of the change
  std::string kind;           // of python/kgbench/mutate/rules.py
  int line = 0;               // of the expert
  std::string before, after;  // the changed text
  std::string source;
};

// What became of one.
struct MutantResult {
  Mutant mutant;
  Verdict verdict = Verdict::infra;
  Verdict published = Verdict::infra;  // under --tolerance published, on the same workloads and values
  std::string finding;                 // the first, in a line
  std::string equivalent;              // why it computes the same (equivalent.toml); empty: it does not
  // Equivalent mutants say nothing, nor do those that Triton's front end refuses: nobody hands such a file
  // in.
  [[nodiscard]] bool counts() const;
  [[nodiscard]] bool survived() const { return verdict == Verdict::pass && equivalent.empty(); }
};

struct MutationRow {
  std::string op;
  std::vector<MutantResult> results;
  [[nodiscard]] std::size_t judged() const;  // that count
  [[nodiscard]] std::size_t killed() const;
  [[nodiscard]] std::size_t killed_published() const;
};

struct MutationOptions {
  JudgeRequest request;  // tiers, seed
  int lanes = 1;
  int per_operator = 20;   // mutants drawn of each expert; 0: all
  std::uint64_t seed = 0;  // of the draw
};

// Mutants of a candidate's text, made by the interpreter of the installation.
[[nodiscard]] Result<std::vector<Mutant>> make_mutants(const Installation& installation,
                                                       const std::filesystem::path& file, int count,
                                                       std::uint64_t seed);
// JSON lines of python -m kgbench.mutate.
[[nodiscard]] Result<std::vector<Mutant>> mutants_from_json_lines(std::string_view text);
// equivalent.toml of the operator's folder: id -> why. Empty without the file.
[[nodiscard]] Result<std::map<std::string, std::string>> read_equivalents(
    const std::filesystem::path& folder);

// Judges the mutants of every operator's expert, under the card's bound and under the published tolerance.
// `told` is called after each verdict, from several threads.
[[nodiscard]] Result<std::vector<MutationRow>> mutation_score(
    Judge& judge, const Installation& installation, const std::vector<const Operator*>& operators,
    const MutationOptions& options,
    const std::function<void(const std::string& op, const MutantResult&)>& told,
    const std::atomic<bool>& stop);

[[nodiscard]] std::string mutation_text(const std::vector<MutationRow>& rows);
[[nodiscard]] nlohmann::json mutation_json(const std::vector<MutationRow>& rows);

}  // namespace kgb
