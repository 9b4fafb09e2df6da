// SPDX-License-Identifier: Apache-2.0
// tt.reduce and tt.scan: by a numeric kernel where the region is one operation, else by running the region,
// in the same fixed trees; tt.map_elementwise.
#include "vm/combine.hpp"
#include "vm/elementwise.hpp"
#include "vm/forms.hpp"
#include "vm/handlers.hpp"
#include "vm/strided.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace kgb::vm {
namespace {

struct Axis {
  std::int64_t outer = 1, n = 1, inner = 1;
};

Axis axis_of(const Type& type, std::int64_t axis) {
  Axis out;
  for (int d = 0; d < type.rank(); ++d) {
    const std::int64_t dim = type.shape[static_cast<std::size_t>(d)];
    (d < axis ? out.outer : d == axis ? out.n : out.inner) *= dim;
  }
  return out;
}

// Copies a slab of `count` positions of the axis, starting at `from`, out of a tile with `n` of them.
void take(std::byte* to, const std::byte* tile, const Axis& axis, std::int64_t n, std::int64_t from,
          std::int64_t count, std::size_t bytes) {
  const auto row = static_cast<std::size_t>(axis.inner) * bytes;
  for (std::int64_t o = 0; o < axis.outer; ++o)
    std::memcpy(to + static_cast<std::size_t>(o * count) * row,
                tile + static_cast<std::size_t>(o * n + from) * row, static_cast<std::size_t>(count) * row);
}

void put(std::byte* tile, const std::byte* from_slab, const Axis& axis, std::int64_t n, std::int64_t from,
         std::int64_t count, std::size_t bytes) {
  const auto row = static_cast<std::size_t>(axis.inner) * bytes;
  for (std::int64_t o = 0; o < axis.outer; ++o)
    std::memcpy(tile + static_cast<std::size_t>(o * n + from) * row,
                from_slab + static_cast<std::size_t>(o * count) * row, static_cast<std::size_t>(count) * row);
}

struct Operands {
  std::vector<std::byte*> tiles;  // working copies, shrinking
  std::vector<std::size_t> bytes;
};

Operands copy_operands(Frame& frame, const Instruction& made) {
  Operands out;
  std::size_t total = 0;
  std::vector<std::size_t> at;
  for (const int id : made.in) {
    at.push_back(total);
    out.bytes.push_back(frame.info(id).bytes);
    total += (static_cast<std::size_t>(frame.at(id).n) * frame.info(id).bytes + 63) / 64 * 64;
  }
  std::byte* base = frame.scratch_bytes(0, total);
  for (std::size_t k = 0; k < made.in.size(); ++k) {
    std::memcpy(base + at[k], elements(frame, made.in[k]),
                static_cast<std::size_t>(frame.at(made.in[k]).n) * out.bytes[k]);
    out.tiles.push_back(base + at[k]);
  }
  return out;
}

// x[i] op x[i + n/2], again and again. An odd length leaves its middle element for the next level.
void run_reduce(Frame& frame, const Instruction& made) {
  const Axis axis = axis_of(frame.type(made.in[0]), made.imm[0]);
  Operands operands = copy_operands(frame, made);
  const std::size_t count = made.in.size();
  Combiner region(frame, made.regions[0], axis.outer * (axis.n / 2) * axis.inner);
  std::int64_t n = axis.n;
  while (n > 1) {
    const std::int64_t half = n / 2, rest = n - half;  // the first `rest` stay, the last `half` are folded in
    for (std::size_t k = 0; k < count; ++k) {
      take(region.argument(k), operands.tiles[k], axis, n, 0, half, operands.bytes[k]);
      take(region.argument(count + k), operands.tiles[k], axis, n, rest, half, operands.bytes[k]);
    }
    if (!region.run(axis.outer * half * axis.inner)) return;
    for (std::size_t k = 0; k < count; ++k) {
      if (rest != half) {  // pull the rows together: the tile now holds `rest` positions per row
        const auto row = static_cast<std::size_t>(axis.inner) * operands.bytes[k];
        for (std::int64_t o = 0; o < axis.outer; ++o)
          std::memmove(operands.tiles[k] + static_cast<std::size_t>(o * rest) * row,
                       operands.tiles[k] + static_cast<std::size_t>(o * n) * row,
                       static_cast<std::size_t>(rest) * row);
      }
      put(operands.tiles[k], region.result(k), axis, rest, 0, half, operands.bytes[k]);
    }
    n = rest;
  }
  for (std::size_t k = 0; k < count; ++k) {
    Value& out = frame.at(made.out[k]);
    std::memcpy(out.data, operands.tiles[k],
                static_cast<std::size_t>(axis.outer * axis.inner) * operands.bytes[k]);
    handlers::finish_reduced(frame, made.out[k]);
  }
}

// Doubling distances: position i takes in position i - d for d = 1, 2, 4, ...
void run_scan(Frame& frame, const Instruction& made) {
  const Axis axis = axis_of(frame.type(made.in[0]), made.imm[0]);
  const bool reverse = made.imm[1] != 0;
  Operands operands = copy_operands(frame, made);
  const std::size_t count = made.in.size();
  Combiner region(frame, made.regions[0], axis.outer * axis.n * axis.inner);
  for (std::int64_t d = 1; d < axis.n; d *= 2) {
    const std::int64_t moved = axis.n - d;
    const std::int64_t earlier = reverse ? d : 0, later = reverse ? 0 : d;
    for (std::size_t k = 0; k < count; ++k) {
      take(region.argument(k), operands.tiles[k], axis, axis.n, earlier, moved, operands.bytes[k]);
      take(region.argument(count + k), operands.tiles[k], axis, axis.n, later, moved, operands.bytes[k]);
    }
    if (!region.run(axis.outer * moved * axis.inner)) return;
    for (std::size_t k = 0; k < count; ++k)
      put(operands.tiles[k], region.result(k), axis, axis.n, later, moved, operands.bytes[k]);
  }
  for (std::size_t k = 0; k < count; ++k) {
    Value& out = frame.at(made.out[k]);
    std::memcpy(out.data, operands.tiles[k], static_cast<std::size_t>(out.n) * operands.bytes[k]);
    handlers::finish_reduced(frame, made.out[k]);
  }
}

template <typename T>
void pick(std::byte* to, const std::byte* from, std::int64_t n, std::int64_t start, std::int64_t step,
          bool scatter) {
  T* out = reinterpret_cast<T*>(to);
  const T* in = reinterpret_cast<const T*>(from);
  for (std::int64_t i = 0; i < n; ++i) {
    if (scatter)
      out[start + i * step] = in[i];
    else
      out[i] = in[start + i * step];
  }
}

// One of `pack` interleaved streams out of a tile, or back into it.
void pick_lanes(std::byte* to, const std::byte* from, std::size_t bytes, std::int64_t n, std::int64_t start,
                std::int64_t step, bool scatter) {
  switch (bytes) {
    case 1:
      return pick<std::uint8_t>(to, from, n, start, step, scatter);
    case 2:
      return pick<std::uint16_t>(to, from, n, start, step, scatter);
    case 4:
      return pick<std::uint32_t>(to, from, n, start, step, scatter);
    default:
      return pick<std::uint64_t>(to, from, n, start, step, scatter);
  }
}

// imm[0]: elements per call. Which elements a GPU packs follows from the layout; here they are neighbours.
void run_map(Frame& frame, const Instruction& made) {
  const std::int64_t pack = made.imm[0], lanes = frame.at(made.in[0]).n / pack;
  Combiner region(frame, made.regions[0], lanes);
  for (std::size_t i = 0; i < made.in.size(); ++i)
    for (std::int64_t p = 0; p < pack; ++p)
      pick_lanes(region.argument(i * static_cast<std::size_t>(pack) + static_cast<std::size_t>(p)),
                 elements(frame, made.in[i]), frame.info(made.in[i]).bytes, lanes, p, pack, false);
  if (!region.run(lanes)) return;
  for (std::size_t i = 0; i < made.out.size(); ++i) {
    for (std::int64_t p = 0; p < pack; ++p)
      pick_lanes(frame.at(made.out[i]).data,
                 region.result(i * static_cast<std::size_t>(pack) + static_cast<std::size_t>(p)),
                 frame.info(made.out[i]).bytes, lanes, p, pack, true);
    handlers::finish_reduced(frame, made.out[i]);
  }
}

numeric::AxisShape shape_of(const Axis& axis) {
  return {static_cast<std::size_t>(axis.outer), static_cast<std::size_t>(axis.n),
          static_cast<std::size_t>(axis.inner)};
}

}  // namespace

