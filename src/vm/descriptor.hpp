// SPDX-License-Identifier: Apache-2.0
// Blocks of tensor descriptors, shared by the operations on them.
#pragma once

#include <array>
#include <span>

#include "vm/access.hpp"
#include "vm/builder.hpp"

namespace kgb::vm {

// The scalar indices that follow the descriptor among the operands.
std::array<std::int64_t, kFormRank> block_start(Frame& frame, const Instruction& made);

// The block that starts at the indices, as an affine pointer, and the part of it that lies inside the
// descriptor's tensor. False after a report.
bool descriptor_block(Frame& frame, const Instruction& made, std::span<const std::int64_t> starts,
                      Value& pointer, Active& active);

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
