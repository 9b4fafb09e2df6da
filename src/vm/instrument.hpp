// SPDX-License-Identifier: Apache-2.0
// What the builds that look closer have in common: pairs of raw operations and instructions, and handlers
// that stand before others. Used between lower() and analyse(), while both sides are still in the same order.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>

#include "vm/program.hpp"

namespace kgb::vm {

inline bool is_terminator(std::string_view name) {
  return name == "scf.yield" || name == "scf.condition" || name == "tt.reduce.return" ||
         name == "tt.scan.return" || name == "tt.map_elementwise.return" || name == "tt.return" ||
         name == "cf.br" || name == "cf.cond_br";
}

// visit(operation, instruction) for each operation of a block but its terminator; regions are the visitor's.
template <typename Visit>
void each_instruction(const RawBlock& raw, Block& block, const Visit& visit) {
  std::size_t at = 0;
  for (const RawOp& op : raw.ops) {
    if (is_terminator(op.name)) continue;
    if (at >= block.code.size()) return;
    visit(op, block.code[at++]);
  }
}

// False: reaching the operation is a finding, and nothing else about it was checked.
inline bool known_types(const ProgramImpl& program, const Instruction& made) {
  const auto known = [&](int value) {
    return program.values[static_cast<std::size_t>(value)].type->kind != Type::Kind::unknown;
  };
  return std::all_of(made.in.begin(), made.in.end(), known) &&
         std::all_of(made.out.begin(), made.out.end(), known);
}

// The operation's own handler becomes extra.inner.
inline Extra& put_before(Instruction& made, Handler handler) {
  // The builder may share one Extra between instructions.
  made.extra = made.extra ? std::make_shared<Extra>(*made.extra) : std::make_shared<Extra>();
  made.extra->inner = made.run;
  made.run = handler;
  return *made.extra;
}

}  // namespace kgb::vm
