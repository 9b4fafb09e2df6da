// SPDX-License-Identifier: Apache-2.0
// How a program is made ready for the sanitizer: handlers that check stand before those that work.
#pragma once

#include "vm/program.hpp"

namespace kgb::vm {

// Bits of Extra::checks.
inline constexpr std::uint32_t kAcquires = 1, kReleases = 2, kVolatile = 4, kOverwrites = 8;
inline constexpr std::uint32_t kMayWrap = 16, kPermutes = 32,
                               kPasses = 64;  // of operations that feed an address
inline constexpr int kSumShift = 8;           // which one: two bits from here

// Wraps the handlers of memory operations, and of integer operations that feed an address, and finds out what
// the kernel may do. Between lower() and analyse().
void instrument(ProgramImpl& program);

// The checking handlers. Each calls made.extra->inner.
namespace checked {
void run_load(Frame& frame, const Instruction& made);
void run_store(Frame& frame, const Instruction& made);
void run_atomic(Frame& frame, const Instruction& made);
void run_cas(Frame& frame, const Instruction& made);
void run_descriptor_load(Frame& frame, const Instruction& made);
void run_descriptor_store(Frame& frame, const Instruction& made);
void run_descriptor_gather(Frame& frame, const Instruction& made);
void run_descriptor_scatter(Frame& frame, const Instruction& made);
void run_descriptor_reduce(Frame& frame, const Instruction& made);
// Integer operations and shapes between a 32-bit value and an address.
void run_index(Frame& frame, const Instruction& made);
// Before an access: true if an active lane's address comes from a value that wrapped; reported, instance
// ended.
bool blame_wrapped(Frame& frame, const Instruction& made, int mask);
void run_division(Frame& frame, const Instruction& made);
// Gives the inactive lanes of a masked load without `other` another value than zero.
void fill_undefined(Frame& frame, const Instruction& made);
}  // namespace checked

}  // namespace kgb::vm
