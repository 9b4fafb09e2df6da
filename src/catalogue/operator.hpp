// SPDX-License-Identifier: Apache-2.0
// An operator as its card describes it: entries, workloads, error model, cost.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalogue/error_model.hpp"
#include "catalogue/schema.hpp"
#include "catalogue/template.hpp"
#include "model/call.hpp"

namespace kgb {

// own: the workloads that a user gives; never of a card, never in a score.
enum class Tier : std::uint8_t { smoke, full, published, hidden, own };
[[nodiscard]] std::string_view name_of(Tier tier);
[[nodiscard]] std::optional<Tier> tier_named(std::string_view name);
[[nodiscard]] char letter_of(Tier tier);  // 's', 'f', 'p', 'h', 'o': ids are "s0", "s1", ...

struct Workload {
  Call call;
  Tier tier = Tier::smoke;
  double weight = 1;
  bool edge = false;   // empty, a single element, or so marked: not counted by the fixture screen
  bool flush = false;  // the machine takes f32 denormals for zeros where a GPU does
};

struct Entry {
  std::string name;
  Schema schema;
  std::string baseline;  // Python over the argument names
  std::string vendor;    // in its place: a C function of the chip vendor's, "cublasSgemm_v2"
  std::string vllm;      // Python path of vLLM's own function: "vllm._custom_ops.rms_norm"
  std::map<std::string, bool>
      pointer_arrays;                // Tensor[] arguments that reach the candidate as int64 addresses
  std::vector<std::string> outputs;  // paths: "return", "return[1]", "out"
  bool exact_strides = false;        // output strides must equal the contract's
  std::vector<std::string> host;     // tensors whose values host code may read
  bool reads_own = false;            // host code may read small pieces of its own intermediates
  std::vector<std::string> forbid;   // helpers that are this operator: "aten::clone"
  bool native = false;               // C++ candidates may implement it
  std::optional<ErrorModel> error;   // else the operator's
  std::optional<CostModel> cost;
};

// What operators of a family share, from catalogue/families/<family>.toml.
struct Family {
  std::string name;
  std::vector<std::string> any_float, any_int, any_finite;  // domains that hidden workloads draw from
};

struct Operator {
  std::string name;    // "aten::softmax"
  std::string source;  // where the semantics come from
  std::string family;
  std::vector<std::string> tags;
  std::string no_kernel;  // the reason, for operators without an honest kernel
  std::string doubt, published;
  std::vector<std::string> thinned;  // what of the published grid is not run, and why; "what: why"
  std::filesystem::path folder;
  std::vector<Entry> entries;
  ErrorModel error;
  CostModel cost;
  Family defaults;
  std::vector<WorkloadTemplate> templates;  // [[workload]], then [[hidden]]
  std::vector<Workload> fixed;              // smoke, full and published workloads, expanded
  bool has_reference = false, has_expert = false, has_native_expert = false;

  [[nodiscard]] bool tagged(std::string_view tag) const;
  [[nodiscard]] const Entry* find_entry(std::string_view entry_name) const;
  [[nodiscard]] std::string group() const;  // "aten": the folder that it lies in
};

// The entry's own, else the operator's.
[[nodiscard]] const ErrorModel& error_model_of(const Operator& op, const Entry& entry);

// Reads a card. Problems are added; the operator is whole only when none were.
[[nodiscard]] Operator read_card(const TomlTable& card, const std::filesystem::path& folder,
                                 const Family& family, Problems& problems);

}  // namespace kgb
