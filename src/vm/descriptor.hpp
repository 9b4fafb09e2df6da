// SPDX-License-Identifier: Apache-2.0
// Blocks of tensor descriptors, shared by the operations on them.
#pragma once

#include <span>

#include "vm/access.hpp"
#include "vm/builder.hpp"

namespace kgb::vm {

// The block that starts at these indices, as an affine pointer, and the part of it that lies inside the
// descriptor's tensor. False after a report.
bool descriptor_block_at(Frame& frame, const Instruction& made, std::span<const std::int64_t> starts,
                         Value& pointer, Active& active);
// The same with the starts from operand `first_index` on.
bool descriptor_block(Frame& frame, const Instruction& made, std::size_t first_index, Value& pointer,
                      Active& active);

// Checks that part against the buffer: a descriptor may have been made too large. False after a report.
bool check_block(Frame& frame, const Instruction& made, const Value& pointer, const Type& type,
                 const Active& active, Verb verb);

// What elements outside of the descriptor's tensor read as: zero, or NaN.
std::int64_t padding_bits(Frame& frame, const Instruction& made);

// Operands [from, from + count) are scalar integers; else the module is malformed.
bool indices_fit(Builder& b, std::size_t from, std::size_t count);
// The tile may drop leading dimensions of size 1 of the descriptor's block.
bool block_like(const Type& descriptor, const Type& tile);

}  // namespace kgb::vm