// A one-element result is a scalar or a uniform tile.
void handlers::finish_reduced(Frame& frame, int id) {
  Value& out = frame.at(id);
  if (out.n != 1)
    out.set_dense();
  else
    out.set_splat(low_bytes(one_element(out.data, frame.info(id).bytes), frame.info(id).bytes));
}

// imm 3 to 5: the axis. imm[1]: the fold of a short row compares floats one by one. Many rows are folded side
// by side instead: the tile is turned, and the same tree runs over whole spans.
void handlers::run_simple_reduce(Frame& frame, const Instruction& made) {
  const Axis axis{made.imm[3], made.imm[4], made.imm[5]};
  const std::byte* in = elements(frame, made.in[0]);
  numeric::AxisShape shape = shape_of(axis);
  if (made.imm[1] != 0) {
    const std::size_t bytes = frame.info(made.in[0]).bytes;
    std::byte* turned = frame.scratch_bytes(0, static_cast<std::size_t>(axis.outer * axis.n) * bytes);
    const std::array<std::int64_t, 2> sizes{axis.n, axis.outer}, strides{1, axis.n};
    copy_strided(turned, in, bytes, sizes, strides);
    in = turned;
    shape = {1, shape.n, shape.outer};
  }
  made.extra->reducer(in, frame.at(made.out[0]).data, shape);
  handlers::finish_reduced(frame, made.out[0]);
}

