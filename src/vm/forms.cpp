// SPDX-License-Identifier: Apache-2.0
// Making elements from forms, copying values, and the range arithmetic that keeps affine forms honest.
#include "vm/forms.hpp"

#include <algorithm>
#include <limits>

#include "vm/access.hpp"

namespace kgb::vm {

void prepare(Frame& frame, const ProgramImpl& program) {
  frame.program = &program;
  frame.storage =
      std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(program.frame_bytes) + 128);
  void* start = frame.storage.get();
  std::size_t space = static_cast<std::size_t>(program.frame_bytes) + 128;
  frame.base = static_cast<std::byte*>(std::align(64, 64, start, space));
  frame.streams.assign(static_cast<std::size_t>(program.streams), 0);
  frame.values.resize(program.values.size());
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const ValueInfo& info = program.values[i];
    Value& value = frame.values[i];
    value.n = info.type->count;
    if (info.offset < 0) continue;
    value.data = frame.base + info.offset;
    if (info.table_offset >= 0) {
      value.table = reinterpret_cast<std::int64_t*>(frame.base + info.table_offset);
      std::memset(value.table, 0, 8);
      if (info.type->kind == Type::Kind::descriptor)
        std::memset(value.table, 0, static_cast<std::size_t>(2 * info.type->rank() + 1) * 8);
    }
  }
}

namespace {

template <typename T>
void fill_affine(const Value& value, const Type& type) {
  T* out = reinterpret_cast<T*>(value.data);
  const int rank = type.rank(), last = rank - 1;
  const std::int64_t inner = type.shape[static_cast<std::size_t>(last)];
  std::array<std::int64_t, kFormRank> at{};
  for (std::int64_t done = 0; done < type.count; done += inner) {
    auto base = static_cast<std::uint64_t>(value.bits);
    for (int d = 0; d < last; ++d)
      base += static_cast<std::uint64_t>(contribution(value, type, d, at[static_cast<std::size_t>(d)]));
    if ((value.tables >> last & 1) != 0) {
      const std::int64_t* table = value.table + table_start(type, last);
      for (std::int64_t i = 0; i < inner; ++i)
        out[i] = static_cast<T>(base + static_cast<std::uint64_t>(table[i]));
    } else {
      const T first = static_cast<T>(base),
              step = static_cast<T>(value.stride[static_cast<std::size_t>(last)]);
      for (std::int64_t i = 0; i < inner; ++i)
        out[i] = static_cast<T>(first + static_cast<T>(step * static_cast<T>(i)));
    }
    out += inner;
    for (int d = last - 1; d >= 0; --d) {
      if (++at[static_cast<std::size_t>(d)] < type.shape[static_cast<std::size_t>(d)]) break;
      at[static_cast<std::size_t>(d)] = 0;
    }
  }
}

void fill_box(const Value& value, const Type& type) {
  std::memset(value.data, 0, static_cast<std::size_t>(type.count));
  const int rank = type.rank(), last = rank - 1;
  if (box_empty(value, rank)) return;
  std::array<std::int64_t, kFormRank> at{};
  for (int d = 0; d < last; ++d) at[static_cast<std::size_t>(d)] = value.stride[static_cast<std::size_t>(d)];
  const auto l = static_cast<std::size_t>(last);
  while (true) {
    std::int64_t row = 0;
    for (int d = 0; d < last; ++d)
      row = row * type.shape[static_cast<std::size_t>(d)] + at[static_cast<std::size_t>(d)];
    std::memset(value.data + row * type.shape[l] + value.stride[l], 1,
                static_cast<std::size_t>(value.hi[l] - value.stride[l]));
    int d = last - 1;
    for (; d >= 0; --d) {
      if (++at[static_cast<std::size_t>(d)] < value.hi[static_cast<std::size_t>(d)]) break;
      at[static_cast<std::size_t>(d)] = value.stride[static_cast<std::size_t>(d)];
    }
    if (d < 0) return;
  }
}

}  // namespace

