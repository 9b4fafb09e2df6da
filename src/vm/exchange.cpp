// SPDX-License-Identifier: Apache-2.0
// x ^ (the xor over each pair of x) is the other of the pair. tl.sort and tl.topk find partners so, in every
// step: four operations become one copy.
#include <algorithm>

#include "vm/elementwise.hpp"
#include "vm/handlers.hpp"
#include "vm/lower.hpp"
#include "vm/strided.hpp"

namespace kgb::vm {
namespace {

// imm: 0 bytes of half a block, 1 blocks.
void run_exchange(Frame& frame, const Instruction& made) {
  Value& out = frame.at(made.out[0]);
  if (frame.at(made.in[0]).form == Form::splat) return assign(frame, made.out[0], made.in[0]);
  swap_halves(out.data, elements(frame, made.in[0]), static_cast<std::size_t>(made.imm[0]),
              static_cast<std::size_t>(made.imm[1]));
  out.region = kAnyRegion;
  out.set_dense();
}

class Exchange {
 public:
  Exchange(ProgramImpl& program, const std::vector<int>& uses) : program_(program), uses_(uses) {}

  void block(Block& block) {
    std::vector<const Instruction*> gone;
    for (std::size_t k = 0; k < block.code.size(); ++k)
      for (const std::size_t own : {std::size_t{0}, std::size_t{1}})
        if (replace(block, k, own, gone)) break;
    if (gone.empty()) return;
    std::vector<Instruction> kept;
    for (Instruction& made : block.code)
      if (std::find(gone.begin(), gone.end(), &made) == gone.end()) kept.push_back(std::move(made));
    block.code = std::move(kept);
  }

 private:
  [[nodiscard]] const Type& type(int value) const {
    return *program_.values[static_cast<std::size_t>(value)].type;
  }

  // What makes a value that only one other operation uses.
  const Instruction* maker(const Block& block, std::size_t before, int value) const {
    if (uses_[static_cast<std::size_t>(value)] != 1) return nullptr;
    for (std::size_t i = before; i-- > 0;)
      if (block.code[i].out == std::vector<int>{value}) return &block.code[i];
    return nullptr;
  }

  // x ^ broadcast(view(reduce_xor(x))) at `k`, where x is operand `own`.
  bool replace(Block& block, std::size_t k, std::size_t own, std::vector<const Instruction*>& gone) {
    using numeric::BinaryOp;
    constexpr auto exclusive = static_cast<std::int64_t>(BinaryOp::xori);
    Instruction& made = block.code[k];
    if ((made.run != handlers::run_integer && made.run != run_binary) || made.imm[0] != exclusive)
      return false;
    const int x = made.in[own];
    const Instruction* wide = maker(block, k, made.in[1 - own]);
    if (wide == nullptr || wide->run != handlers::run_broadcast) return false;
    const Instruction* view = maker(block, k, wide->in[0]);
    if (view == nullptr || !view->view) return false;
    const Instruction* sum = maker(block, k, view->in[0]);
    if (sum == nullptr || sum->run != handlers::run_simple_reduce || sum->imm[2] != exclusive ||
        sum->in[0] != x)
      return false;
    const Type& tile = type(x);
    const auto axis = static_cast<std::size_t>(sum->imm[0]);
    std::vector<std::int64_t> shape = tile.shape;
    if (shape[axis] != 2) return false;
    shape[axis] = 1;
    if (type(wide->in[0]).shape != shape) return false;
    std::int64_t inner = 1;
    for (std::size_t d = axis + 1; d < shape.size(); ++d) inner *= shape[d];
    gone.insert(gone.end(), {wide, view, sum});
    made.run = run_exchange;
    made.in = {x};
    made.imm = {inner * static_cast<std::int64_t>(tile.element_bytes()), tile.count / (2 * inner)};
    made.spans = false;
    return true;
  }

  ProgramImpl& program_;
  const std::vector<int>& uses_;
};

}  // namespace

void exchange_pairs(ProgramImpl& program, const std::vector<int>& uses) {
  Exchange exchange(program, uses);
  each_block(program, [&](Block& block) { exchange.block(block); });
}

}  // namespace kgb::vm
