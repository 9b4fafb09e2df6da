// SPDX-License-Identifier: Apache-2.0
// The checking handlers of memory operations: bounds first, then the shadow, then the operation itself.
#include <algorithm>
#include <array>
#include <cstring>

#include "vm/descriptor.hpp"
#include "vm/sanitize_check.hpp"
#include "vm/sanitize_instrument.hpp"

namespace kgb::vm::checked {
namespace {

struct Dim {
  std::int64_t extent = 1, stride = 0, tile_stride = 0;
  const std::int64_t* table = nullptr;  // at the first index
};

struct Box {
  std::int64_t offset = 0, tile = 0;
  std::vector<Dim> dims;  // innermost last
};

// The active part of a tile as loops over memory, the longest contiguous run innermost.
Box box_of(const Value& pointer, const Type& type, const Active& active, std::int64_t offset) {
  Box box;
  box.offset = offset;
  std::int64_t tile_stride = 1;
  for (int d = type.rank() - 1; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    const std::int64_t from = active.from[at], extent = active.to[at] - from;
    box.tile += from * tile_stride;
    Dim dim{extent, 0, tile_stride, nullptr};
    if (pointer.form == Form::affine) {
      if ((pointer.tables >> d & 1) != 0)
        dim.table = pointer.table + table_start(type, d) + from;
      else
        dim.stride = pointer.stride[at];
      if (dim.table == nullptr) box.offset += dim.stride * from;
    }
    tile_stride *= type.shape[at];
    if (extent == 1 && dim.table == nullptr) continue;
    box.dims.push_back(dim);
  }
  std::stable_sort(box.dims.begin(), box.dims.end(), [](const Dim& a, const Dim& b) {
    if ((a.table != nullptr) != (b.table != nullptr)) return a.table != nullptr;
    return std::abs(a.stride) > std::abs(b.stride);
  });
  for (std::size_t i = box.dims.size(); i-- > 1;) {
    Dim &outer = box.dims[i - 1], &inner = box.dims[i];
    if (outer.table != nullptr || inner.table != nullptr || outer.stride != inner.stride * inner.extent ||
        outer.tile_stride != inner.tile_stride * inner.extent)
      continue;
    outer = {outer.extent * inner.extent, inner.stride, inner.tile_stride, nullptr};
    box.dims.erase(box.dims.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return box;
}

template <typename Visit>
void walk(const Box& box, std::size_t depth, Row row, const Visit& visit) {
  if (depth == box.dims.size()) {
    row.stride = static_cast<std::int64_t>(row.bytes);
    return visit(row);
  }
  const Dim& dim = box.dims[depth];
  if (depth + 1 == box.dims.size() && dim.table == nullptr) {
    row.count = dim.stride == 0 ? 1 : dim.extent;
    row.stride = dim.stride == 0 ? static_cast<std::int64_t>(row.bytes) : dim.stride;
    row.tile_stride = dim.tile_stride;
    return visit(row);
  }
  const std::int64_t extent = dim.table == nullptr && dim.stride == 0 ? 1 : dim.extent;
  for (std::int64_t i = 0; i < extent; ++i) {
    Row next = row;
    next.offset += dim.table != nullptr ? dim.table[i] : dim.stride * i;
    next.tile += dim.tile_stride * i;
    walk(box, depth + 1, next, visit);
  }
}

std::int64_t offset_in(Frame& frame, int region, std::uint64_t address) {
  return static_cast<std::int64_t>(address -
                                   reinterpret_cast<std::uint64_t>(frame.memory->region(region).data));
}

// The active part of a tile of one dimension without a table.
Row line_of(const Value& pointer, const Active& active, Frame& frame, int region, std::size_t bytes) {
  Row row;
  const std::int64_t extent = active.to[0] - active.from[0], stride = pointer.stride[0];
  row.offset = offset_in(frame, region, static_cast<std::uint64_t>(pointer.bits)) + stride * active.from[0];
  row.tile = active.from[0];
  row.bytes = bytes;
  row.count = stride == 0 ? 1 : extent;
  row.stride = row.count == 1 ? static_cast<std::int64_t>(bytes) : stride;
  row.tile_stride = 1;
  return row;
}

template <typename Visit>
void visit_box(Frame& frame, int region, const Value& pointer, const Type& type, const Active& active,
               std::size_t bytes, const Visit& visit) {
  if (type.rank() == 1 && pointer.form == Form::affine && pointer.tables == 0)
    return visit(region, line_of(pointer, active, frame, region, bytes));
  const Box box =
      box_of(pointer, type, active, offset_in(frame, region, static_cast<std::uint64_t>(pointer.bits)));
  Row row;
  row.offset = box.offset;
  row.tile = box.tile;
  row.bytes = bytes;
  walk(box, 0, row, [&](const Row& found) { visit(region, found); });
}

// Addresses one by one; neighbours that follow each other become one row.
template <typename Visit>
void visit_lanes(Frame& frame, int origin, const std::uint64_t* addresses, const std::uint8_t* mask,
                 std::int64_t n, std::size_t bytes, const Visit& visit) {
  int region = origin;
  for (std::int64_t i = 0; i < n;) {
    if (mask != nullptr && mask[i] == 0) {
      ++i;
      continue;
    }
    if (origin < 0) {
      const auto inside = [&](int r) {
        return r >= 0 && addresses[i] - reinterpret_cast<std::uint64_t>(frame.memory->region(r).data) <
                             frame.memory->region(r).bytes;
      };
      if (!inside(region)) region = frame.memory->find(addresses[i]);
      if (region < 0) return;
    }
    std::int64_t end = i + 1;
    while (end < n && (mask == nullptr || mask[end] != 0) && addresses[end] == addresses[end - 1] + bytes)
      ++end;
    Row row;
    row.offset = offset_in(frame, region, addresses[i]);
    // A row may not leave the buffer that its first element lies in.
    const auto room = (static_cast<std::int64_t>(frame.memory->region(region).bytes) - row.offset) /
                      static_cast<std::int64_t>(bytes);
    row.count = std::min(end - i, std::max<std::int64_t>(room, 1));
    row.stride = static_cast<std::int64_t>(bytes);
    row.bytes = bytes;
    row.tile = i;
    row.tile_stride = 1;
    visit(region, row);
    i += row.count;
  }
}

// What a loop may be waiting for.
void note_read(Frame& frame, const Value& pointer, std::size_t bytes) {
  if (pointer.n != 1) return;
  frame.check->read_at = static_cast<std::uint64_t>(pointer.bits);
  frame.check->read_bytes = bytes;
}

// Calls visit(region, row) for all that is accessed. False: something is out of bounds and was reported.
template <typename Visit>
bool visit_access(Frame& frame, const Instruction& made, int mask, std::size_t bytes, Verb verb,
                  const Visit& visit) {
  const Type& type = frame.type(made.in[0]);
  const Active active = active_lanes(frame, mask, type);
  if (active.kind == Active::Kind::none) return true;
  if (blame_wrapped(frame, made, mask)) return false;
  const Value& pointer = frame.at(made.in[0]);
  if (verb != Verb::store) note_read(frame, pointer, bytes);
  if (pointer.form != Form::dense && active.kind == Active::Kind::box && type.rank() <= kFormRank) {
    const int region = check_affine(frame, pointer, type, active, bytes, verb);
    if (region >= 0) {
      visit_box(frame, region, pointer, type, active, bytes, visit);
      return true;
    }
  }
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(elements(frame, made.in[0]));
  const std::uint8_t* lanes = mask_bytes(frame, mask, active);
  if (!check_lanes(frame, made, verb, pointer.region, addresses, lanes, pointer.n, bytes)) {
    frame.check->launch->add_picture(frame, bytes);
    return false;
  }
  visit_lanes(frame, pointer.region, addresses, lanes, pointer.n, bytes, visit);
  return true;
}

LaunchCheck* launch_of(Frame& frame) {
  return frame.check == nullptr ? nullptr : frame.check->launch;
}

void inner(Frame& frame, const Instruction& made) {
  made.extra->inner(frame, made);
}

}  // namespace

void run_load(Frame& frame, const Instruction& made) {
  LaunchCheck* check = launch_of(frame);
  if (check == nullptr) return inner(frame, made);
  if (!check->shadows()) {
    inner(frame, made);
    if (check->variant() == UndefinedValue::large && made.in.size() == 2 && !frame.trapped)
      fill_undefined(frame, made);
    return;
  }
  const std::size_t bytes = frame.info(made.out[0]).bytes;
  const bool is_volatile = (made.extra->checks & kVolatile) != 0;
  const int mask = made.in.size() > 1 ? made.in[1] : -1;
  if (!is_volatile && check->only_bounds(frame.at(made.in[0]).region)) {
    if (blame_wrapped(frame, made, mask)) return;
    note_read(frame, frame.at(made.in[0]), bytes);
    inner(frame, made);
    if (frame.trapped) check->add_picture(frame, bytes);
    return;
  }
  const bool good = visit_access(frame, made, mask, bytes, Verb::load, [&](int region, const Row& row) {
    if (!is_volatile) return check->load(frame, made, region, row);
    for (std::int64_t i = 0; i < row.count; ++i)
      check->atomic(frame, made, region, row.offset + i * row.stride, row.bytes,
                    LaunchCheck::AtomicUse::read);
  });
  if (!good) return;
  inner(frame, made);
  const Value& pointer = frame.at(made.in[0]);
  if (is_volatile && !frame.trapped && pointer.n == 1)
    check->order(frame, static_cast<std::uint64_t>(pointer.bits), true, false);
}

void run_store(Frame& frame, const Instruction& made) {
  LaunchCheck* check = launch_of(frame);
  if (check == nullptr) return inner(frame, made);
  ++check->changes;
  if (!check->shadows()) return inner(frame, made);
  const std::size_t bytes = frame.info(made.in[1]).bytes;
  const bool good =
      visit_access(frame, made, made.in.size() > 2 ? made.in[2] : -1, bytes, Verb::store,
                   [&](int region, const Row& row) { check->store(frame, made, region, row, made.in[1]); });
  if (good) inner(frame, made);
}

namespace {

void atomic(Frame& frame, const Instruction& made, int mask) {
  LaunchCheck* check = launch_of(frame);
  if (check == nullptr) return inner(frame, made);
  const std::size_t bytes = frame.info(made.in[1]).bytes;
  const bool overwrites = (made.extra->checks & kOverwrites) != 0;
  const auto use = overwrites ? LaunchCheck::AtomicUse::overwrite : LaunchCheck::AtomicUse::update;
  if (check->shadows()) {
    const bool good = visit_access(frame, made, mask, bytes, Verb::atomic, [&](int region, const Row& row) {
      for (std::int64_t i = 0; i < row.count; ++i)
        check->atomic(frame, made, region, row.offset + i * row.stride, row.bytes, use);
    });
    if (!good) return;
  }
  const Value& pointer = frame.at(made.in[0]);
  const bool one = pointer.n == 1 && pointer.form == Form::splat;
  const bool active = mask < 0 || frame.at(mask).form != Form::splat || (frame.at(mask).bits & 1) != 0;
  const auto address = static_cast<std::uint64_t>(pointer.bits);
  std::uint64_t before = 0, after = 0;
  const bool readable =
      one && active && frame.memory->find(address) >= 0 && frame.memory->find(address + bytes - 1) >= 0;
  if (readable) std::memcpy(&before, reinterpret_cast<const void*>(address), bytes);
  inner(frame, made);
  if (frame.trapped || !active) return;
  if (readable) std::memcpy(&after, reinterpret_cast<const void*>(address), bytes);
  if (!readable || before != after) ++check->changes;
  if (readable && check->shadows())
    check->order(frame, address, (made.extra->checks & kAcquires) != 0,
                 (made.extra->checks & kReleases) != 0);
}

}  // namespace

void run_atomic(Frame& frame, const Instruction& made) {
  atomic(frame, made, made.in.size() > 2 ? made.in[2] : -1);
}

void run_cas(Frame& frame, const Instruction& made) {
  atomic(frame, made, -1);
}

namespace {

// The block that a descriptor operation touches: bounds are those of its own handler.
template <typename Visit>
void visit_descriptor(Frame& frame, const Instruction& made, Verb verb, const Visit& visit) {
  Value pointer;
  Active active;
  if (!descriptor_block(frame, made, 1, pointer, active) || active.kind == Active::Kind::none) return;
  const Type& type = frame.type(made.in[0]);
  const std::size_t bytes = bytes_of(type.dtype);
  const int region = check_affine(frame, pointer, type, active, bytes, verb);
  if (region >= 0) visit_box(frame, region, pointer, type, active, bytes, visit);
}

// The same for the rows of a gather or scatter.
template <typename Visit>
void visit_rows(Frame& frame, const Instruction& made, Verb verb, const Visit& visit) {
  const Type &type = frame.type(made.in[0]), &index = frame.type(made.in[1]);
  const std::size_t bytes = bytes_of(type.dtype);
  const std::byte* indices = elements(frame, made.in[1]);
  for (std::int64_t i = 0; i < index.count; ++i) {
    const std::array start{integer_at(indices, i, index.dtype), scalar_int(frame, made.in[2])};
    Value pointer;
    Active active;
    if (!descriptor_block_at(frame, made, start, pointer, active)) return;
    if (active.kind == Active::Kind::none) continue;
    const int region = check_affine(frame, pointer, type, active, bytes, verb);
    if (region < 0) return;
    visit_box(frame, region, pointer, type, active, bytes, [&](int found, Row row) {
      row.tile += i * type.shape[1];
      visit(found, row);
    });
  }
}

// The shadow first, then the operation itself.
template <typename Look>
void descriptor(Frame& frame, const Instruction& made, bool writes, const Look& look) {
  LaunchCheck* check = launch_of(frame);
  if (check != nullptr && writes) ++check->changes;
  if (check != nullptr && check->shadows()) look(*check);
  if (frame.trapped) return;
  inner(frame, made);
  if (check != nullptr && frame.trapped) check->add_picture(frame, bytes_of(frame.type(made.in[0]).dtype));
}

}  // namespace

void run_descriptor_load(Frame& frame, const Instruction& made) {
  descriptor(frame, made, false, [&](LaunchCheck& check) {
    visit_descriptor(frame, made, Verb::load,
                     [&](int region, const Row& row) { check.load(frame, made, region, row); });
  });
}

void run_descriptor_store(Frame& frame, const Instruction& made) {
  descriptor(frame, made, true, [&](LaunchCheck& check) {
    visit_descriptor(frame, made, Verb::store, [&](int region, const Row& row) {
      check.store(frame, made, region, row, made.in.back());
    });
  });
}

void run_descriptor_gather(Frame& frame, const Instruction& made) {
  descriptor(frame, made, false, [&](LaunchCheck& check) {
    visit_rows(frame, made, Verb::load,
               [&](int region, const Row& row) { check.load(frame, made, region, row); });
  });
}

void run_descriptor_scatter(Frame& frame, const Instruction& made) {
  descriptor(frame, made, true, [&](LaunchCheck& check) {
    visit_rows(frame, made, Verb::store,
               [&](int region, const Row& row) { check.store(frame, made, region, row, made.in.back()); });
  });
}

void run_descriptor_reduce(Frame& frame, const Instruction& made) {
  descriptor(frame, made, true, [&](LaunchCheck& check) {
    visit_descriptor(frame, made, Verb::atomic, [&](int region, const Row& row) {
      for (std::int64_t i = 0; i < row.count; ++i)
        check.atomic(frame, made, region, row.offset + i * row.stride, row.bytes,
                     LaunchCheck::AtomicUse::update);
    });
  });
}

}  // namespace kgb::vm::checked
