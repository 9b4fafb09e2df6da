// SPDX-License-Identifier: Apache-2.0
// From the raw tree to executable code, and the analysis that gives every value its place.
#pragma once

#include "base/result.hpp"
#include "vm/program.hpp"

namespace kgb::vm {

// Makes one fused multiply-add of a product and the sum that takes it: Options::contraction. Comes before
// lower().
void contract(RawModule& module);

// Fills program.functions from program.raw. Errors: operations that do not fit their types.
[[nodiscard]] Status lower(ProgramImpl& program);

// Visits every block of the lowered functions, those of an operation's regions before the one it stands in.
template <typename Visit>
void each_block(Code& code, const Visit& visit) {
  for (Block& block : code.blocks) {
    for (Instruction& made : block.code)
      for (Code& inner : made.regions) each_block(inner, visit);
    visit(block);
  }
}
template <typename Visit>
void each_block(ProgramImpl& program, const Visit& visit) {
  for (FunctionCode& function : program.functions)
    if (function.lowered) each_block(function.body, visit);
}

// Lets loads leave their tiles where they lie, and the last operation before a store write where it goes.
// `uses`: of each value. Called by analyse().
void keep_in_place(ProgramImpl& program, const std::vector<int>& uses);

// Replaces what sorting does to find the other of each pair by one operation. `uses`: of each value. Called
// by analyse().
void exchange_pairs(ProgramImpl& program, const std::vector<int>& uses);

// Combines tiles with columns and rows where these lie instead of spreading them first. `uses`: of each
// value. Called by analyse().
void combine_by_rows(ProgramImpl& program, const std::vector<int>& uses);

// Moves program-invariant operations to program.prologue, finds which buffers may be handed over instead of
// copied, and assigns slots by lifetime.
void analyse(ProgramImpl& program);

}  // namespace kgb::vm
