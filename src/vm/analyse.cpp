// SPDX-License-Identifier: Apache-2.0
// Analysis: hoisting of program-invariant operations, buffers that may change owner, and slots by lifetime.
#include <algorithm>
#include <map>
#include <numeric>

#include "vm/handlers.hpp"
#include "vm/lower.hpp"
#include "vm/value.hpp"

namespace kgb::vm {
namespace {

struct Interval {
  std::int64_t first = INT64_MAX, last = -1;
  void cover(std::int64_t at) {
    first = std::min(first, at);
    last = std::max(last, at);
  }
};

class Analysis {
 public:
  explicit Analysis(ProgramImpl& program)
      : program_(program),
        count_(program.values.size()),
        intervals_(count_),
        group_(count_),
        uses_(count_, 0),
        invariant_(count_, 0),
        derived_(count_, 0) {
    std::iota(group_.begin(), group_.end(), 0);
  }

  void run() {
    for (const int value : entry().blocks.front().arguments) invariant_[index(value)] = 1;
    for (FunctionCode& function : program_.functions)
      if (function.lowered) hoist(function.body);
    for (FunctionCode& function : program_.functions)
      if (function.lowered) count_uses(function.body);
    exchange_pairs(program_, uses_);
    combine_by_rows(program_, uses_);
    keep_in_place(program_, uses_);
    // Invariants and parameters live from before the first operation to after the last.
    for (const Instruction& made : program_.prologue) {
      for (const int value : made.in) intervals_[index(value)].cover(0);
      for (const int value : made.out) intervals_[index(value)].cover(0);
    }
    for (const int value : entry().blocks.front().arguments) intervals_[index(value)].cover(0);
    for (FunctionCode& function : program_.functions) {
      if (!function.lowered) continue;
      Scope all{nullptr, position_, {}};
      walk(function.body, &all);
      // A callee runs in the middle of its caller: nothing of it may share a slot.
      if (&function.body != &entry())
        for (const int value : all.touched) intervals_[index(value)].cover(0);
    }
    const std::int64_t end = ++position_;
    for (std::size_t i = 0; i < count_; ++i)
      if (intervals_[i].first == 0) intervals_[i].cover(end);
    place();
  }

 private:
  static std::size_t index(int value) { return static_cast<std::size_t>(value); }
  Code& entry() { return program_.functions[static_cast<std::size_t>(program_.entry)].body; }

  void hoist(Code& code) {
    for (Block& block : code.blocks) {
      std::vector<Instruction> kept;
      for (Instruction& made : block.code) {
        for (Code& inner : made.regions) hoist(inner);
        const bool free =
            made.pure && made.regions.empty() &&
            std::all_of(made.in.begin(), made.in.end(), [&](int v) { return invariant_[index(v)] != 0; });
        if (free)
          for (const int value : made.out) invariant_[index(value)] = 1;
        (free ? program_.prologue : kept).push_back(std::move(made));
      }
      block.code = std::move(kept);
    }
  }

  void count_uses(const Code& code) {
    for (const Block& block : code.blocks) {
      for (const Instruction& made : block.code) {
        for (const int value : made.in) ++uses_[index(value)];
        for (const Code& inner : made.regions) count_uses(inner);
      }
      for (const int value : block.operands) ++uses_[index(value)];
      for (const Target& target : block.targets)
        for (const int value : target.operands) ++uses_[index(value)];
    }
  }

  std::size_t root(std::size_t i) {
    while (group_[i] != static_cast<int>(i))
      i = static_cast<std::size_t>(group_[i] = group_[static_cast<std::size_t>(group_[i])]);
    return i;
  }
  // The two live equally long from now on.
  void tie(int a, int b) { group_[root(index(a))] = static_cast<int>(root(index(b))); }

  struct Scope {
    Scope* outer = nullptr;
    std::int64_t start = 0;
    std::vector<int> touched;
  };
  void touch(int value, Scope* scope) {
    intervals_[index(value)].cover(position_);
    if (scope != nullptr) scope->touched.push_back(value);
  }
  // What a loop touches but does not define must survive to the loop's end; so must what it carries.
  void close(Scope& scope, bool everything) {
    for (const int value : scope.touched) {
      Interval& live = intervals_[index(value)];
      if (everything || live.first < scope.start) {
        if (everything) live.cover(scope.start);
        live.cover(position_);
      }
      if (scope.outer != nullptr) scope.outer->touched.push_back(value);
    }
  }

  void walk(Code& code, Scope* outer) {
    // Several blocks may be left and entered in any order: all values live throughout.
    const bool many = code.blocks.size() > 1;
    Scope scope{outer, ++position_, {}};
    Scope* here = many ? &scope : outer;
    for (Block& block : code.blocks) {
      for (const int value : block.arguments) touch(value, here);
      for (Instruction& made : block.code) {
        block.cost += cost(made);
        instruction(made, block, here);
      }
      ++position_;
      for (const int value : block.operands) touch(value, here);
      for (const Target& target : block.targets)
        for (const int value : target.operands) touch(value, here);
    }
    if (!many) return;
    ++position_;
    close(scope, true);
  }

  // Elements that an operation makes, a product's multiplications by the vector; what runs inside of it
  // counts for itself.
  [[nodiscard]] std::int64_t cost(const Instruction& made) const {
    std::int64_t total = 1;
    for (const int value : made.out) total += program_.values[index(value)].type->count;
    if (made.run == handlers::run_dot) total += made.imm[1] * made.imm[2] * made.imm[3] * made.imm[4] / 32;
    return total;
  }

