// SPDX-License-Identifier: Apache-2.0
// Bounds checks (one range test for an affine tile) and row copies.
#include "vm/access.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "vm/strided.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace kgb::vm {

Active active_lanes(Frame& frame, int mask, const Type& type) {
  Active active;
  const Value* value = mask < 0 ? nullptr : &frame.at(mask);
  const bool uniform = value == nullptr || value->form == Form::splat;
  if (uniform && value != nullptr && (value->bits & 1) == 0) {
    active.kind = Active::Kind::none;
    return active;
  }
  if (uniform) return whole_box(type);
  if (value->form == Form::box) {
    active.from = value->stride;
    active.to = value->hi;
    active.all = true;
    for (int d = 0; d < type.rank(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      if (active.from[at] >= active.to[at]) active.kind = Active::Kind::none;
      active.all = active.all && active.from[at] == 0 && active.to[at] == type.shape[at];
    }
    return active;
  }
  active.kind = Active::Kind::lanes;
  active.mask = reinterpret_cast<const std::uint8_t*>(elements(frame, mask));
  return active;
}

const std::uint8_t* mask_bytes(Frame& frame, int mask, const Active& active) {
  if (active.kind == Active::Kind::lanes) return active.mask;
  return active.all || mask < 0 ? nullptr : reinterpret_cast<const std::uint8_t*>(elements(frame, mask));
}

int check_affine(const Frame& frame, const Value& pointer, const Type& type, const Active& active,
                 std::size_t bytes, Verb verb) {
  std::int64_t low = pointer.bits, high = pointer.bits;
  if (pointer.form == Form::affine) {
    for (int d = 0; d < type.rank(); ++d) {
      const auto at = static_cast<std::size_t>(d);
      const bool whole = active.kind == Active::Kind::lanes;
      const std::int64_t from = whole ? 0 : active.from[at], to = whole ? type.shape[at] : active.to[at];
      if (from == 0 && (pointer.tables >> d & 1) == 0) {  // one end is the base
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(pointer.stride[at], to - 1, &reach)) return -1;
        std::int64_t& end = reach < 0 ? low : high;
        if (__builtin_add_overflow(end, reach, &end)) return -1;
        continue;
      }
      const auto part = contribution_range(pointer, type, d, from, to);
      if (!part || __builtin_add_overflow(low, part->low, &low) ||
          __builtin_add_overflow(high, part->high, &high))
        return -1;
    }
  }
  const auto first = static_cast<std::uint64_t>(low);
  const int region = pointer.region >= 0 ? pointer.region : frame.memory->find(first);
  if (region < 0) return -1;
  const Region& buffer = frame.memory->region(region);
  const std::uint64_t start = reinterpret_cast<std::uint64_t>(buffer.data);
  const std::uint64_t begin = first - start, last = static_cast<std::uint64_t>(high) - start;
  if (buffer.bytes < bytes || begin > buffer.bytes - bytes || last > buffer.bytes - bytes || begin > last)
    return -1;
  if (verb != Verb::load && !buffer.writable) return -1;
  return region;
}

void report_access(Frame& frame, const Instruction& made, Verb verb, int region, std::uint64_t address,
                   std::size_t bytes) {
  static constexpr const char* verbs[] = {"load", "store", "atomic"};
  std::string text =
      std::string(verbs[static_cast<std::size_t>(verb)]) + " of " + std::to_string(bytes) + " bytes";
  const std::string where = " in program (" + std::to_string(frame.id[0]) + ", " +
                            std::to_string(frame.id[1]) + ", " + std::to_string(frame.id[2]) + ")";
  if (region < 0) region = frame.memory->find(address);
  if (region < 0) {
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(address));
    text +=
        address < 4096 ? " through a null pointer" : std::string(" at ") + hex + ", which lies in no buffer";
    return frame.report(made, "out_of_bounds", text + where, {}, static_cast<std::int64_t>(address));
  }
  const Region& buffer = frame.memory->region(region);
  const auto offset = static_cast<std::int64_t>(address - reinterpret_cast<std::uint64_t>(buffer.data));
  const auto size = static_cast<std::int64_t>(bytes);
  const bool inside = offset >= 0 && offset + size <= static_cast<std::int64_t>(buffer.bytes);
  const std::int64_t element = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
  text += " at element " + std::to_string(element) + " of '" + buffer.name + "'";
  if (inside && !buffer.writable)
    return frame.report(made, "read_only", text + ", which may only be read," + where, buffer.name, offset);
  text += ", which has " + std::to_string(buffer.bytes / bytes) + " elements,";
  frame.report(made, "out_of_bounds", text + where, buffer.name, offset);
}

