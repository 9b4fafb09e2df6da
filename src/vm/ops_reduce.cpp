// SPDX-License-Identifier: Apache-2.0
// tt.reduce and tt.scan: by a numeric kernel where the region is one operation, else by running the region on
// whole spans of lanes, in the same fixed trees.
#include "vm/elementwise.hpp"
#include "vm/forms.hpp"
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

// A one-element result is a scalar or a uniform tile.
void finish(Frame& frame, int id) {
  Value& out = frame.at(id);
  out.set_dense();
  if (out.n != 1) return;
  std::int64_t bits = 0;
  std::memcpy(&bits, out.data, frame.info(id).bytes);
  out.set_splat(bits);
}

// Runs the region on `lanes` lanes; its arguments have been filled.
bool combine(Frame& frame, const Code& code, std::int64_t lanes) {
  for (const int id : code.values) frame.at(id).n = lanes;
  for (const Instruction& made : code.blocks[0].code) {
    made.run(frame, made);
    if (frame.trapped) return false;
  }
  frame.steps += code.blocks[0].code.size();
  return frame.steps < kStepBatch || frame.count_steps(nullptr);
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

const std::byte* region_result(Frame& frame, const Code& code, std::size_t k) {
  return elements(frame, code.blocks[0].operands[k]);
}

// A returned value may be uniform, or one of the arguments.
void set_argument(Frame& frame, int id, std::int64_t lanes) {
  Value& value = frame.at(id);
  value.n = lanes;
  value.set_dense();
}

// x[i] op x[i + n/2], again and again. An odd length leaves its middle element for the next level.
void run_reduce(Frame& frame, const Instruction& made) {
  const Axis axis = axis_of(frame.type(made.in[0]), made.imm[0]);
  const Code& code = made.regions[0];
  const std::vector<int>& arguments = code.blocks[0].arguments;
  Operands operands = copy_operands(frame, made);
  const std::size_t count = made.in.size();
  std::int64_t n = axis.n;
  while (n > 1) {
    const std::int64_t half = n / 2, rest = n - half;  // the first `rest` stay, the last `half` are folded in
    const std::int64_t lanes = axis.outer * half * axis.inner;
    for (std::size_t k = 0; k < count; ++k) {
      take(frame.at(arguments[k]).data, operands.tiles[k], axis, n, 0, half, operands.bytes[k]);
      take(frame.at(arguments[count + k]).data, operands.tiles[k], axis, n, rest, half, operands.bytes[k]);
      set_argument(frame, arguments[k], lanes);
      set_argument(frame, arguments[count + k], lanes);
    }
    if (!combine(frame, code, lanes)) return;
    for (std::size_t k = 0; k < count; ++k) {
      if (rest != half) {  // pull the rows together: the tile now holds `rest` positions per row
        const auto row = static_cast<std::size_t>(axis.inner) * operands.bytes[k];
        for (std::int64_t o = 0; o < axis.outer; ++o)
          std::memmove(operands.tiles[k] + static_cast<std::size_t>(o * rest) * row,
                       operands.tiles[k] + static_cast<std::size_t>(o * n) * row,
                       static_cast<std::size_t>(rest) * row);
      }
      put(operands.tiles[k], region_result(frame, code, k), axis, rest, 0, half, operands.bytes[k]);
    }
    n = rest;
  }
  for (std::size_t k = 0; k < count; ++k) {
    Value& out = frame.at(made.out[k]);
    std::memcpy(out.data, operands.tiles[k],
                static_cast<std::size_t>(axis.outer * axis.inner) * operands.bytes[k]);
    finish(frame, made.out[k]);
  }
}

// Doubling distances: position i takes in position i - d for d = 1, 2, 4, ...
void run_scan(Frame& frame, const Instruction& made) {
  const Axis axis = axis_of(frame.type(made.in[0]), made.imm[0]);
  const bool reverse = made.imm[1] != 0;
  const Code& code = made.regions[0];
  const std::vector<int>& arguments = code.blocks[0].arguments;
  Operands operands = copy_operands(frame, made);
  const std::size_t count = made.in.size();
  for (std::int64_t d = 1; d < axis.n; d *= 2) {
    const std::int64_t moved = axis.n - d, lanes = axis.outer * moved * axis.inner;
    const std::int64_t earlier = reverse ? d : 0, later = reverse ? 0 : d;
    for (std::size_t k = 0; k < count; ++k) {
      take(frame.at(arguments[k]).data, operands.tiles[k], axis, axis.n, earlier, moved, operands.bytes[k]);
      take(frame.at(arguments[count + k]).data, operands.tiles[k], axis, axis.n, later, moved,
           operands.bytes[k]);
      set_argument(frame, arguments[k], lanes);
      set_argument(frame, arguments[count + k], lanes);
    }
    if (!combine(frame, code, lanes)) return;
    for (std::size_t k = 0; k < count; ++k)
      put(operands.tiles[k], region_result(frame, code, k), axis, axis.n, later, moved, operands.bytes[k]);
  }
  for (std::size_t k = 0; k < count; ++k) {
    Value& out = frame.at(made.out[k]);
    std::memcpy(out.data, operands.tiles[k], static_cast<std::size_t>(out.n) * operands.bytes[k]);
    finish(frame, made.out[k]);
  }
}

numeric::AxisShape shape_of(const Axis& axis) {
  return {static_cast<std::size_t>(axis.outer), static_cast<std::size_t>(axis.n),
          static_cast<std::size_t>(axis.inner)};
}

// imm[1]: the fold of a short row compares floats one by one. Many rows are folded side by side instead: the
// tile is turned, and the same tree runs over whole spans.
void run_simple_reduce(Frame& frame, const Instruction& made) {
  const Axis axis = axis_of(frame.type(made.in[0]), made.imm[0]);
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
  finish(frame, made.out[0]);
}

// Whether turning the tile pays: minimum and maximum of floats along a short last axis of many rows.
bool fold_side_by_side(const Type& type, std::int64_t at, numeric::BinaryOp op) {
  using numeric::BinaryOp;
  const bool extreme = op == BinaryOp::maxnumf || op == BinaryOp::minnumf || op == BinaryOp::maximumf ||
                       op == BinaryOp::minimumf;
  const Axis axis = axis_of(type, at);
  return extreme && axis.inner == 1 && axis.outer >= 16 && axis.n >= 16 && axis.n <= 128;
}

void run_simple_scan(Frame& frame, const Instruction& made) {
  const Axis axis = axis_of(frame.type(made.in[0]), made.imm[0]);
  made.extra->scanner(elements(frame, made.in[0]), frame.at(made.out[0]).data, shape_of(axis),
                      made.imm[1] != 0);
  finish(frame, made.out[0]);
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

// Checks what both have in common; every value of the region gets room for `lanes`.
bool check_region(Builder& b, std::int64_t lanes) {
  if (b.inputs() == 0 || b.inputs() != b.outputs() || b.made.regions.size() != 1)
    return b.malformed("wrong number of operands, results or regions");
  const auto axis = b.integer_attribute("axis");
  if (!b.in(0).tensor || !axis || *axis < 0 || *axis >= b.in(0).rank()) return b.malformed("no such axis");
  Code& code = b.made.regions[0];
  if (code.blocks.size() != 1 || code.blocks[0].ending != Ending::yield ||
      code.blocks[0].operands.size() != b.inputs() || code.blocks[0].arguments.size() != 2 * b.inputs())
    return b.malformed("the region does not fit the operands");
  for (std::size_t k = 0; k < b.inputs(); ++k) {
    if (!b.in(k).same_shape(b.in(0)) || b.in(k).kind != Type::Kind::value ||
        b.out(k).kind != Type::Kind::value || b.out(k).dtype != b.in(k).dtype)
      return b.malformed("operands differ in shape, or results in type");
    for (const int id :
         {code.blocks[0].arguments[k], code.blocks[0].arguments[b.inputs() + k], code.blocks[0].operands[k]})
      if (b.type_of(id).kind != Type::Kind::value || b.type_of(id).tensor ||
          b.type_of(id).dtype != b.in(k).dtype)
        return b.malformed("the region's values do not fit the operands");
  }
  code.values = code.blocks[0].arguments;
  for (const Instruction& inner : code.blocks[0].code) {
    if (!inner.regions.empty()) return true;  // its own builder has refused it
    code.values.insert(code.values.end(), inner.out.begin(), inner.out.end());
  }
  for (const int id : code.values) {
    if (b.type_of(id).tensor) return b.malformed("a tile inside the region");
    b.program.values[static_cast<std::size_t>(id)].capacity = lanes;
  }
  // A value from outside that the region returns is uniform, but still needs room as a span.
  for (const int id : code.blocks[0].operands) {
    std::int64_t& capacity = b.program.values[static_cast<std::size_t>(id)].capacity;
    if (std::find(code.values.begin(), code.values.end(), id) != code.values.end()) continue;
    capacity = std::max(capacity, lanes);
    code.values.push_back(id);
  }
  return true;
}

// Only operations that work lane by lane make sense inside.
bool lanes_only(const Builder& b) {
  static constexpr BuildFunction allowed[] = {
      build_binary,  build_integer, build_division, build_compare_int, build_compare_float,
      build_select,  build_ternary, build_clamp,    build_unary,       build_extern,
      build_convert, build_bitcast, build_constant, build_extended};
  for (const RawOp& op : b.op.regions[0].blocks[0].ops) {
    if (op.name == "tt.reduce.return" || op.name == "tt.scan.return") continue;
    const OpRow* row = find_op(op.name);
    if (row == nullptr || std::find(std::begin(allowed), std::end(allowed), row->build) == std::end(allowed))
      return false;
  }
  return true;
}

}  // namespace

bool build_reduce(Builder& b, int) {
  if (!b.op.regions.empty() && b.op.regions[0].blocks.size() == 1 && !lanes_only(b))
    return b.unsupported("with this combine function");
  const std::int64_t lanes = b.inputs() > 0 ? (b.in(0).count + 1) / 2 : 1;
  if (!check_region(b, lanes)) return false;
  const auto axis = *b.integer_attribute("axis");
  std::vector<std::int64_t> shape = b.in(0).shape;
  shape.erase(shape.begin() + axis);
  for (std::size_t k = 0; k < b.outputs(); ++k)
    if (b.out(k).shape != shape) return b.malformed("the result does not fit");
  b.made.imm[0] = axis;
  b.made.run = run_reduce;
  if (const OpRow* row = only_operation(b)) {
    const auto reducer = numeric::reducer(static_cast<numeric::BinaryOp>(row->parameter), b.in(0).dtype);
    if (reducer) {
      b.extra().reducer = reducer;
      b.made.imm[1] = fold_side_by_side(b.in(0), axis, static_cast<numeric::BinaryOp>(row->parameter));
      b.made.run = run_simple_reduce;
      b.made.regions.clear();
    }
  }
  return true;
}

bool build_scan(Builder& b, int) {
  if (!b.op.regions.empty() && b.op.regions[0].blocks.size() == 1 && !lanes_only(b))
    return b.unsupported("with this combine function");
  if (!check_region(b, b.inputs() > 0 ? b.in(0).count : 1)) return false;
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

}  // namespace kgb::vm
