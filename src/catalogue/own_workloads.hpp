// SPDX-License-Identifier: Apache-2.0
// A user's own shapes: workloads from a file or from one line, in the form that cards use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catalogue/operator.hpp"

namespace kgb {

// TOML text with [[workload]] tables as on a card, without `tier`. `file` stands in messages, which name line
// and key; of an option (--NAME in place of a file) the key. The workloads are of tier own, with ids "o0" and
// on.
[[nodiscard]] Result<std::vector<Workload>> own_workloads(const Operator& op, std::string_view text,
                                                          const std::string& file);
// One workload as a line: "self=f16[4096,32003] dim=-1", tensors as dtype[sizes], optionally :layout and
// @domain ("x=bf16[8,128]:transposed@any_float"), anything else as on a card. Gives that as TOML.
[[nodiscard]] Result<std::string> workload_table(std::string_view spec);

}  // namespace kgb