namespace {

bool inside(const Region& buffer, std::uint64_t address, std::size_t bytes) {
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(buffer.data);
  return buffer.bytes >= bytes && offset <= buffer.bytes - bytes;
}

}  // namespace

bool check_address(Frame& frame, const Instruction& made, Verb verb, int region, std::uint64_t address,
                   std::size_t bytes) {
  const int found = region >= 0 ? region : frame.memory->find(address);
  if (found >= 0) {
    const Region& buffer = frame.memory->region(found);
    if (inside(buffer, address, bytes) && (verb == Verb::load || buffer.writable)) return true;
  }
  report_access(frame, made, verb, found, address, bytes);
  return false;
}

bool check_lanes(Frame& frame, const Instruction& made, Verb verb, int region, const std::uint64_t* addresses,
                 const std::uint8_t* mask, std::int64_t n, std::size_t bytes) {
  if (region >= 0) {
    const Region& buffer = frame.memory->region(region);
    if (buffer.bytes >= bytes && (verb == Verb::load || buffer.writable)) {
      const std::uint64_t start = reinterpret_cast<std::uint64_t>(buffer.data), span = buffer.bytes - bytes;
      std::uint64_t bad = 0;
      if (mask == nullptr)
        for (std::int64_t i = 0; i < n; ++i) bad |= static_cast<std::uint64_t>(addresses[i] - start > span);
      else
        for (std::int64_t i = 0; i < n; ++i)
          bad |= static_cast<std::uint64_t>(addresses[i] - start > span) & mask[i];
      if (bad == 0) return true;
    }
  }
  int last = -1;  // neighbouring lanes mostly share a buffer
  for (std::int64_t i = 0; i < n; ++i) {
    if (mask != nullptr && mask[i] == 0) continue;
    if (region < 0 && last >= 0 && inside(frame.memory->region(last), addresses[i], bytes) &&
        (verb == Verb::load || frame.memory->region(last).writable))
      continue;
    if (!check_address(frame, made, verb, region, addresses[i], bytes)) return false;
    if (region < 0) last = frame.memory->find(addresses[i]);
  }
  return true;
}

std::int64_t contiguous_bytes(const Value& pointer, const Type& type, std::size_t bytes) {
  if (pointer.form == Form::splat || pointer.tables != 0) return 0;
  if (type.rank() == 1 && pointer.stride[0] == static_cast<std::int64_t>(bytes))
    return type.shape[0] * static_cast<std::int64_t>(bytes);
  auto step = static_cast<std::int64_t>(bytes);
  for (int d = type.rank() - 1; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(d);
    if (type.shape[at] != 1 && pointer.stride[at] != step) return 0;
    step *= type.shape[at];
  }
  return step;
}

namespace {

constexpr std::int64_t kPrefetchRun = 1024, kPrefetchBytes = 8192;  // of one row; of one tile

void prefetch_run(std::uint64_t from, std::int64_t bytes) {
  for (std::int64_t at = 0; at < std::min(bytes, kPrefetchRun); at += 64)
    __builtin_prefetch(reinterpret_cast<const void*>(from + static_cast<std::uint64_t>(at)), 0, 2);
}

}  // namespace

void prefetch(const Value& pointer, const Type& type, std::size_t bytes, std::int64_t step) {
  const auto from = static_cast<std::uint64_t>(pointer.bits) + static_cast<std::uint64_t>(step);
  const std::int64_t all = contiguous_bytes(pointer, type, bytes);
  if (all != 0) return prefetch_run(from, all);
  if (type.rank() != 2 || pointer.form == Form::splat || pointer.tables != 0) return;
  const std::size_t inner = pointer.stride[1] == static_cast<std::int64_t>(bytes) ? 1 : 0;
  if (pointer.stride[inner] != static_cast<std::int64_t>(bytes)) return;
  const std::int64_t run = type.shape[inner] * static_cast<std::int64_t>(bytes);
  const std::int64_t rows =
      std::min(type.shape[1 - inner], kPrefetchBytes / std::clamp<std::int64_t>(run, 64, kPrefetchRun + 64));
  for (std::int64_t i = 0; i < rows; ++i)
    prefetch_run(from + static_cast<std::uint64_t>(pointer.stride[1 - inner] * i), run);
}

