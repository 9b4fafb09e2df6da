// SPDX-License-Identifier: Apache-2.0
// Names of verdicts and gates, and the table that leads from kinds of findings to verdicts.
#include "model/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace kgb {
namespace {

constexpr std::array<std::pair<Verdict, std::string_view>, 11> kVerdicts{{
    {Verdict::pass, "pass"},
    {Verdict::wrong_value, "wrong_value"},
    {Verdict::wrong_contract, "wrong_contract"},
    {Verdict::compile_error, "compile_error"},
    {Verdict::runtime_error, "runtime_error"},
    {Verdict::timeout, "timeout"},
    {Verdict::out_of_memory, "out_of_memory"},
    {Verdict::not_custom, "not_custom"},
    {Verdict::tampering, "tampering"},
    {Verdict::unsupported, "unsupported"},
    {Verdict::infra, "infra"},
}};

constexpr std::array<std::pair<Gate, std::string_view>, 5> kGates{{
    {Gate::static_, "static"},
    {Gate::compile, "compile"},
    {Gate::correct, "correct"},
    {Gate::honest, "honest"},
    {Gate::fast, "fast"},
}};

struct Row {
  std::string_view kind;
  std::string_view verdict;
};
constexpr Row kRows[] = {
#define KGB_FINDING(kind, verdict) {#kind, #verdict},
#include "model/finding_kinds.def"
#undef KGB_FINDING
};

constexpr bool rows_name_verdicts() {
  for (const Row& row : kRows) {
    bool known = row.verdict == "advisory";
    for (const auto& [verdict, name] : kVerdicts)
      known = known || (row.verdict == name && verdict != Verdict::pass);
    if (!known) return false;
  }
  return true;
}
static_assert(rows_name_verdicts(), "finding_kinds.def names a verdict that does not exist");

template <typename Table, typename Key>
std::string_view name_in(const Table& table, Key key) {
  for (const auto& [value, name] : table)
    if (value == key) return name;
  return "?";
}

// First letters of workloads' ids, and their tiers, that anyone may see.
constexpr std::array<std::pair<char, std::string_view>, 4> kPublicTiers{
    {{'s', "smoke"}, {'f', "full"}, {'p', "published"}, {'o', "own"}}};

}  // namespace

std::string_view name_of(Verdict verdict) {
  return name_in(kVerdicts, verdict);
}
std::string_view name_of(Gate gate) {
  return name_in(kGates, gate);
}

std::optional<Verdict> verdict_named(std::string_view name) {
  for (const auto& [verdict, known] : kVerdicts)
    if (known == name) return verdict;
  return std::nullopt;
}

std::optional<Gate> gate_named(std::string_view name) {
  for (const auto& [gate, known] : kGates)
    if (known == name) return gate;
  return std::nullopt;
}

std::string_view name_of(Profile profile) {
  return profile == Profile::quick ? "quick" : "careful";
}

std::optional<Profile> profile_named(std::string_view name) {
  for (const Profile profile : {Profile::careful, Profile::quick})
    if (name_of(profile) == name) return profile;
  return std::nullopt;
}

std::string label_of(const Evaluation& evaluation) {
  const bool weak = evaluation.profile == Profile::quick && evaluation.verdict == Verdict::pass;
  return (weak ? "quick " : "") + std::string(name_of(evaluation.verdict));
}

int finding_rank(std::string_view finding_kind) {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (kRows[i].kind == finding_kind) return static_cast<int>(i);
  return -1;
}

std::optional<Verdict> verdict_of(std::string_view finding_kind) {
  const int rank = finding_rank(finding_kind);
  if (rank < 0) return Verdict::infra;  // a kind that the judge does not know is the judge's fault
  return verdict_named(kRows[rank].verdict);
}

const Finding* deciding_finding(std::span<const Finding> findings) {
  const Finding* best = nullptr;
  for (const Finding& finding : findings) {
    if (!verdict_of(finding.kind)) continue;
    if (best == nullptr || finding_rank(finding.kind) < finding_rank(best->kind)) best = &finding;
  }
  return best;
}

std::optional<double> mean_speedup(const Evaluation& evaluation) {
  double sum = 0;
  int count = 0;
  for (const Timing& timing : evaluation.timings) {
    if (!timing.ratio || *timing.ratio <= 0) continue;
    sum += std::log(*timing.ratio);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::exp(sum / count);
}

bool is_public_workload(const Evaluation& evaluation, const std::string& workload) {
  const auto tier = std::find_if(kPublicTiers.begin(), kPublicTiers.end(),
                                 [&](const auto& row) { return workload.starts_with(row.first); });
  const bool number = workload.size() > 1 && std::all_of(workload.begin() + 1, workload.end(),
                                                         [](char c) { return c >= '0' && c <= '9'; });
  if (tier == kPublicTiers.end() || !number) return false;
  return std::all_of(evaluation.workloads.begin(), evaluation.workloads.end(),
                     [&](const WorkloadResult& w) { return w.id != workload || w.tier == tier->second; });
}

}  // namespace kgb
