// SPDX-License-Identifier: Apache-2.0
// The region that tl.argmax and its like give tt.reduce, known by what it computes.
#include <algorithm>
#include <optional>

#include "vm/combine.hpp"
#include "vm/handlers.hpp"
#include "vm/numeric/arg_reduce.hpp"

namespace kgb::vm {
namespace {

// Reads the region's only block as a tree over its four arguments: value and index of the left pair, then of
// the right one.
class ArgRegion {
 public:
  explicit ArgRegion(const RawBlock& block) : block_(block), a_(block.arguments) {}

  std::optional<numeric::ArgOrder> order() {
    const RawOp& last = block_.ops.back();
    const RawOp *value = maker(last.operands[0], "arith.select"),
                *index = maker(last.operands[1], "arith.select");
    if (value == nullptr || index == nullptr || value->operands[0] != index->operands[0] ||
        !between(*value, 1, a_[0], a_[2]) || !between(*index, 1, a_[1], a_[3]))
      return std::nullopt;
    const int condition = value->operands[0];
    if (const RawOp* either = maker(condition, "arith.ori")) {
      found_.first = true;
      return both_ways(*either, [this](int x, int y) { return beyond(x) && first_of_equals(y); });
    }
    found_.first = false;
    return beyond(condition) ? std::optional(found_) : std::nullopt;
  }

 private:
  [[nodiscard]] const RawOp* maker(int value, std::string_view name) const {
    const auto it = std::find_if(block_.ops.begin(), block_.ops.end(), [value](const RawOp& op) {
      return op.results.size() == 1 && op.results[0] == value;
    });
    return it != block_.ops.end() && it->name == name ? &*it : nullptr;
  }
  [[nodiscard]] static bool between(const RawOp& op, std::size_t from, int x, int y) {
    return op.operands.size() == from + 2 && op.operands[from] == x && op.operands[from + 1] == y;
  }
  [[nodiscard]] const RawOp* compared(int value, int x, int y) const {
    const RawOp* op = maker(value, "arith.cmpf");
    if (op == nullptr) op = maker(value, "arith.cmpi");
    return op != nullptr && between(*op, 0, x, y) && !op->words.empty() ? op : nullptr;
  }
  template <typename Is>
  std::optional<numeric::ArgOrder> both_ways(const RawOp& op, Is is) {
    if (op.operands.size() != 2) return std::nullopt;
    if (is(op.operands[0], op.operands[1]) || is(op.operands[1], op.operands[0])) return found_;
    return std::nullopt;
  }
  bool beyond(int value) {
    const RawOp* op = compared(value, a_[0], a_[2]);
    if (op == nullptr) return false;
    const std::string_view how = op->words[0];
    if (op->name == "arith.cmpf") {  // "ugt" of floats is another comparison: true with NaN
      found_.largest = how == "ogt";
      return how == "ogt" || how == "olt";
    }
    found_.largest = how == "sgt" || how == "ugt";
    found_.is_unsigned = how == "ugt" || how == "ult";
    return found_.largest || how == "slt" || how == "ult";
  }
  bool first_of_equals(int value) {
    const RawOp* both = maker(value, "arith.andi");
    return both != nullptr && both_ways(*both, [this](int x, int y) {
                                const RawOp *tie = compared(x, a_[0], a_[2]),
                                            *less = compared(y, a_[1], a_[3]);
                                return tie != nullptr && less != nullptr && less->words[0] == "slt" &&
                                       (tie->words[0] == "oeq" || tie->words[0] == "eq");
                              }).has_value();
  }

  const RawBlock& block_;
  const std::vector<int>& a_;
  numeric::ArgOrder found_;
};

// imm 3 to 5: the axis.
void run_arg_reduce(Frame& frame, const Instruction& made) {
  const numeric::AxisShape shape{static_cast<std::size_t>(made.imm[3]), static_cast<std::size_t>(made.imm[4]),
                                 static_cast<std::size_t>(made.imm[5])};
  const std::byte* values = elements(frame, made.in[0]);
  const std::byte* indices = elements(frame, made.in[1]);
  Value &value = frame.at(made.out[0]), &index = frame.at(made.out[1]);
  made.extra->arg_reducer.run(values, reinterpret_cast<const std::int32_t*>(indices), value.data,
                              reinterpret_cast<std::int32_t*>(index.data), shape,
                              frame.scratch_bytes(0, (shape.n + 1) / 2 * shape.inner * 8));
  for (const int id : made.out) handlers::finish_reduced(frame, id);
}

}  // namespace

void use_arg_reducer(Builder& b) {
  const std::vector<RawBlock>& blocks = b.op.regions[0].blocks;
  if (b.inputs() != 2 || b.in(1).dtype != DType::i32 || blocks.size() != 1 || blocks[0].ops.empty() ||
      blocks[0].ops.back().operands.size() != 2)
    return;
  const auto order = ArgRegion(blocks[0]).order();
  const auto reducer = order ? numeric::arg_reducer(*order, b.in(0).dtype) : numeric::ArgReducer{};
  if (!reducer) return;
  b.extra().arg_reducer = reducer;
  b.made.run = run_arg_reduce;
  b.made.regions.clear();
}

}  // namespace kgb::vm