#if defined(__x86_64__)
namespace {

__attribute__((target("avx2"))) std::size_t stream_wide(std::byte* to, const std::byte* from,
                                                        std::size_t bytes) {
  std::size_t i = 0;
  for (; i + 64 <= bytes; i += 64) {
    const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
    const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i + 32));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i), low);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + i + 32), high);
  }
  return i;
}

}  // namespace

void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (!wide) {
    std::memcpy(to, from, bytes);
    return;
  }
  const std::size_t head = std::min<std::size_t>(bytes, -reinterpret_cast<std::uint64_t>(to) % 64);
  std::memcpy(to, from, head);
  const std::size_t done = head + stream_wide(to + head, from + head, bytes - head);
  std::memcpy(to + done, from + done, bytes - done);
}
void finish_copies() {
  _mm_sfence();
}

namespace {

// Rows of a multiple of 64 bytes.
__attribute__((target("avx2"))) void copy_rows_wide(std::byte* to, std::int64_t to_step,
                                                    const std::byte* from, std::int64_t from_step,
                                                    std::int64_t rows, std::int64_t run) {
  for (; rows > 0; --rows, to += to_step, from += from_step)
    for (std::int64_t i = 0; i < run; i += 64) {
      const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
      const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i + 32));
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), low);
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i + 32), high);
    }
}

}  // namespace
#else
void copy_past_caches(std::byte* to, const std::byte* from, std::size_t bytes) {
  std::memcpy(to, from, bytes);
}
void finish_copies() {}
#endif

namespace {

// One row between memory and tile; kStore tells the direction.
template <typename T, bool kStore>
void copy_row(std::byte* memory, std::byte* tile, std::int64_t from, std::int64_t to, std::int64_t stride,
              const std::int64_t* table) {
  for (std::int64_t i = from; i < to; ++i) {
    std::byte* at = memory + (table != nullptr ? table[i] : stride * i);
    if constexpr (kStore)
      std::memcpy(at, tile + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    else
      std::memcpy(tile + i * static_cast<std::int64_t>(sizeof(T)), at, sizeof(T));
  }
}

// Memory runs along the second-to-last dimension: walk it in blocks of columns, so that both sides stay in
// cache.
template <typename T>
void load_transposed(const std::byte* memory, std::byte* tile, std::int64_t rows, std::int64_t columns,
                     std::int64_t stride) {
  if constexpr (sizeof(T) == 4) {
    if (transpose_words(tile, memory, rows, columns, stride)) return;
  }
  T* out = reinterpret_cast<T*>(tile);
  for (std::int64_t jj = 0; jj < columns; jj += 8) {
    const std::int64_t end = std::min<std::int64_t>(jj + 8, columns);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = jj; j < end; ++j)
        std::memcpy(out + i * columns + j, memory + i * static_cast<std::int64_t>(sizeof(T)) + j * stride,
                    sizeof(T));
  }
}

inline void copy_bytes(std::byte* to, const std::byte* from, std::size_t bytes) {
  // Short rows of a power of two are the rule in tiles; a fixed-size copy is a few vector moves.
  switch (bytes) {
    case 64:
      std::memcpy(to, from, 64);
      return;
    case 128:
      std::memcpy(to, from, 128);
      return;
    case 256:
      std::memcpy(to, from, 256);
      return;
    default:
      std::memcpy(to, from, bytes);
      return;
  }
}

// `rows` runs of bytes, each a step behind the one before.
void copy_rows(std::byte* to, std::int64_t to_step, const std::byte* from, std::int64_t from_step,
               std::int64_t rows, std::int64_t run) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx2") != 0;
  if (wide && run % 64 == 0) return copy_rows_wide(to, to_step, from, from_step, rows, run);
#endif
  for (; rows > 0; --rows, to += to_step, from += from_step)
    copy_bytes(to, from, static_cast<std::size_t>(run));
}

