// SPDX-License-Identifier: Apache-2.0
// Contraction: sums that take a product of their own block become fused multiply-adds, chosen as LLVM chooses
// for NVIDIA: instruction selection fuses (DAGCombiner's visitFADDForFMACombine and visitFSUBForFMACombine,
// "aggressive"), and before it the pass Reassociate puts the operand of lower rank first.
#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>

#include "vm/lower.hpp"

namespace kgb::vm {
namespace {

class Contraction {
 public:
  explicit Contraction(RawModule& module)
      : module_(module), uses_(module.value_types.size(), 0), rank_(module.value_types.size(), 0) {
    for (const RawFunction& function : module.functions) count(function.body);
  }

  void region(RawRegion& region) {
    for (RawBlock& block : region.blocks) {
      for (const int value : block.arguments) rank_[at(value)] = next_rank();
      std::map<int, RawOp> products;  // of this block, by their value
      std::vector<RawOp> ops;
      for (RawOp& op : block.ops) {
        for (RawRegion& inner : op.regions) this->region(inner);
        rank(op);
        if (op.name == "arith.mulf" && op.operands.size() == 2 && op.results.size() == 1)
          products.emplace(op.results[0], op);
        else if ((op.name == "arith.addf" || op.name == "arith.subf") && op.operands.size() == 2)
          fuse(op, products, ops);
        ops.push_back(std::move(op));
      }
      std::erase_if(ops, [&](const RawOp& op) {
        return op.name == "arith.mulf" && op.results.size() == 1 && uses_[at(op.results[0])] == 0;
      });
      block.ops = std::move(ops);
    }
  }

 private:
  static std::size_t at(int value) { return static_cast<std::size_t>(value); }

  void count(const RawRegion& region) {
    for (const RawBlock& block : region.blocks)
      for (const RawOp& op : block.ops) {
        for (const int value : op.operands) ++uses_[at(value)];
        for (const RawSuccessor& successor : op.successors)
          for (const int value : successor.operands) ++uses_[at(value)];
        for (const RawRegion& inner : op.regions) count(inner);
      }
  }

  // Far apart: the elements that a thread holds have ranks of their own.
  int next_rank() { return last_rank_ += 64; }

  // Constants have rank 0, what cannot move (loads, calls, divisions, loops) a rank of its own, the rest one
  // more than its operands; shapes are nothing to the back end.
  void rank(const RawOp& op) {
    static constexpr std::string_view shapes[] = {"tt.splat", "tt.broadcast", "tt.expand_dims", "tt.reshape",
                                                  "tt.trans"};
    const bool counts = op.name == "arith.addf" || op.name == "arith.subf" || op.name == "arith.mulf" ||
                        op.name == "arith.extf" || op.name == "arith.truncf" || op.name == "arith.select";
    const bool moves =
        counts || op.name == "arith.negf" || std::ranges::find(shapes, op.name) != std::end(shapes);
    int highest = 0;
    for (const int value : op.operands) highest = std::max(highest, rank_[at(value)]);
    if (op.name == "arith.constant")
      highest = 0;
    else if (!moves)
      highest = next_rank();
    for (const int value : op.results) rank_[at(value)] = highest + (counts ? 1 : 0);
  }

  // The sum `op` with one of its products taken in, if it has one; negations that it needs go to `before`.
  void fuse(RawOp& op, const std::map<int, RawOp>& products, std::vector<RawOp>& before) {
    if (op.name == "arith.addf" && rank_[at(op.operands[1])] < rank_[at(op.operands[0])])
      std::swap(op.operands[0], op.operands[1]);
    const auto left = products.find(op.operands[0]), right = products.find(op.operands[1]);
    if (left == products.end() && right == products.end()) return;
    // Of two products the one with fewer uses, in doubt the left one.
    const bool take_left = left != products.end() &&
                           (right == products.end() || uses_[at(left->first)] <= uses_[at(right->first)]);
    const RawOp& product = take_left ? left->second : right->second;
    int other = op.operands[take_left ? 1 : 0], factor = product.operands[0];
    if (op.name == "arith.subf")
      (take_left ? other : factor) = negated(op, take_left ? other : factor, before);
    --uses_[at(product.results[0])];
    for (const int value : product.operands) ++uses_[at(value)];
    op.name = "math.fma";
    op.operands = {factor, product.operands[1], other};
  }

  int negated(const RawOp& near, int value, std::vector<RawOp>& before) {
    RawOp op;
    op.name = "arith.negf";
    op.operands = {value};
    op.results = {static_cast<int>(module_.value_types.size())};
    op.where = near.where;
    op.offset = near.offset;
    module_.value_types.push_back(module_.value_types[at(value)]);
    uses_.push_back(1);
    rank_.push_back(rank_[at(value)]);
    before.push_back(std::move(op));
    return static_cast<int>(module_.value_types.size()) - 1;
  }

  RawModule& module_;
  std::vector<int> uses_, rank_;  // of each value
  int last_rank_ = 0;
};

}  // namespace

void contract(RawModule& module) {
  Contraction contraction(module);
  for (RawFunction& function : module.functions) contraction.region(function.body);
}

}  // namespace kgb::vm
