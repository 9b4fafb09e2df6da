// SPDX-License-Identifier: Apache-2.0
// Lowering: looks every operation up in ops.def, lets its builder check it, and resolves terminators and
// calls.
#include "vm/lower.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include "vm/builder.hpp"
#include "vm/combine.hpp"

namespace kgb::vm {
namespace {

void run_unsupported(Frame& frame, const Instruction& instruction) {
  frame.report(instruction, "unsupported", "unsupported by the VM: " + instruction.extra->text);
}

// Of the operations that are not pure.
bool leaves_memory(BuildFunction build) {
  static constexpr BuildFunction quiet[] = {
      build_load, build_division,   build_gather,          build_reduce,
      build_scan, build_program_id, build_descriptor_load, build_descriptor_gather};
  return std::find(std::begin(quiet), std::end(quiet), build) != std::end(quiet);
}

class Lowering {
 public:
  explicit Lowering(ProgramImpl& program) : program_(program) {}

  Status run() {
    if (!choose_entry()) return user_error(error_);
    for (std::size_t i = 0; i < program_.raw.functions.size(); ++i)
      functions_.emplace(program_.raw.functions[i].name, static_cast<int>(i));
    program_.functions.resize(program_.raw.functions.size());
    if (!function(program_.entry)) return user_error(error_);
    return ok_status();
  }

 private:
  bool choose_entry() {
    const auto& all = program_.raw.functions;
    const auto found = std::find_if(all.begin(), all.end(), [](const RawFunction& f) { return f.is_public; });
    if (found == all.end()) {
      error_ = "the TTIR module has no public function";
      return false;
    }
    program_.entry = static_cast<int>(found - all.begin());
    return true;
  }

  bool fail(const RawOp& op, const std::string& what) {
    const auto& text = program_.raw.text;
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(op.offset), '\n');
    error_ = "line " + std::to_string(line) + " of the TTIR: " + what;
    return false;
  }

  bool function(int index) {
    FunctionCode& code = program_.functions[static_cast<std::size_t>(index)];
    const RawFunction& raw = program_.raw.functions[static_cast<std::size_t>(index)];
    code.name = raw.name;
    code.results_types = raw.result_types;
    active_.push_back(index);
    if (active_.size() > kMaxNesting || !region(raw.body, code.body, false)) return false;
    active_.pop_back();
    code.lowered = true;
    return true;
  }

  bool region(const RawRegion& raw, Code& code, bool combining) {
    std::map<std::string_view, int> labels;
    for (std::size_t i = 0; i < raw.blocks.size(); ++i) labels[raw.blocks[i].label] = static_cast<int>(i);
    code.blocks.resize(raw.blocks.size());
    for (std::size_t i = 0; i < raw.blocks.size(); ++i) {
      Block& block = code.blocks[i];
      block.arguments = raw.blocks[i].arguments;
      for (const RawOp& op : raw.blocks[i].ops) {
        if (block.ending != Ending::missing) return fail(op, "an operation after the block's terminator");
        if (terminator(op, raw, labels, block)) continue;
        if (!error_.empty() || !operation(op, block, combining)) return false;
      }
    }
    return true;
  }

  // False without an error: not a terminator.
  bool terminator(const RawOp& op, const RawRegion& raw, const std::map<std::string_view, int>& labels,
                  Block& block) {
    const std::string_view name = op.name;
    if (name == "scf.yield" || name == "tt.reduce.return" || name == "tt.scan.return" ||
        name == "tt.map_elementwise.return")
      block.ending = Ending::yield;
    else if (name == "scf.condition")
      block.ending = Ending::condition;
    else if (name == "tt.return")
      block.ending = Ending::give_back;
    else if (name == "cf.br")
      block.ending = Ending::branch;
    else if (name == "cf.cond_br")
      block.ending = Ending::conditional_branch;
    else
      return false;
    block.operands = op.operands;
    const std::size_t wanted = name == "cf.br" ? 1 : name == "cf.cond_br" ? 2 : 0;
    if (op.successors.size() != wanted) return fail(op, "wrong number of successors");
    if (wanted == 2 && (op.operands.size() != 1 || !scalar_bool_type(op.operands[0])))
      return fail(op, "the condition must be one i1");
    for (const RawSuccessor& successor : op.successors) {
      const auto found = labels.find(successor.block);
      if (found == labels.end()) return fail(op, "no block '^" + std::string(successor.block) + "'");
      const auto& arguments = raw.blocks[static_cast<std::size_t>(found->second)].arguments;
      if (!same_types(arguments, successor.operands))
        return fail(op, "operands do not fit the block's arguments");
      block.targets.push_back({found->second, successor.operands});
    }
    return true;
  }