template <typename T, bool kStore>
void copy_box(const Value& pointer, const Type& type, const Active& active, std::byte* tile) {
  constexpr auto bytes = static_cast<std::int64_t>(sizeof(T));
  auto* memory = reinterpret_cast<std::byte*>(static_cast<std::uint64_t>(pointer.bits));
  const int rank = type.rank();
  if (rank == 0) return copy_row<T, kStore>(memory, tile, 0, 1, 0, nullptr);
  const auto size = static_cast<std::size_t>(active.all ? contiguous_bytes(pointer, type, sizeof(T)) : 0);
  if (size != 0) {
    kStore ? std::memcpy(memory, tile, size) : std::memcpy(tile, memory, size);
    return;
  }
  const int last = rank - 1;
  const auto l = static_cast<std::size_t>(last);
  const bool affine = pointer.form != Form::splat;
  if (rank == 2 && active.all && affine && pointer.tables == 0 && pointer.stride[1] == bytes) {
    const std::int64_t run = type.shape[1] * bytes;
    return kStore ? copy_rows(memory, pointer.stride[0], tile, run, type.shape[0], run)
                  : copy_rows(tile, run, memory, pointer.stride[0], type.shape[0], run);
  }
  const std::int64_t* table =
      affine && (pointer.tables >> last & 1) != 0 ? pointer.table + table_start(type, last) : nullptr;
  const std::int64_t stride = affine ? pointer.stride[l] : 0, inner = type.shape[l];
  std::array<std::int64_t, kFormRank> at = active.from;
  const bool plane = !kStore && active.all && rank >= 2 && affine && pointer.tables == 0 && stride != bytes &&
                     pointer.stride[l - 1] == bytes;
  const int outer = plane ? last - 2 : last - 1;
  while (true) {
    std::int64_t offset = 0, row = 0;
    for (int d = 0; d <= outer; ++d) {
      const auto e = static_cast<std::size_t>(d);
      if (affine) offset += contribution(pointer, type, d, at[e]);
      row = row * type.shape[e] + at[e];
    }
    if (plane) {
      load_transposed<T>(memory + offset, tile + row * type.shape[l - 1] * inner * bytes, type.shape[l - 1],
                         inner, stride);
    } else {
      std::byte* line = tile + row * inner * bytes;
      const auto length = static_cast<std::size_t>((active.to[l] - active.from[l]) * bytes);
      if (table == nullptr && stride == bytes) {
        std::byte* there = memory + offset + active.from[l] * bytes;
        kStore ? copy_bytes(there, line + active.from[l] * bytes, length)
               : copy_bytes(line + active.from[l] * bytes, there, length);
      } else {
        copy_row<T, kStore>(memory + offset, line, active.from[l], active.to[l], stride, table);
      }
    }
    int d = outer;
    for (; d >= 0; --d) {
      const auto e = static_cast<std::size_t>(d);
      if (++at[e] < active.to[e]) break;
      at[e] = active.from[e];
    }
    if (d < 0) return;
  }
}

}  // namespace

void load_box(const Value& pointer, const Type& type, const Active& active, std::byte* tile,
              std::size_t bytes) {
  switch (bytes) {
    case 1:
      return copy_box<std::uint8_t, false>(pointer, type, active, tile);
    case 2:
      return copy_box<std::uint16_t, false>(pointer, type, active, tile);
    case 4:
      return copy_box<std::uint32_t, false>(pointer, type, active, tile);
    default:
      return copy_box<std::uint64_t, false>(pointer, type, active, tile);
  }
}

void store_box(const Value& pointer, const Type& type, const Active& active, const std::byte* tile,
               std::size_t bytes) {
  auto* source = const_cast<std::byte*>(tile);  // read only: the direction is a template argument
  switch (bytes) {
    case 1:
      return copy_box<std::uint8_t, true>(pointer, type, active, source);
    case 2:
      return copy_box<std::uint16_t, true>(pointer, type, active, source);
    case 4:
      return copy_box<std::uint32_t, true>(pointer, type, active, source);
    default:
      return copy_box<std::uint64_t, true>(pointer, type, active, source);
  }
}

}  // namespace kgb::vm
