// SPDX-License-Identifier: Apache-2.0
// Finds what a kernel may write and whether it orders its instances, and wraps the handlers to be checked.
#include "vm/sanitize_instrument.hpp"

#include <algorithm>
#include <functional>
#include <set>

#include "vm/instrument.hpp"
#include "vm/sanitize_check.hpp"

namespace kgb::vm {
namespace {

// From which values each value may come, across loops, branches and calls.
class Flow {
 public:
  explicit Flow(const RawModule& raw)
      : raw_(raw), from_(raw.value_types.size()), maker_(raw.value_types.size()) {
    for (const RawFunction& function : raw.functions) region(function.body);
  }

  [[nodiscard]] const std::vector<int>& from(int value) const {
    return from_[static_cast<std::size_t>(value)];
  }
  [[nodiscard]] const RawOp* maker(int value) const { return maker_[static_cast<std::size_t>(value)]; }
  [[nodiscard]] const Type& type(int value) const {
    return raw_.types[static_cast<std::size_t>(raw_.value_types[static_cast<std::size_t>(value)])];
  }
  [[nodiscard]] bool used(int value) const { return used_.count(value) != 0; }
  void each(const std::function<void(const RawOp&)>& visit) const {
    for (const RawFunction& function : raw_.functions) each(function.body, visit);
  }

 private:
  void each(const RawRegion& region, const std::function<void(const RawOp&)>& visit) const {
    for (const RawBlock& block : region.blocks)
      for (const RawOp& op : block.ops) {
        visit(op);
        for (const RawRegion& inner : op.regions) each(inner, visit);
      }
  }
  void edge(int to, int from) { from_[static_cast<std::size_t>(to)].push_back(from); }
  void edges(const std::vector<int>& to, const std::vector<int>& from, std::size_t to_skip = 0,
             std::size_t from_skip = 0) {
    for (std::size_t i = 0; i + to_skip < to.size() && i + from_skip < from.size(); ++i)
      edge(to[i + to_skip], from[i + from_skip]);
  }
  static const RawOp* last(const RawRegion& region) {
    return region.blocks.empty() || region.blocks[0].ops.empty() ? nullptr : &region.blocks[0].ops.back();
  }

  void region(const RawRegion& region) {
    for (const RawBlock& block : region.blocks)
      for (const RawOp& op : block.ops) {
        for (const int value : op.operands) used_.insert(value);
        for (const int value : op.results) maker_[static_cast<std::size_t>(value)] = &op;
        for (const RawRegion& inner : op.regions) this->region(inner);
        for (const RawSuccessor& successor : op.successors) {
          for (const int value : successor.operands) used_.insert(value);
          for (const RawBlock& target : region.blocks)
            if (target.label == successor.block) edges(target.arguments, successor.operands);
        }
        operation(op);
      }
  }

  void operation(const RawOp& op) {
    const auto arguments = [&](std::size_t r) { return op.regions[r].blocks[0].arguments; };
    const auto yielded = [&](std::size_t r) {
      const RawOp* end = last(op.regions[r]);
      return end == nullptr ? std::vector<int>{} : end->operands;
    };
    if (op.name == "scf.for" && op.regions.size() == 1) {
      edges(arguments(0), op.operands, 1, 3);
      edges(arguments(0), yielded(0), 1);
      edges(op.results, arguments(0), 0, 1);
    } else if (op.name == "scf.while" && op.regions.size() == 2) {
      edges(arguments(0), op.operands);
      edges(arguments(0), yielded(1));
      edges(arguments(1), yielded(0), 0, 1);
      edges(op.results, yielded(0), 0, 1);
    } else if (op.name == "scf.if") {
      for (std::size_t r = 0; r < op.regions.size(); ++r) edges(op.results, yielded(r));
    } else if (op.name == "tt.call") {
      for (const RawFunction& callee : raw_.functions) {
        if (callee.name != op.symbol || callee.body.blocks.empty()) continue;
        edges(callee.body.blocks.front().arguments, op.operands);
        for (const RawBlock& block : callee.body.blocks)
          if (!block.ops.empty() && block.ops.back().name == "tt.return")
            edges(op.results, block.ops.back().operands);
      }
    } else {
      for (const int result : op.results)
        for (const int operand : op.operands) edge(result, operand);
    }
  }