std::byte* elements(Frame& frame, int id) {
  Value& value = frame.at(id);
  if (value.filled) return value.data;
  const ValueInfo& info = frame.info(id);
  if (value.form == Form::memory) {
    if (info.type->rank() == 1 && value.stride[0] == static_cast<std::int64_t>(info.bytes))
      return reinterpret_cast<std::byte*>(value.bits);
    if (contiguous_bytes(value, *info.type, info.bytes) != 0) return reinterpret_cast<std::byte*>(value.bits);
    load_box(value, *info.type, whole_box(*info.type), value.data, info.bytes);
  } else if (value.form == Form::splat) {
    numeric::fill(value.data, &value.bits, info.bytes, static_cast<std::size_t>(value.n));
  } else if (value.form == Form::box) {
    fill_box(value, *info.type);
  } else {
    switch (info.bytes) {
      case 1:
        fill_affine<std::uint8_t>(value, *info.type);
        break;
      case 2:
        fill_affine<std::uint16_t>(value, *info.type);
        break;
      case 4:
        fill_affine<std::uint32_t>(value, *info.type);
        break;
      default:
        fill_affine<std::uint64_t>(value, *info.type);
        break;
    }
  }
  value.filled = true;
  return value.data;
}

void assign(Frame& frame, int dst, int src) {
  if (dst == src) return;
  const Value& from = frame.at(src);
  Value& to = frame.at(dst);
  if (from.form == Form::memory) {  // the copy may live longer than the buffer keeps its contents
    std::memcpy(to.data, elements(frame, src), static_cast<std::size_t>(from.n) * frame.info(src).bytes);
    to.n = from.n;
    to.region = from.region;
    return to.set_dense();
  }
  to.form = from.form;
  to.bits = from.bits;
  to.n = from.n;
  to.region = from.region;
  to.tables = from.tables;
  to.stride = from.stride;
  to.hi = from.hi;
  to.filled = from.form == Form::dense;
  if (to.filled) {
    if (to.data != from.data)
      std::memcpy(to.data, from.data, static_cast<std::size_t>(from.n) * frame.info(src).bytes);
    return;
  }
  if (to.table == from.table || from.table == nullptr) return;
  const Type& type = frame.type(src);
  if (type.kind == Type::Kind::descriptor) {
    std::memcpy(to.table, from.table, static_cast<std::size_t>(2 * type.rank() + 1) * 8);
  } else if (from.tables != 0) {
    std::memcpy(to.table, from.table, static_cast<std::size_t>(table_start(type, type.rank())) * 8);
  }
}

std::int64_t scalar_int(Frame& frame, int id) {
  const Value& value = frame.at(id);
  std::int64_t bits = value.bits;
  if (value.form == Form::dense || value.form == Form::memory) {
    bits = 0;
    std::memcpy(&bits, elements(frame, id), frame.info(id).bytes);
  } else if (value.form == Form::box) {
    bits = box_empty(value, frame.type(id).rank()) ? 0 : 1;
  }
  return sign_extend(bits, frame.type(id).storage());
}

bool scalar_bool(Frame& frame, int id) {
  return (scalar_int(frame, id) & 1) != 0;
}

std::optional<Range> contribution_range(const Value& value, const Type& type, int d, std::int64_t from,
                                        std::int64_t to) {
  if ((value.tables >> d & 1) != 0) {
    const std::int64_t* table = value.table + table_start(type, d);
    Range range{table[from], table[from]};
    for (std::int64_t i = from + 1; i < to; ++i) {
      range.low = std::min(range.low, table[i]);
      range.high = std::max(range.high, table[i]);
    }
    return range;
  }
  std::int64_t a = 0, b = 0;
  const std::int64_t stride = value.stride[static_cast<std::size_t>(d)];
  if (__builtin_mul_overflow(stride, from, &a) || __builtin_mul_overflow(stride, to - 1, &b))
    return std::nullopt;
  return Range{std::min(a, b), std::max(a, b)};
}

