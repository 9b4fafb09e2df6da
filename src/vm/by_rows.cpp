// SPDX-License-Identifier: Apache-2.0
// A column or a row that is only spread over a tile to be combined with it is not spread: each row of the
// tile is combined with the column's element, or with the row, where they lie. Softmax and attention do
// little else.
#include <algorithm>
#include <optional>

#include "vm/elementwise.hpp"
#include "vm/handlers.hpp"
#include "vm/lower.hpp"

namespace kgb::vm {
namespace {

enum class Narrow : std::int64_t { column, row };

// imm: 0 which operand is narrow, 1 Narrow, 2 rows, 3 columns.
void run_by_rows(Frame& frame, const Instruction& made) {
  const auto own = static_cast<std::size_t>(1 - made.imm[0]), other = static_cast<std::size_t>(made.imm[0]);
  const int tile = made.in[own], narrow = made.in[other];
  if (frame.at(narrow).form == Form::splat) return run_binary(frame, made);
  const bool column = made.imm[1] == static_cast<std::int64_t>(Narrow::column), right = other == 1;
  const auto columns = static_cast<std::size_t>(made.imm[3]);
  const std::size_t bytes = frame.info(tile).bytes;
  const std::size_t step = columns * bytes, out_step = columns * frame.info(made.out[0]).bytes;
  const std::byte *x = elements(frame, tile), *y = elements(frame, narrow);
  std::byte* out = frame.at(made.out[0]).data;
  const numeric::BinaryKernel& kernel = made.kernel.binary;
  const auto apply = column ? (right ? kernel.vs : kernel.sv) : kernel.vv;
  for (std::int64_t r = 0; r < made.imm[2]; ++r, x += step, out += out_step, y += column ? bytes : 0)
    right ? apply(x, y, out, columns) : apply(y, x, out, columns);
  frame.at(made.out[0]).set_dense();
}

class ByRows {
 public:
  ByRows(ProgramImpl& program, const std::vector<int>& uses) : program_(program), uses_(uses) {}

  void block(Block& block) {
    for (std::size_t k = 0; k < block.code.size(); ++k)
      for (const std::size_t other : {std::size_t{1}, std::size_t{0}})
        if (const auto spread = replace(block, k, other)) {
          block.code.erase(block.code.begin() + static_cast<std::ptrdiff_t>(*spread));
          --k;
          break;
        }
  }

 private:
  [[nodiscard]] const Type& type(int value) const {
    return *program_.values[static_cast<std::size_t>(value)].type;
  }

  // Where operand `other` of the operation at `k` is spread, if that is now left out.
  std::optional<std::size_t> replace(Block& block, std::size_t k, std::size_t other) {
    constexpr std::int64_t shortest = 16;  // rows of fewer elements are calls without work
    Instruction& made = block.code[k];
    if (made.run != run_binary || made.in.size() != 2 || uses_[static_cast<std::size_t>(made.in[other])] != 1)
      return std::nullopt;
    const Type& tile = type(made.in[1 - other]);
    if (tile.rank() != 2 || !tile.floating() || tile.shape[1] < shortest || tile.shape[0] < 2)
      return std::nullopt;
    const auto found =
        std::find_if(block.code.begin(), block.code.begin() + static_cast<std::ptrdiff_t>(k),
                     [&](const Instruction& one) { return one.out == std::vector<int>{made.in[other]}; });
    const auto at = static_cast<std::size_t>(found - block.code.begin());
    if (at == k || found->run != handlers::run_broadcast) return std::nullopt;
    const std::vector<std::int64_t>& from = type(found->in[0]).shape;
    const bool column = from[0] == tile.shape[0] && from[1] == 1,
               row = from[0] == 1 && from[1] == tile.shape[1];
    if (!column && !row) return std::nullopt;
    made.in[other] = found->in[0];
    made.imm = {static_cast<std::int64_t>(other),
                static_cast<std::int64_t>(column ? Narrow::column : Narrow::row), tile.shape[0],
                tile.shape[1]};
    made.run = run_by_rows;
    made.spans = false;
    return at;
  }

  ProgramImpl& program_;
  const std::vector<int>& uses_;
};

}  // namespace

void combine_by_rows(ProgramImpl& program, const std::vector<int>& uses) {
  ByRows by_rows(program, uses);
  each_block(program, [&](Block& block) { by_rows.block(block); });
}

}  // namespace kgb::vm