  [[nodiscard]] const Type& type_of(int value) const {
    return *program_.values[static_cast<std::size_t>(value)].type;
  }
  [[nodiscard]] bool scalar_bool_type(int value) const {
    return type_of(value).is(DType::b8) && !type_of(value).tensor;
  }
  [[nodiscard]] bool same_types(const std::vector<int>& a, const std::vector<int>& b) const {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](int x, int y) {
             const Type &s = type_of(x), &t = type_of(y);
             return s.kind == t.kind && s.dtype == t.dtype && s.same_shape(t);
           });
  }

  bool operation(const RawOp& op, Block& block, bool combining) {
    Instruction made;
    made.in = op.operands;
    made.out = op.results;
    made.place = place(op.where);
    const OpRow* row = find_op(op.name);
    Builder builder(program_, op, made, combining);
    const bool combines = lane_by_lane(op);
    for (const RawRegion& raw : op.regions) {
      made.regions.emplace_back();
      if (!region(raw, made.regions.back(), combining || combines)) return false;
    }
    if (row == nullptr || builder.any_unknown()) {
      if (!builder.unsupported(row == nullptr ? "" : "type")) return false;
    } else {
      made.pure = row->pure;
      made.quiet = row->pure || leaves_memory(row->build);
      if (!row->build(builder, row->parameter)) return fail(op, builder.error);
    }
    if (made.run == nullptr) {
      made.run = run_unsupported;
      made.pure = false;
      const SourcePlace& at = program_.places[static_cast<std::size_t>(made.place)];
      program_.unsupported.push_back(builder.extra().text + " at " + at.file + ":" + std::to_string(at.line));
    }
    if (op.name == "tt.call" && made.extra->function < 0 && !call(op, made)) return false;
    block.code.push_back(std::move(made));
    return true;
  }

  bool call(const RawOp& op, Instruction& made) {
    const auto found = functions_.find(op.symbol);
    if (found == functions_.end()) return fail(op, "no function '@" + std::string(op.symbol) + "'");
    if (std::find(active_.begin(), active_.end(), found->second) != active_.end())
      return fail(op, "'@" + std::string(op.symbol) + "' calls itself");
    const RawFunction& raw = program_.raw.functions[static_cast<std::size_t>(found->second)];
    if (!same_types(raw.body.blocks.front().arguments, op.operands) ||
        raw.result_types.size() != op.results.size())
      return fail(op, "operands do not fit '@" + std::string(op.symbol) + "'");
    if (!program_.functions[static_cast<std::size_t>(found->second)].lowered && !function(found->second))
      return false;
    for (const RawBlock& block : raw.body.blocks)
      for (const RawOp& last : block.ops)
        if (last.name == "tt.return" && !same_types(last.operands, op.results))
          return fail(last, "returns other types than its caller expects");
    made.extra->function = found->second;
    return true;
  }

  int place(std::string_view where) {
    const auto [at, fresh] = places_.try_emplace(where, static_cast<int>(program_.places.size()));
    if (fresh) program_.places.push_back(program_.raw.place(where));
    return at->second;
  }

  ProgramImpl& program_;
  std::unordered_map<std::string_view, int> functions_;
  std::unordered_map<std::string_view, int> places_;
  std::vector<int> active_;
  std::string error_;
};

}  // namespace

const OpRow* find_op(std::string_view name) {
  static const std::unordered_map<std::string_view, OpRow> table = [] {
    std::unordered_map<std::string_view, OpRow> made;
#define KGB_VM_OP(name, builder, parameter, pure) made.emplace(name, OpRow{name, builder, parameter, pure});
#include "vm/ops.def"
#undef KGB_VM_OP
    return made;
  }();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : &found->second;
}

std::vector<std::string_view> operations() {
  std::vector<std::string_view> names{"cf.br",
                                      "cf.cond_br",
                                      "scf.condition",
                                      "scf.yield",
                                      "tt.func",
                                      "tt.map_elementwise.return",
                                      "tt.reduce.return",
                                      "tt.return",
                                      "tt.scan.return"};
#define KGB_VM_OP(name, builder, parameter, pure) names.emplace_back(name);
#include "vm/ops.def"
#undef KGB_VM_OP
  std::sort(names.begin(), names.end());
  return names;
}

bool Builder::unsupported(const std::string& detail) {
  extra().text = std::string(op.name) + (detail.empty() ? "" : " (" + detail + ")");
  made.run = nullptr;
  return true;
}

bool Builder::any_unknown() const {
  const auto unknown = [&](int value) { return type_of(value).kind == Type::Kind::unknown; };
  return std::any_of(op.operands.begin(), op.operands.end(), unknown) ||
         std::any_of(op.results.begin(), op.results.end(), unknown);
}

std::optional<std::int64_t> Builder::integer_attribute(std::string_view key) const {
  const std::string_view* text = op.attribute(key);
  std::int64_t value = 0;
  if (text == nullptr || std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc{})
    return std::nullopt;
  return value;
}

// "array<i32: 2, 0, 1>"
std::vector<std::int64_t> Builder::list_attribute(std::string_view key) const {
  std::vector<std::int64_t> out;
  const std::string_view* text = op.attribute(key);
  if (text == nullptr) return out;
  std::size_t at = text->find(':');
  while (at != std::string_view::npos && at < text->size()) {
    ++at;
    while (at < text->size() && (*text)[at] == ' ') ++at;
    std::int64_t value = 0;
    if (std::from_chars(text->data() + at, text->data() + text->size(), value).ec == std::errc{})
      out.push_back(value);
    at = text->find(',', at);
  }
  return out;
}

Status lower(ProgramImpl& program) {
  program.values.resize(program.raw.value_types.size());
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const Type& type = program.raw.types[static_cast<std::size_t>(program.raw.value_types[i])];
    program.values[i] = {&type, type.count, -1, -1, static_cast<std::uint8_t>(type.element_bytes())};
  }
  program.places.clear();
  return Lowering(program).run();
}

}  // namespace kgb::vm
