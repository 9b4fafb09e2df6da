// SPDX-License-Identifier: Apache-2.0
// Verdicts, findings and evaluations: what the judge says of a candidate, with its evidence.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/conditions.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

// Never turned into a number; the names are stored and never reused.
enum class Verdict {
  pass,
  wrong_value,
  wrong_contract,
  compile_error,
  runtime_error,
  timeout,
  out_of_memory,
  not_custom,
  tampering,
  unsupported,
  infra,
};
[[nodiscard]] std::string_view name_of(Verdict verdict);
[[nodiscard]] std::optional<Verdict> verdict_named(std::string_view name);

enum class Gate { static_, compile, correct, honest, fast };
[[nodiscard]] std::string_view name_of(Gate gate);  // "static", "compile", ...
[[nodiscard]] std::optional<Gate> gate_named(std::string_view name);

// How much was looked at: `quick` judges a draw of the workloads on one set of values (judge/quick.hpp). The
// names are stored.
enum class Profile { careful, quick };
[[nodiscard]] std::string_view name_of(Profile profile);
[[nodiscard]] std::optional<Profile> profile_named(std::string_view name);

// One piece of evidence. `kind` names its verdict by the table docs/contracts/findings.md
// (model/finding_kinds.def).
struct Finding {
  std::string kind;  // "value_mismatch", "out_of_bounds", "torch_compute", ...
  Gate gate = Gate::correct;
  std::string message;   // one line for people
  std::string workload;  // "s3", "h7"; empty when it belongs to no workload
  std::string file;      // candidate's file, as given
  int line = 0;
  std::map<std::string, std::string>
      details;  // stable names: "index", "got", "expected", "bound", "argument", ...
};

// Verdict that a kind of finding leads to; nullopt: advisory.
[[nodiscard]] std::optional<Verdict> verdict_of(std::string_view finding_kind);
// Place of a kind in the table, 0 first; -1 for kinds that are not in it.
[[nodiscard]] int finding_rank(std::string_view finding_kind);
// The finding that decides: of those with a verdict, the first in the table's order, whichever gate it is of.
// nullptr: nothing but advice was found, so the verdict is pass. A kind outside the table counts as `infra`.
[[nodiscard]] const Finding* deciding_finding(std::span<const Finding> findings);

struct WorkloadResult {
  std::string id;           // "s3"
  std::string tier;         // smoke, full, hidden
  std::string description;  // for the judge's operator; never for a contestant when hidden
  Verdict verdict = Verdict::pass;
  double worst_ratio = 0;  // worst error over its bound; <= 1 passes
  std::string worst_at;    // "return[2,1030]"
  std::int64_t elements = 0;
  std::string plan_hash;
};

struct TargetResult {  // cross-compilation of one target
  std::string target;  // "sm_90"
  bool ok = true;
  std::string message;
  std::int64_t registers = 0, shared_bytes = 0, spills = 0;  // maximum over kernels
  int kernels = 0;
};

// One name of what ran on the device in in-process mode, over all watched calls. The candidate's process
// tells it.
struct CensusRow {
  std::string kind;     // "kernel", "copy", "copy to the device", "copy to the host", "memset"
  std::string name;     // of kernels, as the device's records have it
  std::string library;  // whose kernel it is: "cuBLAS", "ATen", ...; empty: the candidate's own
  std::string file;     // of a Triton kernel of the candidate's: where it stands
  std::int64_t count = 0;
  double ns = 0;
  bool helper = false;  // a fill or a plain copy, which is allowed
};

// By triton.testing.do_bench, each in its own process: what published figures are made with. Seconds.
struct Published {
  std::optional<double> candidate, baseline;
  std::string why;  // reason where one is missing
};

struct Timing {  // `.cpp` on the CPU, devices later; seconds
  std::string workload;
  std::optional<double> candidate, baseline;
  std::optional<double> ratio, ratio_low, ratio_high;  // baseline / candidate: above 1 is faster
  std::string call;                                    // "faster", "same", "slower", "cannot tell"
  std::string baseline_name;
  std::string why;  // reason for "cannot tell"
  // On a device; none where it was not watched, or the card says nothing of the work.
  std::optional<Conditions> conditions;
  std::optional<Energy> energy;
  std::optional<RoofShare> roof;
  std::string
      span;  // "events" where the calls could not be recorded as graphs; empty: the graph's, or the call's
  std::optional<Published> published;  // asked for by --timing published; never part of the ratio
};

// The device that a candidate was judged on.
struct JudgedOn {
  std::string name, uuid;  // "NVIDIA H200"; uuid: 32 hexadecimal digits, or empty
  int index = 0;           // among those that kgbench saw
  // Devices that failed their probe while they judged this candidate, and why: it was judged again.
  std::vector<std::string> instead_of;
};

struct Evaluation {
  int schema = 1;
  std::string op, candidate, source_hash, contestant, chip, language, tolerance;
  std::string mode;  // "plan" or "in-process"
  Profile profile = Profile::careful;
  Verdict verdict = Verdict::infra;
  Gate reached = Gate::static_;
  bool no_kernel = false;  // the operator has no honest kernel: counted apart
  std::vector<Finding> findings;
  std::vector<WorkloadResult> workloads;
  std::vector<TargetResult> targets;
  std::vector<Timing> timings;
  std::optional<JudgedOn> device;  // none: nothing runs on one
  std::string memcheck;  // "no error in 12 plans", "not installed", "cannot tell: ..."; empty: not asked for
  std::vector<CensusRow> census;           // in-process mode on a device
  std::map<std::string, double> stage_ms;  // "author", "execute", "oracle", "compare", "compile", "total"
  std::string seed;                        // hex; repeats the hidden workloads
};
// The verdict as people read it: "quick pass" where little was looked at.
[[nodiscard]] std::string label_of(const Evaluation& evaluation);
// Whether the workload is of a tier that anyone may see; unknown ones are not.
[[nodiscard]] bool is_public_workload(const Evaluation& evaluation, const std::string& workload);
// Geometric mean of the timed workloads' ratios; nullopt: none was timed.
[[nodiscard]] std::optional<double> mean_speedup(const Evaluation& evaluation);
[[nodiscard]] nlohmann::json to_json(const Evaluation& evaluation);
// As one line of JSON; text of candidates that is no UTF-8 is replaced rather than refused.
[[nodiscard]] std::string json_text(const Evaluation& evaluation);
// Never fails: unknown keys are ignored; missing ones and ones of the wrong type keep their defaults, so that
// stores written by other versions can be read. The default verdict is `infra`, never a pass.
[[nodiscard]] Evaluation evaluation_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json to_json(const Finding& finding);
[[nodiscard]] Finding finding_from_json(const nlohmann::json& json);

}  // namespace kgb
