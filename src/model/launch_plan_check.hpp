// SPDX-License-Identifier: Apache-2.0
// Checks of a recording's parts against its buffers; each returns a complaint, or an empty text when all is
// well.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/launch_plan.hpp"

namespace kgb {

// Largest extent, stride or parameter of a plan: products of two fit in 128 bits with room for 64 dimensions.
inline constexpr std::int64_t kMaxExtent = std::int64_t{1} << 48;

// Every tensor of every call has exactly one input buffer of its storage's size, pointer arrays included.
[[nodiscard]] std::string check_inputs(const std::vector<PlanBuffer>& buffers,
                                       const std::vector<Call>& calls);
// Memory is reused by inputs alone, of an earlier call's input of the same size, each by one at most.
[[nodiscard]] std::string check_reuses(const std::vector<PlanBuffer>& buffers);
// The offset lies within 0 .. bytes, and the buffer exists by the time of call `call`.
[[nodiscard]] std::string check_reference(const BufferRef& ref, const std::vector<PlanBuffer>& buffers,
                                          int call);
// Every element lies inside the buffer. A written view has no more elements than the buffer has room for.
[[nodiscard]] std::string check_view(const View& view, const std::vector<PlanBuffer>& buffers, bool written);
// The bytes fit behind dst; relocations do not overlap. Sorts the relocations.
[[nodiscard]] std::string check_upload(Upload& upload, const std::vector<PlanBuffer>& buffers);
// Known kind, right parameters, and a destination of the shape that they give.
[[nodiscard]] std::string check_constant(const Constant& constant);
// Small, of integers or booleans, out of an allocation, and with as many bytes as it has elements for.
[[nodiscard]] std::string check_read(const Read& read, const std::vector<PlanBuffer>& buffers);
// No call reads more than it may, and behind a read without bytes there is nothing.
[[nodiscard]] std::string check_reads(const Recording& recording);
// Elements of tril_indices or triu_indices of a row x col matrix.
[[nodiscard]] std::int64_t triangle_count(bool lower, std::int64_t row, std::int64_t col,
                                          std::int64_t offset);

}  // namespace kgb
