// SPDX-License-Identifier: Apache-2.0
// Checked access to buffers: which lanes are active, whether they lie inside, and the copies themselves.
#pragma once

#include <algorithm>
#include <array>

#include "vm/forms.hpp"
#include "vm/frame.hpp"

namespace kgb::vm {

// The active lanes of an access.
struct Active {
  enum class Kind : std::uint8_t { none, box, lanes } kind = Kind::box;
  bool all = false;                                  // box: every lane
  std::array<std::int64_t, kFormRank> from{}, to{};  // box
  const std::uint8_t* mask = nullptr;                // lanes: one byte each
};

// `mask` < 0: no mask. The type is that of the pointers. Tiles above kFormRank are always `lanes` or all.
Active active_lanes(Frame& frame, int mask, const Type& type);
// The same as one byte for each lane; null: all of them.
const std::uint8_t* mask_bytes(Frame& frame, int mask, const Active& active);

// Checks all active lanes of a uniform or affine pointer at once. The region, or -1 if the lanes have to be
// looked at one by one (which then finds what is wrong).
int check_affine(const Frame& frame, const Value& pointer, const Type& type, const Active& active,
                 std::size_t bytes, Verb verb);

// The box of all lanes.
inline Active whole_box(const Type& type) {
  Active whole;
  whole.all = true;
  for (int d = 0; d < std::min(type.rank(), kFormRank); ++d)
    whole.to[static_cast<std::size_t>(d)] = type.shape[static_cast<std::size_t>(d)];
  return whole;
}

// Bytes of the whole tile if they lie in memory as in the tile, else 0. (A descriptor's count is 1: the shape
// counts.)
std::int64_t contiguous_bytes(const Value& pointer, const Type& type, std::size_t bytes);

// Fetches what the access would touch if it were made `step` bytes further on.
void prefetch(const Value& pointer, const Type& type, std::size_t bytes, std::int64_t step);

// Reports an access of `bytes` at `address` that is not allowed.
void report_access(Frame& frame, const Instruction& made, Verb verb, int region, std::uint64_t address,
                   std::size_t bytes);

// Checks one address; false after a report. `region` is kAnyRegion or where the pointer came from.
bool check_address(Frame& frame, const Instruction& made, Verb verb, int region, std::uint64_t address,
                   std::size_t bytes);

// Checks n addresses, skipping those with mask[i] == 0 (mask may be null); false after a report of the first.
bool check_lanes(Frame& frame, const Instruction& made, Verb verb, int region, const std::uint64_t* addresses,
                 const std::uint8_t* mask, std::int64_t n, std::size_t bytes);

// Copies the active box between a tile and memory. Everything must have been checked.
void load_box(const Value& pointer, const Type& type, const Active& active, std::byte* tile,
              std::size_t bytes);
void store_box(const Value& pointer, const Type& type, const Active& active, const std::byte* tile,
               std::size_t bytes);

}  // namespace kgb::vm