std::optional<Range> range_of(const Value& value, const Type& type) {
  if (value.form == Form::splat) {
    const std::int64_t bits = sign_extend(value.bits, type.storage());
    return Range{bits, bits};
  }
  if (const auto end = line_end(value, type))
    return Range{std::min(value.bits, *end), std::max(value.bits, *end)};
  Range range{value.bits, value.bits};
  for (int d = 0; d < type.rank(); ++d) {
    const std::int64_t size = type.shape[static_cast<std::size_t>(d)],
                       stride = value.stride[static_cast<std::size_t>(d)];
    if ((value.tables >> d & 1) == 0) {  // a line: one of its ends is the base
      std::int64_t reach = 0;
      if (__builtin_mul_overflow(stride, size - 1, &reach)) return std::nullopt;
      std::int64_t& end = reach < 0 ? range.low : range.high;
      if (__builtin_add_overflow(end, reach, &end)) return std::nullopt;
      continue;
    }
    const auto part = contribution_range(value, type, d, 0, size);
    if (!part || __builtin_add_overflow(range.low, part->low, &range.low) ||
        __builtin_add_overflow(range.high, part->high, &range.high))
      return std::nullopt;
  }
  return range;
}

bool fits(const Value& value, const Type& type) {
  if (type.storage() == DType::i32) {
    const auto inside = [](std::int64_t x) { return x == static_cast<std::int32_t>(x); };
    if (const auto end = line_end(value, type)) return inside(value.bits) && inside(*end);
  }
  const auto range = range_of(value, type);
  if (!range) return false;
  switch (type.storage()) {
    case DType::i8:
      return range->low >= INT8_MIN && range->high <= INT8_MAX;
    case DType::i16:
      return range->low >= INT16_MIN && range->high <= INT16_MAX;
    case DType::i32:
      return range->low >= INT32_MIN && range->high <= INT32_MAX;
    default:
      return true;
  }
}

namespace {

template <typename T>
void copy_table(const std::byte* data, std::int64_t* table, std::int64_t n) {
  const T* from = reinterpret_cast<const T*>(data);
  for (std::int64_t i = 0; i < n; ++i) table[i] = from[i];
}

}  // namespace

bool table_from_elements(Frame& frame, int out, int in, const Type& in_type) {
  const Type& type = frame.type(out);
  Value& to = frame.at(out);
  if (to.table == nullptr || in_type.rank() != type.rank()) return false;
  int dim = -1;
  for (int d = 0; d < type.rank(); ++d) {
    if (in_type.shape[static_cast<std::size_t>(d)] == 1) continue;
    if (dim >= 0) return false;
    dim = d;
  }
  if (dim < 0) return false;
  const std::int64_t n = in_type.shape[static_cast<std::size_t>(dim)];
  const std::byte* data = elements(frame, in);
  std::int64_t* table = to.table + table_start(type, dim);
  switch (in_type.storage()) {
    case DType::i8:
      copy_table<std::int8_t>(data, table, n);
      break;
    case DType::i16:
      copy_table<std::int16_t>(data, table, n);
      break;
    case DType::i32:
      copy_table<std::int32_t>(data, table, n);
      break;
    case DType::i64:
    case DType::u64:
      copy_table<std::int64_t>(data, table, n);
      break;
    default:
      return false;
  }
  // A table that is a line after all is one: rows stay contiguous.
  const std::int64_t base = table[0];
  const auto step = static_cast<std::uint64_t>(n > 1 ? table[1] : base) - static_cast<std::uint64_t>(base);
  bool line = true;
  for (std::int64_t i = 1; i < n; ++i)
    line &= static_cast<std::uint64_t>(table[i]) - static_cast<std::uint64_t>(table[i - 1]) == step;
  to.form = Form::affine;
  to.filled = false;
  to.region = frame.at(in).region;
  to.stride = {};
  to.tables = 0;
  to.bits = 0;
  if (line) {
    to.bits = base;
    to.stride[static_cast<std::size_t>(dim)] = static_cast<std::int64_t>(step);
  } else {
    to.tables = static_cast<std::uint8_t>(1u << dim);
  }
  return fits(to, type);
}

void set_full_box(Value& value, const Type& type) {
  value.form = Form::box;
  value.filled = false;
  value.stride = {};
  for (int d = 0; d < type.rank(); ++d)
    value.hi[static_cast<std::size_t>(d)] = type.shape[static_cast<std::size_t>(d)];
}

}  // namespace kgb::vm
