// SPDX-License-Identifier: Apache-2.0
// Rows of a tensor descriptor by index (gather, scatter) and atomic updates of a block.
#include "vm/atomics.hpp"
#include "vm/descriptor.hpp"

#include <array>
#include <cstring>

namespace kgb::vm {
namespace {

// Row i of the tile is row x[i] of the tensor, from column y on.
void run_gather_rows(Frame& frame, const Instruction& made) {
  const Type& type = frame.type(made.in[0]);
  const std::size_t bytes = bytes_of(type.dtype);
  const std::int64_t column = scalar_int(frame, made.in[2]), rows = frame.at(made.in[1]).n;
  const std::size_t row_bytes = static_cast<std::size_t>(type.shape[1]) * bytes;
  const std::byte* indices = elements(frame, made.in[1]);
  Value& out = frame.at(made.out[0]);
  const std::int64_t padding = padding_bits(frame, made);
  numeric::fill(out.data, &padding, bytes, static_cast<std::size_t>(out.n));
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::array start{integer_at(indices, i, frame.type(made.in[1]).dtype), column};
    Value pointer;
    Active active;
    if (!descriptor_block_at(frame, made, start, pointer, active)) return;
    if (active.kind == Active::Kind::none) continue;
    if (!check_block(frame, made, pointer, type, active, Verb::load)) return;
    load_box(pointer, type, active, out.data + static_cast<std::size_t>(i) * row_bytes, bytes);
  }
  out.set_dense();
}

void run_scatter_rows(Frame& frame, const Instruction& made) {
  const Type& type = frame.type(made.in[0]);
  const std::size_t bytes = bytes_of(type.dtype);
  const std::int64_t column = scalar_int(frame, made.in[2]), rows = frame.at(made.in[1]).n;
  const std::size_t row_bytes = static_cast<std::size_t>(type.shape[1]) * bytes;
  const std::byte *indices = elements(frame, made.in[1]), *tile = elements(frame, made.in[3]);
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::array start{integer_at(indices, i, frame.type(made.in[1]).dtype), column};
    Value pointer;
    Active active;
    if (!descriptor_block_at(frame, made, start, pointer, active)) return;
    if (active.kind == Active::Kind::none) continue;
    if (!check_block(frame, made, pointer, type, active, Verb::store)) return;
    store_box(pointer, type, active, tile + static_cast<std::size_t>(i) * row_bytes, bytes);
  }
}

// Each element of the block that lies inside is updated atomically; the old values are dropped.
void run_reduce_block(Frame& frame, const Instruction& made) {
  const Type& type = frame.type(made.in[0]);
  const auto rank = static_cast<std::size_t>(type.rank());
  const std::size_t bytes = bytes_of(type.dtype);
  Value pointer;
  Active active;
  if (!descriptor_block(frame, made, 1, pointer, active) || active.kind == Active::Kind::none) return;
  if (!check_block(frame, made, pointer, type, active, Verb::atomic)) return;
  const std::byte* tile = elements(frame, made.in.back());
  const Update apply = update_for(type.dtype);
  std::array<std::int64_t, kFormRank> at = active.from;
  while (true) {
    std::int64_t address = pointer.bits, element = 0;
    for (std::size_t d = 0; d < rank; ++d) {
      address += pointer.stride[d] * at[d];
      element = element * type.shape[d] + at[d];
    }
    if (static_cast<std::uint64_t>(address) % bytes != 0)
      return frame.report(
          made, "out_of_bounds",
          "atomic of " + std::to_string(bytes) + " bytes at an address that is no multiple of them");
    std::byte old[8];
    apply(static_cast<Rmw>(made.imm[0]), frame.shared_memory, static_cast<std::uint64_t>(address),
          tile + static_cast<std::size_t>(element) * bytes, old);
    std::size_t d = rank;
    while (d-- > 0) {
      if (++at[d] < active.to[d]) break;
      at[d] = active.from[d];
      if (d == 0) return;
    }
  }
}

// Descriptor of rows, their indices, the first column: operands 0 to 2 of gather and scatter.
bool rows_fit(Builder& b, const Type& tile) {
  const Type &descriptor = b.in(0), &rows = b.in(1);
  if (descriptor.kind != Type::Kind::descriptor || descriptor.rank() != 2 || descriptor.shape[0] != 1)
    return b.malformed("needs a descriptor whose block is one row");
  if (!rows.integral() || rows.rank() != 1 || !indices_fit(b, 2, 1) || tile.kind != Type::Kind::value ||
      tile.dtype != descriptor.dtype || tile.rank() != 2 || tile.shape[0] != rows.shape[0] ||
      tile.shape[1] != descriptor.shape[1])
    return b.malformed("indices and tile do not fit the descriptor");
  return true;
}

}  // namespace

bool build_descriptor_gather(Builder& b, int) {
  if (!b.counts(3, 1) || !rows_fit(b, b.out())) return false;
  b.made.run = run_gather_rows;
  return true;
}

bool build_descriptor_scatter(Builder& b, int) {
  if (!b.counts(4, 0) || !rows_fit(b, b.in(3))) return false;
  b.made.run = run_scatter_rows;
  return true;
}

bool build_descriptor_reduce(Builder& b, int) {
  if (b.inputs() < 2 || b.outputs() != 0 || b.in(0).kind != Type::Kind::descriptor || b.op.words.empty())
    return b.malformed("needs a kind and a descriptor");
  const auto rank = static_cast<std::size_t>(b.in(0).rank());
  if (b.inputs() != 2 + rank || !indices_fit(b, 1, rank) || !block_like(b.in(0), b.in(1 + rank)))
    return b.malformed("the block does not fit");
  if (rank > kFormRank) return b.unsupported("rank above 4");
  const std::string_view kind = b.op.words[0];
  const DType dtype = b.in(0).dtype;
  const bool real = is_floating(dtype);
  // The block's type keeps the sign: "tensor<8x16xui32>".
  const bool is_unsigned = b.in(0).text.find("xui") != std::string::npos;
  std::optional<Rmw> op;
  if (kind == "add")
    op = real ? Rmw::fadd : Rmw::add;
  else if (kind == "min")
    op = is_unsigned ? Rmw::umin : Rmw::min;
  else if (kind == "max")
    op = is_unsigned ? Rmw::umax : Rmw::max;
  else if (kind == "and" && !real)
    op = Rmw::bit_and;
  else if (kind == "or" && !real)
    op = Rmw::bit_or;
  else if (kind == "xor" && !real)
    op = Rmw::bit_xor;
  if (!op || update_for(dtype) == nullptr) return b.unsupported(std::string(kind) + " of " + b.in(0).text);
  b.made.imm[0] = static_cast<std::int64_t>(*op);
  b.made.run = run_reduce_block;
  return true;
}

}  // namespace kgb::vm
