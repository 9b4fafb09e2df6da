// SPDX-License-Identifier: Apache-2.0
// tt.elementwise_inline_asm: straight-line PTX over groups of packed elements.
#include <algorithm>
#include <cstring>

#include "vm/builder.hpp"
#include "vm/elementwise.hpp"
#include "vm/ptx/ptx.hpp"

namespace kgb::vm {
namespace {

// How one value's elements lie in registers: Triton puts as many as fit into 32 bits, but no more than a
// group has.
std::int64_t per_register(const Type& type, std::int64_t pack) {
  return std::clamp<std::int64_t>(4 / static_cast<std::int64_t>(type.element_bytes()), 1, pack);
}

void run_group(Frame& frame, const Instruction& made, std::int64_t group,
               std::vector<std::uint64_t>& registers, const std::vector<std::byte*>& data) {
  const std::int64_t pack = made.imm[0];
  std::fill(registers.begin(), registers.end(), 0);
  const auto walk = [&](std::size_t value, int id, std::size_t& next, bool reads) {
    const std::size_t bytes = frame.info(id).bytes;
    const std::int64_t per = per_register(frame.type(id), pack);
    for (std::int64_t p = 0; p < pack; ++p) {
      std::byte* at = data[value] + static_cast<std::size_t>(group * pack + p) * bytes;
      std::uint64_t bits = 0;
      const auto shift = static_cast<unsigned>(p % per) * 8 * static_cast<unsigned>(bytes);
      if (reads) {
        std::memcpy(&bits, at, bytes);
        registers[next] |= bits << shift;
      } else {
        bits = registers[next] >> shift;
        std::memcpy(at, &bits, bytes);
      }
      if ((p + 1) % per == 0 || p + 1 == pack) ++next;
    }
  };
  std::size_t next = static_cast<std::size_t>(made.imm[1]);
  for (std::size_t i = 0; i < made.in.size(); ++i) walk(made.out.size() + i, made.in[i], next, true);
  ptx::run(*made.extra->assembly, registers.data());
  next = 0;
  for (std::size_t i = 0; i < made.out.size(); ++i) walk(i, made.out[i], next, false);
}

// imm: 0 elements per group, 1 registers of the results.
void run_asm(Frame& frame, const Instruction& made) {
  const std::int64_t pack = made.imm[0];
  const bool uniform = pack == 1 && std::all_of(made.in.begin(), made.in.end(),
                                                [&](int id) { return frame.at(id).form == Form::splat; });
  std::vector<std::byte*> data;
  for (const int id : made.out) data.push_back(frame.at(id).data);
  for (const int id : made.in)
    data.push_back(uniform ? reinterpret_cast<std::byte*>(&frame.at(id).bits) : elements(frame, id));
  std::vector<std::uint64_t> registers(static_cast<std::size_t>(made.extra->assembly->registers));
  const std::int64_t groups = uniform ? 1 : frame.at(made.out[0]).n / pack;
  const auto cost = static_cast<std::int64_t>(made.extra->assembly->steps.size()) * 8;
  for (std::int64_t group = 0; group < groups; ++group) {
    run_group(frame, made, group, registers, data);
    frame.cost += cost;
    if (frame.cost >= kCostBatch && !frame.count_steps(&made)) return;
  }
  for (const int id : made.out) {
    Value& out = frame.at(id);
    out.region = kAnyRegion;
    out.set_dense();
    if (!uniform) continue;
    std::int64_t bits = 0;
    std::memcpy(&bits, out.data, frame.info(id).bytes);
    out.set_splat(bits);
  }
  frame.steps += static_cast<std::uint64_t>(groups) * made.extra->assembly->steps.size() >> 6;
}

// MLIR prints bytes that are no plain text as "\0A".
std::string unescaped(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
  };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else if (text[i] == '\\' && i + 1 < text.size()) {
      out += text[++i];
    } else {
      out += text[i];
    }
  }
  return out;
}

// "=r,=r,r": counts of results and operands; false for a constraint of another kind.
bool constraints(std::string_view text, int& results, int& operands) {
  results = operands = 0;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view one = text.substr(0, comma);
    text.remove_prefix(std::min(comma + 1, text.size()));
    const std::string_view letter = one.starts_with('=') ? one.substr(1) : one;
    if (letter.size() != 1 || std::string_view("rhlfdbcq").find(letter) == std::string_view::npos)
      return false;
    if (one.size() == 2 && operands > 0) return false;
    ++(one.size() == 2 ? results : operands);
  }
  return true;
}

}  // namespace

bool build_asm(Builder& b, int) {
  const std::string_view* list = b.op.attribute("constraints");
  const std::int64_t pack = b.integer_attribute("packed_element").value_or(0);
  if (list == nullptr || list->size() < 2 || b.outputs() == 0 || pack < 1 || pack > 64)
    return b.malformed("no constraints, results or packed_element");
  const std::string_view* pure = b.op.attribute("pure");
  if (pure == nullptr || *pure != "true") b.made.pure = false;
  int results = 0, operands = 0;
  if (!constraints(list->substr(1, list->size() - 2), results, operands))
    return b.unsupported("constraints " + std::string(*list));
  std::int64_t needs_results = 0, needs_operands = 0;
  for (std::size_t i = 0; i < b.outputs() + b.inputs(); ++i) {
    const bool result = i < b.outputs();
    const Type& type = result ? b.out(i) : b.in(i - b.outputs());
    if (type.kind == Type::Kind::descriptor || type.is(DType::b8)) return b.unsupported(type.text);
    if (!type.same_shape(b.out())) return b.malformed("operands and results differ in shape");
    const std::int64_t per = per_register(type, pack);
    (result ? needs_results : needs_operands) += (pack + per - 1) / per;
  }
  if (b.out().count % pack != 0) return b.unsupported("a group larger than the tile");
  if (needs_results != results || needs_operands != operands)
    return b.unsupported("constraints " + std::string(*list) + " for " + std::to_string(needs_results) +
                         " results and " + std::to_string(needs_operands) + " operands");
  std::string refused;
  auto assembly = ptx::parse(unescaped(b.op.literal), results + operands, refused);
  if (!assembly) return b.unsupported("PTX " + refused);
  b.extra().assembly = std::make_shared<const ptx::Assembly>(std::move(*assembly));
  b.made.imm = {pack, results};
  b.made.run = run_asm;
  return true;
}

}  // namespace kgb::vm
