// SPDX-License-Identifier: Apache-2.0
// The counting handlers of memory operations: the operation first, then what its active lanes asked for.
#include <algorithm>
#include <array>

#include "vm/count_state.hpp"
#include "vm/descriptor.hpp"

namespace kgb::vm::counted {
namespace {

// Takes the active lanes of one access in the order of the tile and makes requests of them: lanes whose
// numbers agree in all but the last five bits, on one buffer.
class Requests {
 public:
  // `origin`: where the pointer came from, or kAnyRegion.
  Requests(Frame& frame, const Instruction& made, int origin)
      : frame_(frame),
        index_(made.extra->site),
        site_(frame.program->count_plan->sites[index_]),
        bytes_(static_cast<std::int64_t>(site_.bytes)),
        origin_(origin) {}
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  ~Requests() { flush(); }

  void lane(std::int64_t number, std::uint64_t address) {
    if (number / kLanesPerRequest != request_ || address - start_ >= size_) {
      flush();
      enter(address);
      request_ = number / kLanesPerRequest;
    }
    offsets_[count_++] = static_cast<std::int64_t>(address - start_);
  }

  // Neighbours in memory as in the tile, that share no request with lanes beside them.
  void row(std::int64_t number, std::uint64_t address, std::int64_t count) {
    flush();
    enter(address);
    if (start_ + size_ - address < static_cast<std::uint64_t>(count * bytes_)) {
      // It goes on in the next buffer.
      for (std::int64_t i = 0; i < count; ++i)
        lane(number + i, address + static_cast<std::uint64_t>(i * bytes_));
      return;
    }
    const auto offset = static_cast<std::int64_t>(address - start_);
    const std::int64_t end = number + count;
    std::int64_t requests = 0, sectors = 0;
    for (std::int64_t from = number; from < end; ++requests) {
      const std::int64_t to = std::min((from / kLanesPerRequest + 1) * kLanesPerRequest, end);
      sectors += sector(offset + (to - number) * bytes_ - 1) - sector(offset + (from - number) * bytes_) + 1;
      from = to;
    }
    add(requests, count, sectors);
    mark(offset, count * bytes_);
  }

 private:
  static std::int64_t sector(std::int64_t offset) { return offset / kSectorBytes; }

  void enter(std::uint64_t address) {
    if (address - start_ < size_) return;
    const int region = origin_ >= 0 ? origin_ : frame_.memory->find(address);
    const Region& buffer = frame_.memory->region(region);  // it was checked: it lies in one
    start_ = reinterpret_cast<std::uint64_t>(buffer.data);
    size_ = buffer.bytes;
    traffic_ = &frame_.count->traffic(index_, region);
    if (site_.verb != Verb::store) read_ = &frame_.count->covered(*frame_.memory, region, false);
    if (site_.verb != Verb::load) written_ = &frame_.count->covered(*frame_.memory, region, true);
  }

  void add(std::int64_t requests, std::int64_t lanes, std::int64_t sectors) {
    traffic_->requests += static_cast<std::uint64_t>(requests);
    traffic_->lanes += static_cast<std::uint64_t>(lanes);
    traffic_->bytes += static_cast<std::uint64_t>(lanes * bytes_);
    traffic_->sectors += static_cast<std::uint64_t>(sectors);
  }

  void mark(std::int64_t offset, std::int64_t bytes) {
    if (read_ != nullptr) read_->mark(offset, bytes, frame_.shared_memory);
    if (written_ != nullptr) written_->mark(offset, bytes, frame_.shared_memory);
  }

  // Of the lanes that wait. An element that is not aligned, which a GPU refuses, would lie in two.
  [[nodiscard]] std::int64_t distinct_sectors() const {
    std::array<std::int64_t, 2 * kLanesPerRequest> seen;
    auto end = seen.begin();
    std::int64_t highest = -1;
    std::uint64_t met = 0;  // bits by hash: what is not in it was not seen, and needs no search
    for (std::size_t i = 0; i < count_; ++i)
      for (std::int64_t s = sector(offsets_[i]); s <= sector(offsets_[i] + bytes_ - 1); ++s) {
        const std::uint64_t bit = std::uint64_t{1}
                                  << (static_cast<std::uint64_t>(s) * 0x9E3779B97F4A7C15u >> 58);
        if (s <= highest && (met & bit) != 0 && std::find(seen.begin(), end, s) != end) continue;
        highest = std::max(highest, s);
        met |= bit;
        *end++ = s;
      }
    return end - seen.begin();
  }

  void flush() {
    if (count_ == 0) return;
    add(1, static_cast<std::int64_t>(count_), distinct_sectors());
    for (std::size_t from = 0, to = 0; from < count_; from = to) {
      for (to = from + 1; to < count_ && offsets_[to] == offsets_[to - 1] + bytes_;) ++to;
      mark(offsets_[from], static_cast<std::int64_t>(to - from) * bytes_);
    }
    count_ = 0;
  }

