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

// out = input's elements under another shape: same form where that is possible, else the same buffer.
void share_elements(Frame& frame, int out, int in);

}  // namespace kgb::vm::handlers
