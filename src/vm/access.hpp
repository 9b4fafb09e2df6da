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

// Where the tile lies if it has one dimension, all its lanes are active and follow one another inside the
// buffer that the pointer came from; else null, and the general way has to look. Most accesses are of this
// kind. `row`: bytes of the tile, 0 for those of another rank; `mask` may be null.
inline std::byte* whole_row(const Frame& frame, const Value& pointer, const Value* mask, std::int64_t row,
                            std::size_t bytes, Verb verb) {
  if (row == 0 || pointer.form != Form::affine || pointer.tables != 0 || pointer.region < 0 ||
      pointer.stride[0] != static_cast<std::int64_t>(bytes))
    return nullptr;
  if (mask != nullptr && (mask->form != Form::splat || (mask->bits & 1) == 0)) return nullptr;
  const Region& buffer = frame.memory->region(pointer.region);
  const auto size = static_cast<std::uint64_t>(row);
  const std::uint64_t offset =
      static_cast<std::uint64_t>(pointer.bits) - reinterpret_cast<std::uint64_t>(buffer.data);
  if (buffer.bytes < size || offset > buffer.bytes - size || (verb != Verb::load && !buffer.writable))
    return nullptr;
  return reinterpret_cast<std::byte*>(pointer.bits);
}

// Whether a row stored into the region had better not pass through the caches: the buffer is larger than they
// are, and reading a line only to overwrite it costs a third of the traffic.
inline bool past_caches(const Frame& frame, int region, std::int64_t row) {
  constexpr std::size_t large = std::size_t{16} << 20;
  return row >= 1024 && frame.memory->region(region).bytes >= large;
}
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes);
// To be called before others may be told of what was copied so. Locked operations do it by themselves.
void finish_copies();

// Bytes of a tile of one dimension, 0 for others: Instruction::row.
inline std::int64_t row_bytes(const Type& type, std::size_t bytes) {
  return type.tensor && type.rank() == 1 ? type.count * static_cast<std::int64_t>(bytes) : 0;
}

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
// The same for a row. The processor's own prefetching stops at pages: a row within one is fetched whole, of a
// longer one only its beginning.
template <bool kWrite>
inline void prefetch_row(std::int64_t from, std::int64_t bytes) {
  constexpr std::int64_t page = 4096, beginning = 1024;
  const std::int64_t run = bytes <= page ? bytes : beginning;
  for (std::int64_t at = 0; at < run; at += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(static_cast<std::uint64_t>(from + at)), kWrite,
                       kWrite ? 3 : 2);
}
// Programs and loops mostly walk through memory in even steps: how far from its last access this instruction
// (a load or a store) now is, 0 for farther than is worth a guess.
inline std::int64_t stream_step(Frame& frame, const Instruction& made, const Value& pointer) {
  constexpr std::int64_t far = 1 << 24;
  std::int64_t& newest = frame.streams[static_cast<std::size_t>(made.imm[4])];
  const auto step = static_cast<std::int64_t>(static_cast<std::uint64_t>(pointer.bits) -
                                              static_cast<std::uint64_t>(newest));
  newest = pointer.bits;
  return step > -far && step < far ? step : 0;
}

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
