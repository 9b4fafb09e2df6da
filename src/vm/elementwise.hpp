// SPDX-License-Identifier: Apache-2.0
// Application of span kernels to values, shared by the operations built on them.
#pragma once

#include "vm/builder.hpp"

namespace kgb::vm {

void apply_binary(Frame& frame, const numeric::BinaryKernel& kernel, int a, int b, int out);
void apply_unary(Frame& frame, numeric::UnaryFn kernel, int a, int out);
void run_binary(Frame& frame, const Instruction& made);
void run_unary(Frame& frame, const Instruction& made);

// Kind, element type and shape are the same.
bool like(const Type& a, const Type& b);
// Operands [from, from + count) have one type; else the module is malformed.
bool same_operands(Builder& b, std::size_t from, std::size_t count);
// Gives an integer conversion its affine shortcut.
bool build_integer_cast(Builder& b, Cast cast);

}  // namespace kgb::vm
