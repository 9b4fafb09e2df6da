// SPDX-License-Identifier: Apache-2.0
// Control flow: blocks, loops, branches, calls, and the step and time limits.
#include "vm/builder.hpp"
#include "vm/handlers.hpp"
#include "vm/sanitize_wait.hpp"

#include <algorithm>
#include <utility>

namespace kgb::vm {

bool Frame::count_steps(const Instruction* at) {
  static const Instruction nowhere{};
  const std::uint64_t total = state->steps.fetch_add(steps) + steps;
  steps = 0;
  cost = 0;
  if (state->stop.load(std::memory_order_relaxed)) {
    trapped = true;
    return false;
  }
  const Instruction& where = at != nullptr ? *at : nowhere;
  if (state->how->max_steps != 0 && total > state->how->max_steps) {
    report(where, "step_limit",
           "stopped after " + std::to_string(total) + " operations; the limit is " +
               std::to_string(state->how->max_steps) + ": an endless loop, or a wait for another program");
    state->stop = true;
    return false;
  }
  if (state->how->deadline != std::chrono::steady_clock::time_point::max() &&
      std::chrono::steady_clock::now() > state->how->deadline) {
    report(where, "deadline", "stopped at the time limit after " + std::to_string(total) + " operations");
    state->stop = true;
    return false;
  }
  return true;
}

void Frame::report(const Instruction& at, std::string kind, std::string message, std::string region,
                   std::int64_t index) {
  trapped = true;
  const std::lock_guard lock(state->mutex);
  if (!state->seen.emplace(at.place, kind + region).second) return;
  SourcePlace where;
  if (static_cast<std::size_t>(at.place) < program->places.size())
    where = program->places[static_cast<std::size_t>(at.place)];
  if (!where.file.empty()) message += " at " + where.file + ":" + std::to_string(where.line);
  state->findings.push_back({number, VmFinding{std::move(kind), std::move(message), std::move(region), index,
                                               id, where.file, where.line}});
  if (state->findings.size() >= options->max_findings) state->stop = true;
}

namespace {

// Several assignments at once: a source may be another's destination.
void assign_all(Frame& frame, const std::vector<int>& to, const std::vector<int>& from,
                std::size_t skip = 0) {
  const std::size_t n = from.size();
  const auto clashes = [&](std::size_t i) {
    const Value& source = frame.at(from[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const Value& written = frame.at(to[j + skip]);
      if (written.data == source.data || to[j + skip] == from[i]) return true;
    }
    return false;
  };
  bool staged = false;
  for (std::size_t i = 1; i < n && !staged; ++i) staged = clashes(i);
  if (!staged) {
    for (std::size_t i = 0; i < n; ++i) assign(frame, to[i + skip], from[i]);
    return;
  }
  std::vector<Value> copies;
  std::vector<std::vector<std::byte>> bytes(n);
  std::vector<std::vector<std::int64_t>> tables(n);
  for (std::size_t i = 0; i < n; ++i) {
    Value copy = frame.at(from[i]);
    if (copy.form == Form::dense) {
      bytes[i].assign(copy.data, copy.data + copy.n * frame.info(from[i]).bytes);
      copy.data = bytes[i].data();
    }
    const Type& type = frame.type(from[i]);
    if (copy.table != nullptr) {
      std::int64_t length = 0;
      for (const std::int64_t dim : type.shape) length += dim;
      if (type.kind == Type::Kind::descriptor) length = 2 * type.rank() + 1;
      tables[i].assign(copy.table, copy.table + length);
      copy.table = tables[i].data();
    }
    copies.push_back(copy);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::swap(frame.at(from[i]), copies[i]);
    const Value original = copies[i];
    if (from[i] == to[i + skip]) {
      frame.at(from[i]) = original;
      continue;
    }
    assign(frame, to[i + skip], from[i]);
    frame.at(from[i]) = original;
  }
}

// Runs the code of one block; false when trapped.
inline bool run_block(Frame& frame, const Block& block) {
  const bool large = block.cost >= kCostBatch;  // then the limits are looked at within the block as well
  for (const Instruction& made : block.code) {
    made.run(frame, made);
    if (frame.trapped) [[unlikely]]
      return false;
    if (large && !frame.count_steps(&made)) return false;
  }
  frame.steps += block.code.size() + 1;
  frame.cost += block.cost;
  if (frame.steps < kStepBatch && frame.cost < kCostBatch) [[likely]]
    return true;
  return frame.count_steps(block.code.empty() ? nullptr : &block.code.back());
}

}  // namespace

const Block* run_code(Frame& frame, const Code& code) {
  const Block* block = &code.blocks.front();
  while (true) {
    if (!run_block(frame, *block)) return nullptr;
    if (block->ending != Ending::branch && block->ending != Ending::conditional_branch) return block;
    std::size_t way = 0;
    if (block->ending == Ending::conditional_branch) way = scalar_bool(frame, block->operands[0]) ? 0 : 1;
    const Target& target = block->targets[way];
    const Block& next = code.blocks[static_cast<std::size_t>(target.block)];
    assign_all(frame, next.arguments, target.operands);
    block = &next;
  }
}

namespace handlers {

// Carries the yielded values into the next trip: copies first, then whole buffers change hands.
void carry(Frame& frame, const Code& code, const Block& block) {
  std::vector<int> to, from;
  for (std::size_t i = 0; i < block.operands.size(); ++i) {
    if (code.swaps[i] != 0) continue;
    if (block.operands[i] == block.arguments[i + 1]) continue;
    to.push_back(block.arguments[i + 1]);
    from.push_back(block.operands[i]);
  }
  if (!to.empty()) assign_all(frame, to, from);
  for (std::size_t i = 0; i < block.operands.size(); ++i) {
    if (code.swaps[i] == 0) continue;
    Value &carried = frame.at(block.arguments[i + 1]), &yielded = frame.at(block.operands[i]);
    if (yielded.form == Form::dense) {
      std::swap(carried.data, yielded.data);
      carried.region = yielded.region;
      carried.set_dense();
    } else {
      assign(frame, block.arguments[i + 1], block.operands[i]);
    }
  }
}

void run_for(Frame& frame, const Instruction& made) {
  const Code& code = made.regions[0];
  const Block& block = code.blocks[0];
  const DType dtype = static_cast<DType>(made.imm[0]);
  const std::size_t bytes = bytes_of(dtype);
  const std::int64_t from = scalar_int(frame, made.in[0]), to = scalar_int(frame, made.in[1]),
                     step = scalar_int(frame, made.in[2]);
  const bool is_unsigned = made.imm[1] != 0;
  if (step <= 0) {
    frame.report(made, "malformed", "a loop with the step " + std::to_string(step));
    return;
  }
  const std::vector<int> initial(made.in.begin() + 3, made.in.end());
  assign_all(frame, block.arguments, initial, 1);
  Value& counter = frame.at(block.arguments[0]);
  std::int64_t i = from;
  while (is_unsigned ? static_cast<std::uint64_t>(i) < static_cast<std::uint64_t>(to) : i < to) {
    counter.set_splat(low_bytes(i, bytes));
    if (!run_block(frame, block)) return;
    carry(frame, code, block);
    if (__builtin_add_overflow(i, step, &i)) break;
  }
  for (std::size_t r = 0; r < made.out.size(); ++r) {
    Value& result = frame.at(made.out[r]);
    std::int64_t* const table = result.table;
    const Value& carried = frame.at(block.arguments[r + 1]);
    if (carried.form == Form::dense) {
      result = carried;
      result.table = table;
    } else {
      result.data = carried.data;
      assign(frame, made.out[r], block.arguments[r + 1]);
    }
  }
}

void run_while(Frame& frame, const Instruction& made) {
  const Block &before = made.regions[0].blocks[0], &after = made.regions[1].blocks[0];
  assign_all(frame, before.arguments, made.in);
  Spin spin;
  while (true) {
    if (!run_block(frame, before)) return;
    const std::vector<int> passed(before.operands.begin() + 1, before.operands.end());
    if (!scalar_bool(frame, before.operands[0])) {
      assign_all(frame, made.out, passed);
      return;
    }
    assign_all(frame, after.arguments, passed);
    if (!run_block(frame, after)) return;
    assign_all(frame, before.arguments, after.operands);
    if (frame.check != nullptr && !after_trip(frame, made, spin)) return;
  }
}

void run_if(Frame& frame, const Instruction& made) {
  const bool taken = scalar_bool(frame, made.in[0]);
  if (!taken && made.regions.size() < 2) return;
  const Block& block = made.regions[taken ? 0 : 1].blocks[0];
  if (!run_block(frame, block)) return;
  for (std::size_t i = 0; i < made.out.size(); ++i) {
    Value& result = frame.at(made.out[i]);
    const Value& source = frame.at(block.operands[i]);
    result.data = source.data;
    assign(frame, made.out[i], block.operands[i]);
  }
}

void run_call(Frame& frame, const Instruction& made) {
  const FunctionCode& function = frame.program->functions[static_cast<std::size_t>(made.extra->function)];
  assign_all(frame, function.body.blocks.front().arguments, made.in);
  const Block* last = run_code(frame, function.body);
  if (last == nullptr) return;
  assign_all(frame, made.out, last->operands);
}

}  // namespace handlers

namespace {

bool one_block(const Builder& b, std::size_t i, Ending ending) {
  const Code& code = b.made.regions[i];
  return code.blocks.size() == 1 && code.blocks[0].ending == ending;
}

bool same(const Builder& b, const std::vector<int>& x, std::size_t x_skip, const std::vector<int>& y,
          std::size_t y_skip) {
  if (x.size() < x_skip || y.size() < y_skip || x.size() - x_skip != y.size() - y_skip) return false;
  for (std::size_t i = 0; i + x_skip < x.size(); ++i) {
    const Type &s = b.type_of(x[i + x_skip]), &t = b.type_of(y[i + y_skip]);
    if (s.kind != t.kind || s.dtype != t.dtype || !s.same_shape(t)) return false;
  }
  return true;
}

}  // namespace

bool build_for(Builder& b, int) {
  if (b.combining) return b.unsupported("inside a combine region");
  if (b.inputs() < 3 || b.made.regions.size() != 1) return b.malformed("wrong number of operands or regions");
  for (std::size_t i = 0; i < 3; ++i)
    if (!b.in(i).integral() || b.in(i).tensor || b.in(i).dtype != b.in(0).dtype)
      return b.malformed("bounds and step must be integers of one type");
  Code& body = b.made.regions[0];
  if (body.blocks.size() == 1 && body.blocks[0].ending == Ending::missing)
    body.blocks[0].ending = Ending::yield;
  if (!one_block(b, 0, Ending::yield)) return b.malformed("the body must be one block that yields");
  const Block& block = b.made.regions[0].blocks[0];
  if (!same(b, b.op.operands, 3, block.arguments, 1) || !same(b, block.operands, 0, block.arguments, 1) ||
      !same(b, b.op.results, 0, block.arguments, 1) || !b.type_of(block.arguments[0]).is(b.in(0).dtype))
    return b.malformed("initial, carried, yielded and resulting values differ in type");
  b.made.imm = {static_cast<std::int64_t>(b.in(0).dtype), !b.op.words.empty() && b.op.words[0] == "unsigned"};
  b.made.run = handlers::run_for;
  return true;
}

bool build_while(Builder& b, int) {
  if (b.combining) return b.unsupported("inside a combine region");
  if (b.made.regions.size() != 2 || !one_block(b, 0, Ending::condition) || !one_block(b, 1, Ending::yield))
    return b.malformed("needs a condition block and a body block");
  const Block &before = b.made.regions[0].blocks[0], &after = b.made.regions[1].blocks[0];
  if (!same(b, b.op.operands, 0, before.arguments, 0) || before.operands.empty() ||
      !b.type_of(before.operands[0]).is(DType::b8) || b.type_of(before.operands[0]).tensor ||
      !same(b, before.operands, 1, after.arguments, 0) || !same(b, before.operands, 1, b.op.results, 0) ||
      !same(b, after.operands, 0, before.arguments, 0))
    return b.malformed("values passed between condition, body and results differ in type");
  b.made.run = handlers::run_while;
  return true;
}

bool build_if(Builder& b, int) {
  if (b.combining) return b.unsupported("inside a combine region");
  if (b.inputs() != 1 || !b.in(0).is(DType::b8) || b.in(0).tensor)
    return b.malformed("the condition must be one i1");
  const std::size_t regions = b.made.regions.size();
  if (regions < 1 || regions > 2 || (b.outputs() > 0 && regions != 2))
    return b.malformed("wrong number of regions");
  for (std::size_t i = 0; i < regions; ++i) {
    Block& block = b.made.regions[i].blocks[0];
    // A region without results prints no terminator.
    if (b.made.regions[i].blocks.size() == 1 && block.ending == Ending::missing) block.ending = Ending::yield;
    if (!one_block(b, i, Ending::yield) || !same(b, block.operands, 0, b.op.results, 0))
      return b.malformed("a branch yields other types than the results");
  }
  b.made.run = handlers::run_if;
  return true;
}

bool build_call(Builder& b, int) {
  if (b.combining) return b.unsupported("inside a combine region");
  b.extra();
  b.made.run = handlers::run_call;
  return true;
}

}  // namespace kgb::vm
