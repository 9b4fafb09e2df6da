// SPDX-License-Identifier: Apache-2.0
// What `kgbench list`, `kgbench show` and `kgbench new` print.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

struct ListFilter {
  std::string suite;  // empty: all
  std::string family;
  std::string tag;
  std::string word;  // in the name, letters of either case
};

// The operators that pass every filter, in order of name. Unknown suites, families and tags are errors.
[[nodiscard]] Result<std::vector<const Operator*>> listed(const Catalogue& catalogue,
                                                          const ListFilter& filter);
// One line per operator and a line that counts them.
[[nodiscard]] Result<std::string> list_text(const Catalogue& catalogue, const ListFilter& filter);
[[nodiscard]] Result<nlohmann::json> list_json(const Catalogue& catalogue, const ListFilter& filter);

// What these operators hold, by source, and the results that `measured` stores (tools/store_measured.py).
[[nodiscard]] Result<std::string> stats_text(const std::vector<const Operator*>& operators,
                                             const std::filesystem::path& measured);

// What of the published grids these operators leave out, and why: a line for each.
[[nodiscard]] std::string thinned_text(const std::vector<const Operator*>& operators);

struct ShowOptions {
  bool all_workloads = false;  // else the first few of each tier
  bool hint = true;            // how to begin, as a last line
  bool reach = true;           // what the hidden generators reach
};
// What hidden workloads hand to each tensor argument: ranks, types and layouts, no shapes. A line for each
// entry and kind of argument.
[[nodiscard]] std::string hidden_text(const Catalogue& catalogue, const Operator& op);
// Entries with types, tolerance, cost, workloads. Of hidden workloads their number and hidden_text().
[[nodiscard]] std::string show_text(const Catalogue& catalogue, const Operator& op,
                                    const ShowOptions& options = {});
[[nodiscard]] nlohmann::json show_json(const Catalogue& catalogue, const Operator& op);

// A candidate to start from: every entry with its signature, outputs allocated, one kernel to fill in. It
// records without error; its values are wrong.
[[nodiscard]] std::string stub_text(const Operator& op);
// The same in CUDA C++: a launch description of every entry that gives a tensor, and one kernel.
[[nodiscard]] std::string cuda_stub_text(const Operator& op);

}  // namespace kgb