  void instruction(Instruction& made, Block& block, Scope* scope) {
    ++position_;
    for (const int value : made.in) touch(value, scope);
    if (made.run == handlers::run_for) return for_loop(made, scope);
    if (!made.regions.empty()) {
      const bool loops = made.run != handlers::run_if;
      Scope inner{scope, position_, {}};
      for (Code& code : made.regions) walk(code, loops ? &inner : scope);
      ++position_;
      for (const int value : made.in) touch(value, loops ? &inner : scope);
      if (loops) close(inner, true);
      if (made.run == handlers::run_if) branch_results(made);
    }
    for (const int value : made.out) touch(value, scope);
    if (made.view) {
      tie(made.out[0], made.in[0]);
      derived_[index(made.out[0])] = 1;
    }
    if (made.run == handlers::run_dot) take_accumulator(made, block);
  }

  // scf.if hands over its branch's buffer as the result's.
  void branch_results(Instruction& made) {
    for (const Code& code : made.regions)
      for (std::size_t i = 0; i < made.out.size() && i < code.blocks[0].operands.size(); ++i)
        tie(made.out[i], code.blocks[0].operands[i]);
    for (const int value : made.out) derived_[index(value)] = 1;
  }

  // The dot may add into the accumulator's own buffer if nobody else reads that.
  void take_accumulator(Instruction& made, const Block& block) {
    const int c = made.in[2];
    if (uses_[index(c)] != 1 || derived_[index(c)] != 0 || invariant_[index(c)] != 0) return;
    const bool argument =
        std::find(block.arguments.begin(), block.arguments.end(), c) != block.arguments.end();
    const bool local = std::any_of(block.code.begin(), block.code.end(), [&](const Instruction& other) {
      return std::find(other.out.begin(), other.out.end(), c) != other.out.end();
    });
    if (!argument && !local) return;
    made.imm[0] = 1;
    tie(c, made.out[0]);
  }

  void for_loop(Instruction& made, Scope* scope) {
    Code& code = made.regions[0];
    Scope inner{scope, position_, {}};
    for (const int value : made.in) inner.touched.push_back(value);
    walk(code, &inner);
    ++position_;
    const Block& block = code.blocks[0];
    code.swaps.assign(made.out.size(), 0);
    for (std::size_t i = 0; i < made.out.size(); ++i) {
      const int carried = block.arguments[i + 1], yielded = block.operands[i];
      const bool own = std::any_of(block.code.begin(), block.code.end(), [&](const Instruction& other) {
        return std::find(other.out.begin(), other.out.end(), yielded) != other.out.end();
      });
      const bool once = std::count(block.operands.begin(), block.operands.end(), yielded) == 1;
      if (own && once && derived_[index(yielded)] == 0) {
        code.swaps[i] = 1;
        tie(yielded, carried);
      }
      tie(made.out[i], carried);
      derived_[index(made.out[i])] = 1;
      intervals_[index(carried)].cover(inner.start);
      intervals_[index(yielded)].cover(position_);
    }
    for (const int value : block.arguments) {
      intervals_[index(value)].cover(inner.start);
      intervals_[index(value)].cover(position_);
    }
    close(inner, false);
    for (const int value : made.out) touch(value, scope);
  }

  static std::int64_t rounded(std::int64_t bytes) { return (bytes + 63) / 64 * 64; }

  void place() {
    for (std::size_t i = 0; i < count_; ++i) {
      Interval& whole = intervals_[root(i)];
      if (intervals_[i].last < 0) continue;
      whole.cover(intervals_[i].first);
      whole.cover(intervals_[i].last);
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < count_; ++i) {
      if (intervals_[i].last < 0) continue;  // in a function that nobody calls
      intervals_[i] = intervals_[root(i)];
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return intervals_[a].first < intervals_[b].first; });
    std::multimap<std::int64_t, std::size_t> live;                       // by last use
    std::multimap<std::int64_t, std::int64_t> free;                      // size -> offset
    std::map<std::size_t, std::pair<std::int64_t, std::int64_t>> taken;  // value -> (offset, size)
    for (const std::size_t i : order) {
      while (!live.empty() && live.begin()->first < intervals_[i].first) {
        const auto [offset, size] = taken[live.begin()->second];
        free.emplace(size, offset);
        live.erase(live.begin());
      }
      ValueInfo& info = program_.values[i];
      const std::int64_t data = rounded(info.capacity * info.bytes),
                         tables = rounded(table_bytes(*info.type));
      const std::int64_t size = data + tables;
      auto fit = free.lower_bound(size);
      std::int64_t offset = program_.frame_bytes, got = size;
      // A slot of more than twice the size is kept for what needs it.
      if (fit != free.end() && fit->first <= 2 * size) {
        offset = fit->second;
        got = fit->first;
        free.erase(fit);
      } else {
        program_.frame_bytes += size;
      }
      info.offset = offset;
      info.table_offset = tables > 0 ? offset + data : -1;
      taken[i] = {offset, got};
      live.emplace(intervals_[i].last, i);
    }
  }

  static std::int64_t table_bytes(const Type& type) {
    if (type.kind == Type::Kind::descriptor) return (2 * type.rank() + 1) * 8;
    if (type.floating() || type.rank() < 2 || type.rank() > kFormRank) return 0;
    return 8 * std::accumulate(type.shape.begin(), type.shape.end(), std::int64_t{0});
  }

  ProgramImpl& program_;
  std::size_t count_;
  std::vector<Interval> intervals_;
  std::vector<int> group_;
  std::vector<int> uses_;
  std::vector<std::uint8_t> invariant_;  // same for every program instance
  std::vector<std::uint8_t> derived_;    // its buffer belongs to another value
  std::int64_t position_ = 0;
};

}  // namespace

void analyse(ProgramImpl& program) {
  Analysis(program).run();
}

}  // namespace kgb::vm