  Frame& frame_;
  std::size_t index_;
  const CountPlan::Site& site_;
  std::int64_t bytes_;
  int origin_;
  std::uint64_t start_ = 0, size_ = 0;  // of the buffer that the newest lane lies in
  Traffic* traffic_ = nullptr;
  Coverage *read_ = nullptr, *written_ = nullptr;
  std::int64_t request_ = -1;
  std::array<std::int64_t, kLanesPerRequest> offsets_;
  std::size_t count_ = 0;
};

// The active box of a tile whose first element has the number `first`. `alone`: no other box shares its
// requests.
void count_box(Requests& requests, const Value& pointer, const Type& type, const Active& active,
               std::int64_t bytes, std::int64_t first, bool alone) {
  const auto rank = static_cast<std::size_t>(type.rank());
  const bool affine = pointer.form == Form::affine;
  const auto address_of = [&](std::size_t d, std::int64_t i) {
    return affine ? contribution(pointer, type, static_cast<int>(d), i) : 0;
  };
  if (rank == 0) return requests.lane(first, static_cast<std::uint64_t>(pointer.bits));
  const std::size_t last = rank - 1;
  const std::int64_t inner = type.shape[last];
  std::int64_t outer = 1;
  for (std::size_t d = 0; d < last; ++d) outer *= type.shape[d];
  const bool whole = affine && (pointer.tables >> last & 1) == 0 && pointer.stride[last] == bytes &&
                     (inner % kLanesPerRequest == 0 || (outer == 1 && alone));
  std::array<std::int64_t, kFormRank> at = active.from;
  while (true) {
    std::int64_t address = pointer.bits, number = 0;
    for (std::size_t d = 0; d < last; ++d) {
      address += address_of(d, at[d]);
      number = number * type.shape[d] + at[d];
    }
    number = first + number * inner;
    const std::int64_t from = active.from[last], to = active.to[last];
    if (whole)
      requests.row(number + from, static_cast<std::uint64_t>(address + from * bytes), to - from);
    else
      for (std::int64_t i = from; i < to; ++i)
        requests.lane(number + i, static_cast<std::uint64_t>(address + address_of(last, i)));
    std::size_t d = last;
    while (d-- > 0) {
      if (++at[d] < active.to[d]) break;
      at[d] = active.from[d];
    }
    if (d > last) return;  // it went below zero
  }
}

}  // namespace

void run_block(Frame& frame, const Instruction& made) {
  ++frame.count->blocks[static_cast<std::size_t>(made.imm[0])];
}

void run_access(Frame& frame, const Instruction& made) {
  made.extra->inner(frame, made);
  if (frame.trapped) return;
  const CountPlan::Site& site = frame.program->count_plan->sites[made.extra->site];
  const int mask = site.mask < 0 ? -1 : made.in[static_cast<std::size_t>(site.mask)];
  const Type& type = frame.type(made.in[0]);
  const Active active = active_lanes(frame, mask, type);
  if (active.kind == Active::Kind::none) return;
  const Value& pointer = frame.at(made.in[0]);
  Requests requests(frame, made, pointer.region);
  if (pointer.form != Form::dense && active.kind == Active::Kind::box && type.rank() <= kFormRank)
    return count_box(requests, pointer, type, active, static_cast<std::int64_t>(site.bytes), 0, true);
  const auto* addresses = reinterpret_cast<const std::uint64_t*>(elements(frame, made.in[0]));
  const std::uint8_t* lanes = mask_bytes(frame, mask, active);
  for (std::int64_t i = 0; i < pointer.n; ++i)
    if (lanes == nullptr || lanes[i] != 0) requests.lane(i, addresses[i]);
}

void run_descriptor(Frame& frame, const Instruction& made) {
  made.extra->inner(frame, made);
  Value pointer;
  Active active;
  if (frame.trapped || !descriptor_block(frame, made, 1, pointer, active) ||
      active.kind == Active::Kind::none)
    return;
  const Type& type = frame.type(made.in[0]);
  Requests requests(frame, made, pointer.region);
  count_box(requests, pointer, type, active, static_cast<std::int64_t>(bytes_of(type.dtype)), 0, true);
}

void run_rows(Frame& frame, const Instruction& made) {
  made.extra->inner(frame, made);
  if (frame.trapped) return;
  const Type& type = frame.type(made.in[0]);
  const DType index = frame.type(made.in[1]).dtype;
  const std::byte* indices = elements(frame, made.in[1]);
  const std::int64_t rows = frame.at(made.in[1]).n, column = scalar_int(frame, made.in[2]);
  Requests requests(frame, made, frame.at(made.in[0]).region);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::array start{integer_at(indices, i, index), column};
    Value pointer;
    Active active;
    if (!descriptor_block_at(frame, made, start, pointer, active)) return;
    if (active.kind == Active::Kind::none) continue;
    count_box(requests, pointer, type, active, static_cast<std::int64_t>(bytes_of(type.dtype)),
              i * type.shape[1], rows == 1);
  }
}

}  // namespace kgb::vm::counted