namespace {

// Whether turning the tile pays: minimum and maximum of floats along a short last axis of many rows.
bool fold_side_by_side(const Type& type, std::int64_t at, numeric::BinaryOp op) {
  using numeric::BinaryOp;
  const bool extreme = op == BinaryOp::maxnumf || op == BinaryOp::minnumf || op == BinaryOp::maximumf ||
                       op == BinaryOp::minimumf;
  const Axis axis = axis_of(type, at);
  return extreme && axis.inner == 1 && axis.outer >= 16 && axis.n >= 2 && axis.n <= 128;
}

void run_simple_scan(Frame& frame, const Instruction& made) {
  const Axis axis = axis_of(frame.type(made.in[0]), made.imm[0]);
  made.extra->scanner(elements(frame, made.in[0]), frame.at(made.out[0]).data, shape_of(axis),
                      made.imm[1] != 0);
  handlers::finish_reduced(frame, made.out[0]);
}

// The region's only operation, if it is one that the numeric reducer knows and combines exactly the
// arguments.
const OpRow* only_operation(const Builder& b) {
  const RawRegion& region = b.op.regions[0];
  if (b.inputs() != 1 || region.blocks.size() != 1 || region.blocks[0].ops.size() != 2) return nullptr;
  const RawOp& op = region.blocks[0].ops[0];
  const RawOp& last = region.blocks[0].ops[1];
  const OpRow* row = find_op(op.name);
  if (row == nullptr || (row->build != build_binary && row->build != build_integer) ||
      op.operands.size() != 2 || op.results != last.operands)
    return nullptr;
  const std::vector<int>& arguments = region.blocks[0].arguments;
  const bool straight = op.operands == arguments;
  const bool swapped = op.operands[0] == arguments[1] && op.operands[1] == arguments[0];
  using numeric::BinaryOp;
  const auto operation = static_cast<BinaryOp>(row->parameter);
  const bool commutes =
      operation != BinaryOp::subf && operation != BinaryOp::subi && operation != BinaryOp::divf;
  return straight || (swapped && commutes) ? row : nullptr;
}

// What reduce and scan have in common: one axis, and a region of two sets of operands.
bool check_axis_region(Builder& b, std::int64_t lanes) {
  if (b.inputs() == 0 || b.inputs() != b.outputs() || b.made.regions.size() != 1)
    return b.malformed("wrong number of operands, results or regions");
  const auto axis = b.integer_attribute("axis");
  if (!b.in(0).tensor || !axis || *axis < 0 || *axis >= b.in(0).rank()) return b.malformed("no such axis");
  std::vector<DType> types;
  for (std::size_t k = 0; k < b.inputs(); ++k) {
    if (!b.in(k).same_shape(b.in(0)) || b.in(k).kind != Type::Kind::value ||
        b.out(k).kind != Type::Kind::value || b.out(k).dtype != b.in(k).dtype)
      return b.malformed("operands differ in shape, or results in type");
    types.push_back(b.in(k).dtype);
  }
  std::vector<DType> both = types;
  both.insert(both.end(), types.begin(), types.end());
  return check_region(b, both, types, lanes);
}

}  // namespace

