// SPDX-License-Identifier: Apache-2.0
// 32-bit integers on their way into an address: which lanes wrapped is carried along, and blamed where it is
// used.
#include <algorithm>
#include <array>
#include <cstring>

#include "vm/sanitize_check.hpp"
#include "vm/sanitize_instrument.hpp"

namespace kgb::vm::checked {
namespace {

enum class Sum : std::uint8_t { add, sub, mul, shl };

std::int64_t exact(Sum op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case Sum::add:
      return a + b;
    case Sum::sub:
      return a - b;
    case Sum::mul:
      return a * b;
    default:
      return b < 0 || b > 31 ? 0 : a * (std::int64_t{1} << b);
  }
}

bool fits_32(std::int64_t value) {
  return value >= INT32_MIN && value <= INT32_MAX;
}

// Whether no lane can wrap, from the extremes of both operands.
bool surely_fits(Frame& frame, const Instruction& made, Sum op) {
  const auto range = [&](int id) -> std::optional<Range> {
    const Value& value = frame.at(id);
    if (!is_affine(value)) return std::nullopt;
    return range_of(value, frame.type(id));
  };
  const auto a = range(made.in[0]), b = range(made.in[1]);
  if (!a || !b) return false;
  for (const std::int64_t x : {a->low, a->high})
    for (const std::int64_t y : {b->low, b->high})
      if (!fits_32(exact(op, x, y))) return false;
  return true;
}

std::int32_t lane(const std::byte* data, std::int64_t i) {
  std::int32_t value = 0;
  std::memcpy(&value, data + 4 * i, 4);
  return value;
}

// Lanes that wrap in this operation; empty: none.
Wrapped wrapped_here(Frame& frame, const Instruction& made, Sum op) {
  Wrapped found;
  if (surely_fits(frame, made, op)) return found;
  static constexpr const char* signs[] = {" + ", " - ", " * ", " << "};
  const std::byte *a = elements(frame, made.in[0]), *b = elements(frame, made.in[1]);
  const std::int64_t n = frame.type(made.out[0]).count;
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t x = lane(a, i), y = lane(b, i);
    if (fits_32(exact(op, x, y))) continue;
    if (found.lanes.empty()) {
      found.lanes.assign(static_cast<std::size_t>(n), 0);
      found.place = made.place;
      found.text = std::to_string(x) + signs[static_cast<std::size_t>(op)] + std::to_string(y);
    }
    found.lanes[static_cast<std::size_t>(i)] = 1;
  }
  return found;
}

// The lanes of `out` that lane flags of an operand stand for; empty where that is not known.
std::vector<std::uint8_t> carried(const std::vector<std::uint8_t>& from, const Type& in, const Type& out,
                                  bool keeps_order) {
  const auto n = static_cast<std::size_t>(out.count);
  if (from.size() == 1) return std::vector<std::uint8_t>(n, from[0]);
  if (from.size() == n) return keeps_order ? from : std::vector<std::uint8_t>();
  if (in.rank() != out.rank()) return {};
  std::vector<std::uint8_t> to(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t rest = i, at = 0, step = 1;
    for (int d = out.rank() - 1; d >= 0; --d) {
      const auto e = static_cast<std::size_t>(d);
      const auto index = rest % static_cast<std::size_t>(out.shape[e]);
      rest /= static_cast<std::size_t>(out.shape[e]);
      if (in.shape[e] != 1) at += index * step;
      step *= static_cast<std::size_t>(in.shape[e]);
    }
    to[i] = from[at];
  }
  return to;
}

void merge(Wrapped& into, const Wrapped& from, std::vector<std::uint8_t> lanes) {
  if (std::find(lanes.begin(), lanes.end(), 1) == lanes.end()) return;
  if (into.lanes.empty()) {
    into = {std::move(lanes), from.place, from.text};
    return;
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) into.lanes[i] |= lanes[i];
}

}  // namespace

void run_index(Frame& frame, const Instruction& made) {
  FrameCheck* check = frame.check;
  if (check == nullptr || !check->launch->checks().overflow) return made.extra->inner(frame, made);
  if (check->wrapped_number != frame.number) {
    check->wrapped_number = frame.number;
    check->wrapped.clear();
  }
  Wrapped found;
  const std::uint32_t bits = made.extra->checks;
  if ((bits & kMayWrap) != 0) found = wrapped_here(frame, made, static_cast<Sum>(bits >> kSumShift & 3));
  if (!check->wrapped.empty())
    for (const int value : made.in) {
      const auto tainted = check->wrapped.find(value);
      if (tainted == check->wrapped.end()) continue;
      merge(found, tainted->second,
            carried(tainted->second.lanes, frame.type(value), frame.type(made.out[0]),
                    (bits & kPermutes) == 0));
    }
  made.extra->inner(frame, made);
  if (found.lanes.empty()) {
    if (!check->wrapped.empty()) check->wrapped.erase(made.out[0]);
  } else {
    check->wrapped[made.out[0]] = std::move(found);
  }
}

bool blame_wrapped(Frame& frame, const Instruction& made, int mask) {
  FrameCheck& check = *frame.check;
  if (check.wrapped.empty() || check.wrapped_number != frame.number) return false;
  const auto tainted = check.wrapped.find(made.in[0]);
  if (tainted == check.wrapped.end()) return false;
  const Wrapped& wrapped = tainted->second;
  const auto* active = mask < 0 ? nullptr : reinterpret_cast<const std::uint8_t*>(elements(frame, mask));
  for (std::size_t i = 0; i < wrapped.lanes.size(); ++i) {
    if (wrapped.lanes[i] == 0 || (active != nullptr && active[i] == 0)) continue;
    Instruction at;
    at.place = wrapped.place;
    const auto& places = frame.program->places;
    const SourcePlace& used = places[static_cast<std::size_t>(made.place)];
    std::vector<std::string> notes{
        "lane " + std::to_string(i) + " of the access" +
            (used.file.empty() ? "" : " at " + used.file + ":" + std::to_string(used.line)) + " uses it",
        "compute it in 64 bits: x.to(tl.int64)"};
    check.launch->report(frame, at, "offset_overflow",
                         "the 32-bit value " + wrapped.text + " wraps on its way into an address", -1, 0,
                         std::move(notes));
    frame.trapped = true;
    return true;
  }
  return false;
}

}  // namespace kgb::vm::checked
