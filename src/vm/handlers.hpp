// SPDX-License-Identifier: Apache-2.0
// Handlers that the analysis must tell apart from others, and helpers shared between handler files.
#pragma once

#include <span>

#include "vm/frame.hpp"

namespace kgb::vm::handlers {

void run_for(Frame& frame, const Instruction& made);
void run_while(Frame& frame, const Instruction& made);
void run_if(Frame& frame, const Instruction& made);
void run_call(Frame& frame, const Instruction& made);
void run_dot(Frame& frame, const Instruction& made);
// imm: 0 the operation.
void run_integer(Frame& frame, const Instruction& made);
void run_broadcast(Frame& frame, const Instruction& made);
// A one-element result of a reduction is a scalar or a uniform tile.
void finish_reduced(Frame& frame, int id);
// imm: 0 axis, 1 turned first, 2 the operation, 3 to 5 its outer, own and inner length.
void run_simple_reduce(Frame& frame, const Instruction& made);
// imm: 0 has a mask, 1 has `other`, 2 loads i1, 3 poison, 4 number of its stream, 5 may leave the tile where
// it lies.
void run_load(Frame& frame, const Instruction& made);
// imm: 0 has a mask, 4 number of its stream.
void run_store(Frame& frame, const Instruction& made);

// out = input's elements under another shape: same form where that is possible, else the same buffer.
void share_elements(Frame& frame, int out, int in);

}  // namespace kgb::vm::handlers
