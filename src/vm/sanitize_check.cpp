// SPDX-License-Identifier: Apache-2.0
// The checks of accesses: a fast look over a row of shadow words, and a slow one where something stood out.
#include "vm/sanitize_check.hpp"

#include <algorithm>
#include <cstring>

namespace kgb::vm {
namespace {

// Whether a plain load of n granules has to be looked at closer; readers become `me`.
bool look_load(RegionShadow& shadow, std::size_t g, std::size_t n, std::uint32_t me, std::uint32_t first,
               bool init) {
  const bool bad = shadow.writer.any(g, n, [&](std::uint32_t w) {
    return ((w == 0) & init) | (((w & kTagMask) >= first) & ((w & ~kAtomicFlag) != me));
  });
  if (shadow.tracked)
    shadow.reader.update(g, n, [&](std::uint32_t r) {
      const bool others = ((r & kTagMask) >= first) & (r != me);
      return me | (others ? kManyFlag : 0);
    });
  return bad;
}

bool look_store(const RegionShadow& shadow, std::size_t g, std::size_t n, std::uint32_t me,
                std::uint32_t first) {
  const auto others = [&](std::uint32_t w) { return ((w & kTagMask) >= first) & ((w & ~kAtomicFlag) != me); };
  if (shadow.writer.any(g, n, others)) return true;
  return !shadow.reader.empty() && shadow.reader.any(g, n, others);
}

void note_place(std::vector<int>& places, int place) {
  if (!places.empty() && places.back() == place) return;
  if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
}

}  // namespace

LaunchCheck::LaunchCheck(Sanitizer& sanitizer, const ProgramImpl& program, const Memory& memory,
                         const std::vector<int>& argument_regions, const std::array<std::int64_t, 3>& grid,
                         std::int64_t total)
    : state_(sanitizer.state()),
      program_(program),
      memory_(memory),
      facts_(*program.facts),
      total_(total),
      grid_(grid) {
  const std::uint64_t tags = facts_.synchronises ? kTagMask / 4 : static_cast<std::uint64_t>(total);
  compare_ = state_.checks.races && total > 1 && state_.reserve(tags);
  if (!compare_) state_.reserve(1);
  first_ = state_.next_tag;
  state_.last_first = first_;
  ordering_.clear(first_);
  if (!facts_.synchronises) state_.next_tag += compare_ ? static_cast<std::uint32_t>(total) : 1;
  for (int i = 0; i < memory.size(); ++i) {
    const Region& region = memory.region(i);
    RegionShadow& shadow = state_.at(region.data, region.bytes);
    shadow.tracked = false;
    shadow.written = false;
    shadow.write_places.clear();
    shadow.read_places.clear();
    if (facts_.writes_anywhere && region.writable) shadow.tracked = compare_;
    shadows_.push_back(&shadow);
  }
  for (std::size_t i = 0; i < argument_regions.size() && i < facts_.written.size(); ++i)
    if (facts_.written[i] != 0 && argument_regions[i] >= 0)
      shadows_[static_cast<std::size_t>(argument_regions[i])]->tracked = compare_;
}

LaunchCheck::~LaunchCheck() {
  for (RegionShadow* shadow : shadows_) {
    if (shadow->written) shadow->refresh_whole();
  }
}

void LaunchCheck::divided_by_zero(const Instruction& made) {
  note_place(state_.zero_divisions, made.place);
}

std::uint32_t LaunchCheck::tag(Frame& frame) {
  FrameCheck& check = *frame.check;
  if (check.number == frame.number) return check.me;
  check.number = frame.number;
  if (!facts_.synchronises) {
    check.me = compare_ ? first_ + static_cast<std::uint32_t>(frame.number) : first_;
  } else {
    check.me = ordering_.segment(frame.number);
    state_.next_tag = check.me + 1;
  }
  return check.me;
}

bool LaunchCheck::only_bounds(int region) const {
  if (region < 0 || state_.footprint != nullptr || memory_.part(region) != nullptr) return false;
  const RegionShadow& shadow = *shadows_[static_cast<std::size_t>(region)];
  return !shadow.freed && !shadow.tracked && !asks_init(shadow);
}

RegionShadow* LaunchCheck::enter(Frame& frame, const Instruction& made, int region, const Row& row,
                                 Verb verb) {
  RegionShadow* shadow = shadows_[static_cast<std::size_t>(region)];
  if (state_.footprint != nullptr)
    state_.footprint->touched(memory_.region(region).data + row.offset, row.count, row.stride, row.bytes,
                              verb);
  if (shadow->freed) {
    const std::string name = memory_.region(region).name;
    report(frame, made, "use_after_free", "an access to '" + name + "', which the host code has freed",
           region, row.offset, {});
    return nullptr;
  }
  return memory_.part(region) != nullptr && leaves_part(frame, made, region, row, verb) ? nullptr : shadow;
}

// Words of this launch that are someone else's but ordered before this access.
bool LaunchCheck::excused(std::uint32_t word, std::uint32_t me) {
  return facts_.synchronises && ordering_.before(word & kTagMask, me);
}

LaunchCheck::Conflict LaunchCheck::of_load(const RegionShadow& shadow, std::size_t g, std::uint32_t me,
                                           bool atomic_read) {
  const std::uint32_t w = shadow.writer[g];
  if (w == 0 && asks_init(shadow)) return {Conflict::Kind::uninitialised, 0};
  if ((w & kTagMask) < first(shadow) || (w & ~kAtomicFlag) == me) return {};
  const bool atomic = (w & kAtomicFlag) != 0;
  if ((atomic && atomic_read) || excused(w, me)) return {};
  return {atomic ? Conflict::Kind::with_atomic : Conflict::Kind::with_store, w};
}

LaunchCheck::Conflict LaunchCheck::of_store(const RegionShadow& shadow, std::size_t g, std::uint32_t me,
                                            bool atomic) {
  const std::uint32_t w = shadow.writer[g];
  if ((w & kTagMask) >= first(shadow) && (w & ~kAtomicFlag) != me) {
    const bool was_atomic = (w & kAtomicFlag) != 0;
    if (!(atomic && was_atomic) && !excused(w, me))
      return {was_atomic ? Conflict::Kind::with_atomic : Conflict::Kind::with_store, w};
  }
  if (shadow.reader.empty()) return {};
  const std::uint32_t r = shadow.reader[g];
  if ((r & kTagMask) >= first(shadow) && r != me && !excused(r, me)) return {Conflict::Kind::with_load, r};
  return {};
}

void LaunchCheck::load(Frame& frame, const Instruction& made, int region, const Row& row) {
  RegionShadow* shadow = enter(frame, made, region, row, Verb::load);
  if (shadow == nullptr || (!shadow->tracked && !asks_init(*shadow))) return;
  shadow->fit(static_cast<std::size_t>(row.offset) | static_cast<std::size_t>(row.stride), row.bytes);
  const std::uint32_t me = tag(frame);
  if (shadow->tracked) {
    shadow->want_reader();
    note_place(shadow->read_places, made.place);
  }
  const bool init = asks_init(*shadow);
  const auto step = static_cast<std::int64_t>(row.bytes >> shadow->shift);
  const auto look = [&](std::int64_t offset, std::int64_t n) {
    return look_load(*shadow, static_cast<std::size_t>(offset) >> shadow->shift, static_cast<std::size_t>(n),
                     me, first(*shadow), init);
  };
  const auto closer = [&](std::int64_t offset) {
    for (std::int64_t k = 0; k < step; ++k) {
      const Conflict found =
          of_load(*shadow, static_cast<std::size_t>((offset >> shadow->shift) + k), me, false);
      if (found.kind == Conflict::Kind::none) continue;
      explain(frame, made, region, offset, row.bytes, Verb::load, found);
      return;
    }
  };
  if (row.stride == static_cast<std::int64_t>(row.bytes)) {
    if (!look(row.offset, row.count * step)) return;
    for (std::int64_t i = 0; i < row.count; ++i) closer(row.offset + i * row.stride);
    return;
  }
  for (std::int64_t i = 0; i < row.count; ++i)
    if (look(row.offset + i * row.stride, step)) closer(row.offset + i * row.stride);
}

void LaunchCheck::store(Frame& frame, const Instruction& made, int region, const Row& row, int value) {
  ++changes;
  RegionShadow* shadow = enter(frame, made, region, row, Verb::store);
  if (shadow == nullptr) return;
  shadow->written = true;
  if (!shadow->tracked && compare_) {  // instrumentation did not see that it would be written
    shadow->tracked = true;
  } else if (!shadow->tracked && shadow->whole) {
    return;
  }
  shadow->fit(static_cast<std::size_t>(row.offset) | static_cast<std::size_t>(row.stride), row.bytes);
  const std::uint32_t me = tag(frame);
  note_place(shadow->write_places, made.place);
  const auto step = static_cast<std::int64_t>(row.bytes >> shadow->shift);
  const auto look = [&](std::int64_t offset, std::int64_t n) {
    return look_store(*shadow, static_cast<std::size_t>(offset) >> shadow->shift, static_cast<std::size_t>(n),
                      me, first(*shadow));
  };
  const auto closer = [&](std::int64_t i) {
    const std::int64_t offset = row.offset + i * row.stride;
    for (std::int64_t k = 0; k < step; ++k) {
      const Conflict found =
          of_store(*shadow, static_cast<std::size_t>((offset >> shadow->shift) + k), me, false);
      if (found.kind == Conflict::Kind::none) continue;
      // The same bytes again: whoever comes last, memory is the same.
      const std::byte* fresh =
          elements(frame, value) + (row.tile + i * row.tile_stride) * static_cast<std::int64_t>(row.bytes);
      if (std::memcmp(memory_.region(region).data + offset, fresh, row.bytes) == 0) return;
      explain(frame, made, region, offset, row.bytes, Verb::store, found);
      return;
    }
  };
  const auto mark = [&](std::int64_t offset, std::int64_t n) {
    shadow->writer.fill(static_cast<std::size_t>(offset) >> shadow->shift, static_cast<std::size_t>(n), me);
  };
  if (row.stride == static_cast<std::int64_t>(row.bytes)) {
    if (look(row.offset, row.count * step))
      for (std::int64_t i = 0; i < row.count; ++i) closer(i);
    return mark(row.offset, row.count * step);
  }
  for (std::int64_t i = 0; i < row.count; ++i) {
    const std::int64_t offset = row.offset + i * row.stride;
    if (look(offset, step)) closer(i);
    mark(offset, step);
  }
}

void LaunchCheck::atomic(Frame& frame, const Instruction& made, int region, std::int64_t offset,
                         std::size_t bytes, AtomicUse use) {
  const bool reads = use == AtomicUse::read;
  RegionShadow* shadow =
      enter(frame, made, region, {offset, 1, 0, bytes, 0, 0}, reads ? Verb::load : Verb::atomic);
  if (shadow == nullptr) return;
  if (!reads) {
    shadow->written = true;
    if (!shadow->tracked && compare_) shadow->tracked = true;
  }
  if (!shadow->tracked && !asks_init(*shadow)) return;
  shadow->fit(static_cast<std::size_t>(offset), bytes);
  const std::uint32_t me = tag(frame), launch = first(*shadow);
  note_place(reads ? shadow->read_places : shadow->write_places, made.place);
  for (std::size_t g = static_cast<std::size_t>(offset) >> shadow->shift, end = g + (bytes >> shadow->shift);
       g < end; ++g) {
    Conflict found;
    std::uint32_t& word = shadow->writer.single(g);
    if (use != AtomicUse::overwrite && word == 0 && asks_init(*shadow))
      found.kind = Conflict::Kind::uninitialised;
    else
      found = reads ? of_load(*shadow, g, me, true) : of_store(*shadow, g, me, true);
    if (found.kind != Conflict::Kind::none)
      explain(frame, made, region, offset, bytes, reads ? Verb::load : Verb::atomic, found);
    if (reads) continue;
    const std::uint32_t tag = word & kTagMask;
    // What this instance stored plainly stays a plain store in the eyes of others.
    if (tag == me && tag >= launch && (word & kAtomicFlag) == 0) continue;
    const bool others = tag >= launch && (word & ~kAtomicFlag) != me;
    word = me | kAtomicFlag | (others ? kManyFlag : 0);
  }
}

void LaunchCheck::order(Frame& frame, std::uint64_t address, bool acquires, bool releases) {
  if (!facts_.synchronises || !compare_) return;
  const std::uint32_t me = tag(frame);
  const std::uint32_t next = ordering_.segment(frame.number);
  if (acquires) ordering_.acquire(address, next);
  if (releases) ordering_.release(address, me);
  frame.check->me = next;
  state_.next_tag = next + 1;
}

}  // namespace kgb::vm
