// SPDX-License-Identifier: Apache-2.0
// The table of finding_help.def.
#include "judge/finding_help.hpp"

namespace kgb {
namespace {

constexpr FindingHelp kHelps[] = {
#define KGB_FINDING_HELP(kind, seen, cure) {#kind, seen, cure},
#include "judge/finding_help.def"
#undef KGB_FINDING_HELP
};

}  // namespace

std::span<const FindingHelp> finding_helps() {
  return kHelps;
}

const FindingHelp* finding_help(std::string_view kind) {
  for (const FindingHelp& help : kHelps)
    if (help.kind == kind) return &help;
  return nullptr;
}

}  // namespace kgb
