// SPDX-License-Identifier: Apache-2.0
// Running of combine regions.
#include "vm/combine.hpp"

#include <algorithm>
#include <cstring>

namespace kgb::vm {
namespace {

const std::vector<int>& yielded(const Code& code) {
  return std::find_if(code.blocks.begin(), code.blocks.end(),
                      [](const Block& block) { return block.ending == Ending::yield; })
      ->operands;
}

// A returned value may be uniform, or one of the arguments.
void set_argument(Frame& frame, int id, std::int64_t lanes) {
  Value& value = frame.at(id);
  value.n = lanes;
  value.set_dense();
}

std::int64_t scalar_bits(Frame& frame, int id) {
  const Value& value = frame.at(id);
  if (value.form == Form::splat) return value.bits;
  std::int64_t bits = 0;
  std::memcpy(&bits, elements(frame, id), frame.info(id).bytes);
  return bits;
}

}  // namespace

Combiner::Combiner(Frame& frame, const Code& code, std::int64_t max_lanes)
    : frame_(frame), code_(code), spans_(!code.values.empty()) {
  const auto room = [&](int id) {
    owned_.emplace_back(static_cast<std::size_t>(max_lanes) * frame.info(id).bytes);
    return owned_.back().data();
  };
  for (const int id : code.blocks.front().arguments)
    arguments_.push_back(spans_ ? frame.at(id).data : room(id));
  for (const int id : yielded(code)) results_.push_back(spans_ ? nullptr : room(id));
}

bool Combiner::run(std::int64_t lanes) {
  return spans_ ? run_spans(lanes) : run_lanes(lanes);
}

bool Combiner::run_spans(std::int64_t lanes) {
  const Block& block = code_.blocks.front();
  for (const int id : code_.values) frame_.at(id).n = lanes;
  // A scalar from outside is uniform; where a kernel wants it as a span, it is filled anew for these lanes.
  const auto lend = [&](std::int64_t n) {
    for (const int id : code_.outside) {
      frame_.at(id).n = n;
      frame_.at(id).filled = false;
    }
  };
  lend(lanes);
  for (const int id : block.arguments) set_argument(frame_, id, lanes);
  for (const Instruction& made : block.code) {
    made.run(frame_, made);
    if (frame_.trapped) break;
  }
  for (std::size_t k = 0; !frame_.trapped && k < results_.size(); ++k)
    results_[k] = elements(frame_, block.operands[k]);
  lend(1);
  if (frame_.trapped) return false;
  frame_.steps += block.code.size();
  return frame_.steps < kStepBatch || frame_.count_steps(nullptr);
}

bool Combiner::run_lanes(std::int64_t lanes) {
  const std::vector<int>& arguments = code_.blocks.front().arguments;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      const std::size_t bytes = frame_.info(arguments[k]).bytes;
      std::int64_t bits = 0;
      std::memcpy(&bits, arguments_[k] + static_cast<std::size_t>(lane) * bytes, bytes);
      frame_.at(arguments[k]).set_splat(bits);
    }
    const Block* last = run_code(frame_, code_);
    if (last == nullptr) return false;
    for (std::size_t k = 0; k < results_.size(); ++k) {
      const std::int64_t bits = scalar_bits(frame_, last->operands[k]);
      const std::size_t bytes = frame_.info(last->operands[k]).bytes;
      std::memcpy(owned_[arguments.size() + k].data() + static_cast<std::size_t>(lane) * bytes, &bits, bytes);
    }
  }
  return true;
}

bool lane_by_lane(const RawOp& op) {
  static constexpr BuildFunction allowed[] = {
      build_binary,  build_integer, build_division, build_compare_int, build_compare_float, build_select,
      build_ternary, build_clamp,   build_unary,    build_flushing,    build_remainder,     build_extern,
      build_convert, build_bitcast, build_constant, build_extended};
  if (op.name != "tt.reduce" && op.name != "tt.scan" && op.name != "tt.map_elementwise") return false;
  if (op.regions.size() != 1 || op.regions[0].blocks.size() != 1) return false;
  const std::vector<RawOp>& ops = op.regions[0].blocks[0].ops;
  return std::all_of(ops.begin(), ops.end(), [](const RawOp& inner) {
    if (inner.name.starts_with("tt.") && inner.name.ends_with(".return")) return true;
    const OpRow* row = find_op(inner.name);
    return row != nullptr &&
           std::find(std::begin(allowed), std::end(allowed), row->build) != std::end(allowed);
  });
}

namespace {

bool scalars_of(const Builder& b, const std::vector<int>& values, const std::vector<DType>& types) {
  return values.size() == types.size() &&
         std::equal(values.begin(), values.end(), types.begin(), [&](int id, DType dtype) {
           const Type& type = b.type_of(id);
           return type.kind == Type::Kind::value && !type.tensor && type.dtype == dtype;
         });
}

// Every value inside needs room for a span of lanes.
bool give_room(Builder& b, Code& code, std::int64_t lanes) {
  code.values = code.blocks[0].arguments;
  for (const Instruction& inner : code.blocks[0].code)
    code.values.insert(code.values.end(), inner.out.begin(), inner.out.end());
  for (const int id : code.values) {
    if (b.type_of(id).tensor) return b.malformed("a tile inside the region");
    b.program.values[static_cast<std::size_t>(id)].capacity = lanes;
  }
  const auto borrow = [&](int id) {
    if (std::find(code.values.begin(), code.values.end(), id) != code.values.end()) return true;
    if (b.type_of(id).tensor) return b.malformed("a tile inside the region");
    std::int64_t& capacity = b.program.values[static_cast<std::size_t>(id)].capacity;
    capacity = std::max(capacity, lanes);
    if (std::find(code.outside.begin(), code.outside.end(), id) == code.outside.end())
      code.outside.push_back(id);
    return true;
  };
  const auto all = [&](const std::vector<int>& ids) { return std::all_of(ids.begin(), ids.end(), borrow); };
  for (const Instruction& inner : code.blocks[0].code)
    if (!all(inner.in)) return false;
  return all(code.blocks[0].operands);
}

}  // namespace

bool check_region(Builder& b, const std::vector<DType>& arguments, const std::vector<DType>& results,
                  std::int64_t lanes) {
  Code& code = b.made.regions[0];
  bool yields = false;
  for (const Block& block : code.blocks) {
    if (block.ending == Ending::branch || block.ending == Ending::conditional_branch) continue;
    if (block.ending != Ending::yield || !scalars_of(b, block.operands, results))
      return b.malformed("the region does not give what the operands need");
    yields = true;
  }
  if (!yields || !scalars_of(b, code.blocks[0].arguments, arguments))
    return b.malformed("the region does not fit the operands");
  return !lane_by_lane(b.op) || give_room(b, code, lanes);
}

}  // namespace kgb::vm
