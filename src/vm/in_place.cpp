// SPDX-License-Identifier: Apache-2.0
// Tiles that are not copied: a load whose tile is used up before memory changes leaves it where it lies, and
// the operation whose result is only stored writes it there.
#include <algorithm>
#include <optional>

#include "vm/access.hpp"
#include "vm/handlers.hpp"
#include "vm/lower.hpp"

namespace kgb::vm {
namespace {

struct Bytes {
  std::uint64_t from = 0, size = 0;
  [[nodiscard]] bool apart(const Bytes& other) const {
    return from + size <= other.from || other.from + other.size <= from;
  }
};

// Where the store goes, if the whole tile may be written there: inside its buffer, without gaps, and over no
// operand but exactly.
std::byte* target_of(Frame& frame, const Instruction& producer, const Instruction& store) {
  const Type& type = frame.type(store.in[0]);
  const Value& pointer = frame.at(store.in[0]);
  if (pointer.form != Form::affine || type.rank() > kFormRank) return nullptr;
  const std::size_t bytes = frame.info(store.in[1]).bytes;
  auto size = static_cast<std::uint64_t>(store.row);
  const Value* only = store.imm[0] != 0 ? &frame.at(store.in[2]) : nullptr;
  if (whole_row(frame, pointer, only, store.row, bytes, Verb::store) != nullptr) {
    if (past_caches(frame, pointer.region, store.row)) return nullptr;
  } else {
    size = static_cast<std::uint64_t>(contiguous_bytes(pointer, type, bytes));
    if (size == 0) return nullptr;
    const Active active = active_lanes(frame, store.imm[0] != 0 ? store.in[2] : -1, type);
    if (active.kind != Active::Kind::box || !active.all ||
        check_affine(frame, pointer, type, active, bytes, Verb::store) < 0)
      return nullptr;
  }
  const Bytes target{static_cast<std::uint64_t>(pointer.bits), size};
  for (const int id : producer.in) {
    const Value& operand = frame.at(id);
    if (operand.form != Form::memory && operand.form != Form::dense) continue;
    const Bytes read{reinterpret_cast<std::uint64_t>(elements(frame, id)),
                     static_cast<std::uint64_t>(operand.n) * frame.info(id).bytes};
    if (!read.apart(target) && (read.from != target.from || read.size != target.size)) return nullptr;
  }
  return reinterpret_cast<std::byte*>(target.from);
}

void run_stored(Frame& frame, const Instruction& made) {
  const Instruction &producer = made.extra->pair[0], &store = made.extra->pair[1];
  Value& value = frame.at(store.in[1]);
  std::byte* const own = value.data;
  std::byte* const target = target_of(frame, producer, store);
  if (target != nullptr) value.data = target;
  producer.run(frame, producer);
  value.data = own;
  if (target != nullptr && store.row != 0) {
    const Value& pointer = frame.at(store.in[0]);
    if (const std::int64_t step = stream_step(frame, store, pointer))
      prefetch_row<true>(pointer.bits + step, store.row);
  }
  if (target == nullptr || value.form != Form::dense) store.run(frame, store);
}

class InPlace {
 public:
  InPlace(ProgramImpl& program, const std::vector<int>& uses) : program_(program), uses_(uses) {}

  void block(Block& block) {
    for (std::size_t k = 0; k < block.code.size(); ++k)
      if (block.code[k].run == handlers::run_store) pair(block, k);
    for (std::size_t i = 0; i < block.code.size(); ++i) {
      Instruction& made = block.code[i];
      const Handler inner = made.extra != nullptr ? made.extra->inner : nullptr;
      if (made.run == handlers::run_load || inner == handlers::run_load)
        made.imm[5] = may_stay(block, i, made.out[0]);
    }
  }

 private:
  [[nodiscard]] const Type& type(int value) const {
    return *program_.values[static_cast<std::size_t>(value)].type;
  }
  static std::ptrdiff_t count(const Instruction& made, int value) {
    return std::count(made.in.begin(), made.in.end(), value);
  }

  // Joins the store at `k` and what makes its value; what stands between, and changes nothing, moves before.
  void pair(Block& block, std::size_t k) {
    const int value = block.code[k].in[1];
    if (uses_[static_cast<std::size_t>(value)] != 1 || !type(value).tensor) return;
    std::size_t j = k;
    while (j > 0 && block.code[j - 1].out != std::vector<int>{value}) {
      if (!block.code[j - 1].quiet || !block.code[j - 1].regions.empty()) return;
      --j;
    }
    if (j == 0 || !block.code[j - 1].pure || !block.code[j - 1].spans) return;
    const auto producer = block.code.begin() + static_cast<std::ptrdiff_t>(j - 1);
    const auto store = block.code.begin() + static_cast<std::ptrdiff_t>(k);
    std::rotate(producer, producer + 1, store);  // now right before the store
    Instruction both;
    both.run = run_stored;
    both.place = store->place;
    both.in = (store - 1)->in;
    for (const int id : store->in)
      if (id != value) both.in.push_back(id);
    both.out = {value};
    both.extra = std::make_shared<Extra>();
    both.extra->pair = {std::move(*(store - 1)), std::move(*store)};
    *(store - 1) = std::move(both);
    block.code.erase(store);
  }

  // Position of the last use of a tile that every user reads before memory may change; nullopt if there is
  // another kind of use.
  std::optional<std::size_t> last_use(const Block& block, std::size_t from, int value) const {
    std::ptrdiff_t found = 0;
    std::size_t last = from;
    for (std::size_t i = from + 1; i < block.code.size(); ++i) {
      const Instruction& made = block.code[i];
      const std::ptrdiff_t here = count(made, value);
      if (here == 0) continue;
      if (!(made.quiet && made.regions.empty()) && made.run != run_stored) return std::nullopt;
      if (made.run == handlers::run_dot && made.in[2] == value) return std::nullopt;
      found += here;
      last = std::max(last, i);
      if (!made.view) continue;
      const auto later = last_use(block, i, made.out[0]);
      if (!later || !type(made.out[0]).floating()) return std::nullopt;
      last = std::max(last, *later);
    }
    if (found != uses_[static_cast<std::size_t>(value)]) return std::nullopt;
    return last;
  }

  // Integers are copied: an address is checked and used, and must not change between.
  bool may_stay(const Block& block, std::size_t from, int value) const {
    if (!type(value).floating() || !type(value).tensor || type(value).rank() > kFormRank) return false;
    const auto last = last_use(block, from, value);
    if (!last) return false;
    return std::all_of(block.code.begin() + static_cast<std::ptrdiff_t>(from),
                       block.code.begin() + static_cast<std::ptrdiff_t>(*last),
                       [](const Instruction& made) { return made.quiet && made.regions.empty(); });
  }

  ProgramImpl& program_;
  const std::vector<int>& uses_;
};

}  // namespace

void keep_in_place(ProgramImpl& program, const std::vector<int>& uses) {
  InPlace in_place(program, uses);
  each_block(program, [&](Block& block) { in_place.block(block); });
}

}  // namespace kgb::vm
