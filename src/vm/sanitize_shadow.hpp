// SPDX-License-Identifier: Apache-2.0
// Shadow memory: for each granule of a buffer, which program instance wrote it last and which read it last.
//
// A word is a tag and two flags. Tags grow over all launches of a trial, so a tag below the launch's first
// one belongs to an earlier launch, which is over: nothing is ever cleared. Tag 0: nothing wrote the granule.
// Tag 1: the host did. A granule is as large as the accesses, and is split when a smaller one comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "vm/sanitize.hpp"
#include "vm/shadow_words.hpp"

namespace kgb::vm {

inline constexpr std::uint32_t kAtomicFlag = 1u << 31;  // writer: by an atomic operation
inline constexpr std::uint32_t kManyFlag = 1u << 30;    // more than one instance of this launch
inline constexpr std::uint32_t kTagMask = kManyFlag - 1;
inline constexpr std::uint32_t kHostTag = 1;
inline constexpr std::uint32_t kNoLaunch = kTagMask + 1;  // as first tag: no tag belongs to the launch

struct RegionShadow {
  const std::byte* start = nullptr;
  std::size_t bytes = 0;
  bool whole = true;  // every byte has been written
  bool freed = false;
  bool tracked = false;  // this launch may write it: accesses are compared
  bool written = false;  // in this launch
  int shift = -1;        // log2 of the granule; -1: no words yet
  ShadowWords writer, reader;
  std::vector<int> write_places, read_places;  // of this launch, for messages

  // Makes words of at most this granule; `offset` and `size` are those of an access.
  void fit(std::size_t offset, std::size_t size);
  [[nodiscard]] std::size_t granule() const { return std::size_t{1} << shift; }
  void want_reader() {
    if (reader.size() != writer.size()) reader.assign(writer.size(), 0);
  }
  void refresh_whole();
};

// What lanes hold that nothing defines: of masked loads without `other`, of integer divisions by zero. Runs
// with different values must not differ in what they leave.
enum class UndefinedValue : std::uint8_t { zero, poison, large };

struct SanitizerState {
  Checks checks;
  Footprint* footprint = nullptr;
  UndefinedValue variant = UndefinedValue::zero;
  std::vector<int> zero_divisions;       // places where a lane divided by zero
  std::uint32_t last_first = kNoLaunch;  // first tag of the newest launch
  std::uint32_t next_tag = 2;
  std::map<const std::byte*, RegionShadow> regions;

  // The buffer's shadow, made when it is first asked for.
  RegionShadow& at(const std::byte* start, std::size_t bytes);
  // The buffer that holds the byte; nullptr if none was named.
  [[nodiscard]] RegionShadow* holding(const std::byte* byte);
  // Makes room for `count` further tags: forgets who wrote what once they run out. False: too many.
  bool reserve(std::uint64_t count);
};

}  // namespace kgb::vm