bool build_reduce(Builder& b, int) {
  const std::int64_t lanes = b.inputs() > 0 ? (b.in(0).count + 1) / 2 : 1;
  if (!check_axis_region(b, lanes)) return false;
  const auto axis = *b.integer_attribute("axis");
  std::vector<std::int64_t> shape = b.in(0).shape;
  shape.erase(shape.begin() + axis);
  for (std::size_t k = 0; k < b.outputs(); ++k)
    if (b.out(k).shape != shape) return b.malformed("the result does not fit");
  const Axis along = axis_of(b.in(0), axis);
  b.made.imm = {axis, 0, 0, along.outer, along.n, along.inner};
  b.made.run = run_reduce;
  if (const OpRow* row = only_operation(b)) {
    const auto reducer = numeric::reducer(static_cast<numeric::BinaryOp>(row->parameter), b.in(0).dtype);
    if (reducer) {
      b.extra().reducer = reducer;
      b.made.imm[1] = fold_side_by_side(b.in(0), axis, static_cast<numeric::BinaryOp>(row->parameter));
      b.made.imm[2] = row->parameter;
      b.made.run = handlers::run_simple_reduce;
      b.made.regions.clear();
    }
  } else {
    use_arg_reducer(b);
  }
  return true;
}

bool build_scan(Builder& b, int) {
  if (!check_axis_region(b, b.inputs() > 0 ? b.in(0).count : 1)) return false;
  for (std::size_t k = 0; k < b.outputs(); ++k)
    if (!like(b.in(k), b.out(k))) return b.malformed("the result does not fit");
  const std::string_view* reverse = b.op.attribute("reverse");
  b.made.imm = {*b.integer_attribute("axis"), reverse != nullptr && *reverse == "true"};
  b.made.run = run_scan;
  if (const OpRow* row = only_operation(b)) {
    const auto scanner = numeric::scanner(static_cast<numeric::BinaryOp>(row->parameter), b.in(0).dtype);
    if (scanner) {
      b.extra().scanner = scanner;
      b.made.run = run_simple_scan;
      b.made.regions.clear();
    }
  }
  return true;
}

bool build_map(Builder& b, int) {
  const std::int64_t pack = b.integer_attribute("pack").value_or(0);
  if (b.inputs() == 0 || b.outputs() == 0 || b.made.regions.size() != 1 || pack < 1 || pack > 64)
    return b.malformed("wrong number of operands, results or regions, or no pack");
  std::vector<DType> arguments, results;
  for (std::size_t i = 0; i < b.inputs(); ++i) {
    if (b.in(i).kind != Type::Kind::value) return b.unsupported(b.in(i).text);
    if (!b.in(i).same_shape(b.in(0)) || b.in(i).count % pack != 0) return b.malformed("operands do not fit");
    arguments.insert(arguments.end(), static_cast<std::size_t>(pack), b.in(i).dtype);
  }
  for (std::size_t i = 0; i < b.outputs(); ++i) {
    if (b.out(i).kind != Type::Kind::value || !b.out(i).same_shape(b.in(0)))
      return b.malformed("results do not fit");
    results.insert(results.end(), static_cast<std::size_t>(pack), b.out(i).dtype);
  }
  if (!check_region(b, arguments, results, b.in(0).count / pack)) return false;
  b.made.imm[0] = pack;
  b.made.run = run_map;
  return true;
}

}  // namespace kgb::vm
