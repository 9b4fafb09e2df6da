// SPDX-License-Identifier: Apache-2.0
// What each kind of finding says was seen, and what its author does about it.
#pragma once

#include <span>
#include <string_view>

namespace kgb {

struct FindingHelp {
  std::string_view kind;
  std::string_view seen;  // the third column of docs/contracts/findings.md
  std::string_view cure;  // what to do, for whoever wrote the candidate
};
// Every kind, in the order of finding_kinds.def.
[[nodiscard]] std::span<const FindingHelp> finding_helps();
// nullptr: no such kind.
[[nodiscard]] const FindingHelp* finding_help(std::string_view kind);

}  // namespace kgb