  const RawModule& raw_;
  std::vector<std::vector<int>> from_;
  std::vector<const RawOp*> maker_;
  std::set<int> used_;
};

bool relaxed(const RawOp& op) {
  return std::find(op.words.begin(), op.words.end(), "relaxed") != op.words.end();
}

std::uint32_t ordering_of(const RawOp& op) {
  const auto says = [&](std::string_view word) {
    return std::find(op.words.begin(), op.words.end(), word) != op.words.end();
  };
  if (says("acquire")) return kAcquires;
  if (says("release")) return kReleases;
  return relaxed(op) ? 0 : kAcquires | kReleases;
}

bool is_volatile(const RawOp& op) {
  const std::string_view* text = op.attribute("isVolatile");
  return text != nullptr && text->starts_with("true");
}

// Marks the parameters that a pointer may come from.
void mark_origins(const Flow& flow, int pointer, const std::vector<int>& parameters, KernelFacts& facts) {
  std::vector<int> open{pointer};
  std::set<int> seen;
  while (!open.empty()) {
    const int value = open.back();
    open.pop_back();
    if (!seen.insert(value).second) continue;
    const auto parameter = std::find(parameters.begin(), parameters.end(), value);
    if (parameter != parameters.end()) {
      facts.written[static_cast<std::size_t>(parameter - parameters.begin())] = 1;
      continue;
    }
    bool known = false;
    const RawOp* maker = flow.maker(value);
    if (maker == nullptr || maker->name != "tt.load")
      for (const int source : flow.from(value)) {
        const Type& type = flow.type(source);
        if (!type.pointer() && type.kind != Type::Kind::descriptor) continue;
        known = true;
        open.push_back(source);
      }
    facts.writes_anywhere = facts.writes_anywhere || !known;
  }
}

KernelFacts find_facts(const ProgramImpl& program, const Flow& flow) {
  KernelFacts facts;
  const auto& parameters =
      program.raw.functions[static_cast<std::size_t>(program.entry)].body.blocks.front().arguments;
  facts.written.assign(parameters.size(), 0);
  flow.each([&](const RawOp& op) {
    const bool atomic = op.name.starts_with("tt.atomic_");
    const bool descriptor = op.name.starts_with("tt.descriptor_") && op.name != "tt.descriptor_load" &&
                            op.name != "tt.descriptor_gather";
    if ((op.name == "tt.store" || atomic || descriptor) && !op.operands.empty())
      mark_origins(flow, op.operands[0], parameters, facts);
    if (atomic && !op.results.empty() && !flow.type(op.results[0]).tensor && flow.used(op.results[0]) &&
        !relaxed(op))
      facts.synchronises = true;
    const bool adds = (atomic && op.operands.size() > 1) || op.name == "tt.descriptor_reduce";
    if (adds && flow.type(op.operands[atomic ? 1 : op.operands.size() - 1]).floating())
      facts.float_atomics = true;
    if (op.name == "tt.load" && is_volatile(op)) facts.synchronises = true;
    if (op.name == "tt.load" && op.operands.size() == 2) facts.masked_without_other = true;
  });
  return facts;
}

// Values that an address is computed from, back to what is loaded, chosen by comparison or masked by bits: a
// hash that is cut to size wraps on purpose.
std::set<int> index_values(const Flow& flow) {
  static const std::set<std::string_view> passes{
      "arith.addi",  "arith.subi",  "arith.muli",  "arith.shli", "arith.extsi",  "arith.index_cast",
      "arith.minsi", "arith.maxsi", "arith.divsi", "tt.splat",   "tt.broadcast", "tt.expand_dims",
      "tt.reshape",  "tt.trans",    "tt.addptr",   "tt.unsplat"};
  std::set<int> found;
  std::vector<int> open;
  flow.each([&](const RawOp& op) {
    if (op.name == "tt.addptr" && op.operands.size() == 2)
      open.insert(open.end(), op.results.begin(), op.results.end());
  });
  while (!open.empty()) {
    const int value = open.back();
    open.pop_back();
    if (flow.type(value).is(DType::b8) || !found.insert(value).second) continue;
    const RawOp* maker = flow.maker(value);
    if (maker != nullptr && maker->regions.empty() && passes.count(maker->name) == 0) continue;
    open.insert(open.end(), flow.from(value).begin(), flow.from(value).end());
  }
  return found;
}

// Bits of an operation between a 32-bit value and an address; 0: it is none.
std::uint32_t index_bits(const ProgramImpl& program, const std::set<int>& indices, const RawOp& op) {
  if (op.results.size() != 1 || indices.count(op.results[0]) == 0) return 0;
  static const std::pair<std::string_view, std::uint32_t> sums[] = {
      {"arith.addi", 0}, {"arith.subi", 1}, {"arith.muli", 2}, {"arith.shli", 3}};
  for (const auto& [name, sum] : sums) {
    if (op.name != name) continue;
    const bool narrow = program.values[static_cast<std::size_t>(op.results[0])].type->is(DType::i32);
    return (narrow ? kMayWrap : 0) | sum << kSumShift | kPasses;
  }
  if (op.name == "tt.trans") return kPasses | kPermutes;
  static const std::set<std::string_view> shapes{"arith.extsi",  "arith.index_cast", "tt.splat",
                                                 "tt.broadcast", "tt.expand_dims",   "tt.reshape",
                                                 "tt.addptr"};
  return shapes.count(op.name) != 0 ? kPasses : 0;
}

void wrap(const ProgramImpl& program, const std::set<int>& indices, const RawOp& op, Instruction& made) {
  if (!known_types(program, made)) return;  // reaching it is a finding
  Handler checking = nullptr;
  std::uint32_t bits = 0;
  if (op.name == "tt.load") {
    checking = checked::run_load;
    if (is_volatile(op)) bits = kVolatile | kAcquires;
  } else if (op.name == "tt.store") {
    checking = checked::run_store;
  } else if (op.name == "tt.atomic_rmw" || op.name == "tt.atomic_cas") {
    checking = op.name == "tt.atomic_cas" ? checked::run_cas : checked::run_atomic;
    bits = ordering_of(op);
    if (!op.words.empty() && op.words[0] == "exch") bits |= kOverwrites;
  } else if (op.name == "arith.divsi" || op.name == "arith.divui" || op.name == "arith.remsi" ||
             op.name == "arith.remui" || op.name == "arith.ceildivsi" || op.name == "arith.ceildivui" ||
             op.name == "arith.floordivsi") {
    checking = checked::run_division;
  } else if (op.name == "tt.descriptor_load") {
    checking = checked::run_descriptor_load;
  } else if (op.name == "tt.descriptor_store") {
    checking = checked::run_descriptor_store;
  } else if (op.name == "tt.descriptor_gather") {
    checking = checked::run_descriptor_gather;
  } else if (op.name == "tt.descriptor_scatter") {
    checking = checked::run_descriptor_scatter;
  } else if (op.name == "tt.descriptor_reduce") {
    checking = checked::run_descriptor_reduce;
  } else if ((bits = index_bits(program, indices, op)) != 0) {
    checking = checked::run_index;
  } else {
    return;
  }
  put_before(made, checking).checks = bits;
  // Nothing is looked at before the first instance begins, so what may wrap stays in it. A shape of what does
  // not depend on the instance may still run once: if it could wrap, its operand would not be known by then.
  if ((bits & kPasses) == 0 || (bits & kMayWrap) != 0) made.pure = false;
}

void wrap_all(ProgramImpl& program, KernelFacts& facts, const std::set<int>& indices, const RawRegion& raw,
              Code& code) {
  for (std::size_t b = 0; b < raw.blocks.size() && b < code.blocks.size(); ++b)
    each_instruction(raw.blocks[b], code.blocks[b], [&](const RawOp& op, Instruction& made) {
      if (op.name == "tt.reduce" || op.name == "tt.scan") return;  // scalars there stand for lanes
      for (std::size_t r = 0; r < op.regions.size() && r < made.regions.size(); ++r)
        wrap_all(program, facts, indices, op.regions[r], made.regions[r]);
      if (op.name == "tt.load" && op.operands.size() == 2) facts.undefined_loads.push_back(made.place);
      wrap(program, indices, op, made);
    });
}

}  // namespace

void instrument(ProgramImpl& program) {
  const Flow flow(program.raw);
  const auto facts = std::make_shared<KernelFacts>(find_facts(program, flow));
  const std::set<int> indices = index_values(flow);
  for (std::size_t i = 0; i < program.functions.size(); ++i)
    if (program.functions[i].lowered)
      wrap_all(program, *facts, indices, program.raw.functions[i].body, program.functions[i].body);
  program.facts = facts;
}

}  // namespace kgb::vm
