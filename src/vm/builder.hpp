// SPDX-License-Identifier: Apache-2.0
// What the builder of an operation works with: the raw operation, its types, and the instruction to fill in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "vm/frame.hpp"
#include "vm/program.hpp"

namespace kgb::vm {

enum class Cast : std::uint8_t { extsi, extui, trunci, index, indexui, sitofp, uitofp, fptosi, fptoui, fp };

class Builder {
 public:
  Builder(ProgramImpl& impl, const RawOp& raw, Instruction& into, bool in_combine)
      : program(impl), op(raw), made(into), combining(in_combine) {}

  ProgramImpl& program;
  const RawOp& op;
  Instruction& made;
  bool combining;  // inside a reduce or scan region, where scalars stand for lanes
  std::string error;

  [[nodiscard]] std::size_t inputs() const { return op.operands.size(); }
  [[nodiscard]] std::size_t outputs() const { return op.results.size(); }
  [[nodiscard]] const Type& in(std::size_t i) const { return type_of(op.operands[i]); }
  [[nodiscard]] const Type& out(std::size_t i = 0) const { return type_of(op.results[i]); }
  [[nodiscard]] const Type& type_of(int value) const {
    return *program.values[static_cast<std::size_t>(value)].type;
  }
  // Both return false: the module is refused.
  bool malformed(const std::string& what) {
    error = "'" + std::string(op.name) + "': " + what;
    return false;
  }
  bool counts(std::size_t in_count, std::size_t out_count) {
    return (inputs() == in_count && outputs() == out_count) ||
           malformed("wrong number of operands or results");
  }
  // True: the module is accepted, reaching the operation is a finding. `detail` may be empty.
  bool unsupported(const std::string& detail = {});
  Extra& extra() {
    if (!made.extra) made.extra = std::make_shared<Extra>();
    return *made.extra;
  }
  [[nodiscard]] std::optional<std::int64_t> integer_attribute(std::string_view key) const;
  [[nodiscard]] std::vector<std::int64_t> list_attribute(std::string_view key) const;
  [[nodiscard]] bool any_unknown() const;  // a type that the machine does not know
};

using BuildFunction = bool (*)(Builder& b, int parameter);

#define KGB_VM_BUILDER(name) bool name(Builder& b, int parameter);
KGB_VM_BUILDER(build_binary)
KGB_VM_BUILDER(build_integer)
KGB_VM_BUILDER(build_division)
KGB_VM_BUILDER(build_extended)
KGB_VM_BUILDER(build_compare_int)
KGB_VM_BUILDER(build_compare_float)
KGB_VM_BUILDER(build_select)
KGB_VM_BUILDER(build_ternary)
KGB_VM_BUILDER(build_clamp)
KGB_VM_BUILDER(build_flushing)
KGB_VM_BUILDER(build_remainder)
KGB_VM_BUILDER(build_unary)
KGB_VM_BUILDER(build_extern)
KGB_VM_BUILDER(build_convert)
KGB_VM_BUILDER(build_bitcast)
KGB_VM_BUILDER(build_constant)
KGB_VM_BUILDER(build_poison)
KGB_VM_BUILDER(build_range)
KGB_VM_BUILDER(build_splat)
KGB_VM_BUILDER(build_expand)
KGB_VM_BUILDER(build_broadcast)
KGB_VM_BUILDER(build_reshape)
KGB_VM_BUILDER(build_trans)
KGB_VM_BUILDER(build_join)
KGB_VM_BUILDER(build_split)
KGB_VM_BUILDER(build_cat)
KGB_VM_BUILDER(build_gather)
KGB_VM_BUILDER(build_histogram)
KGB_VM_BUILDER(build_reduce)
KGB_VM_BUILDER(build_scan)
KGB_VM_BUILDER(build_map)
KGB_VM_BUILDER(build_dot)
KGB_VM_BUILDER(build_dot_scaled)
KGB_VM_BUILDER(build_asm)
KGB_VM_BUILDER(build_addptr)
KGB_VM_BUILDER(build_load)
KGB_VM_BUILDER(build_store)
KGB_VM_BUILDER(build_atomic)
KGB_VM_BUILDER(build_cas)
KGB_VM_BUILDER(build_descriptor)
KGB_VM_BUILDER(build_descriptor_load)
KGB_VM_BUILDER(build_descriptor_store)
KGB_VM_BUILDER(build_descriptor_gather)
KGB_VM_BUILDER(build_descriptor_scatter)
KGB_VM_BUILDER(build_descriptor_reduce)
KGB_VM_BUILDER(build_program_id)
KGB_VM_BUILDER(build_for)
KGB_VM_BUILDER(build_while)
KGB_VM_BUILDER(build_if)
KGB_VM_BUILDER(build_call)
KGB_VM_BUILDER(build_assert)
KGB_VM_BUILDER(build_print)
KGB_VM_BUILDER(build_nothing)
#undef KGB_VM_BUILDER

struct OpRow {
  std::string_view name;
  BuildFunction build;
  int parameter;
  bool pure;
};
// Null for an operation that is not in ops.def.
[[nodiscard]] const OpRow* find_op(std::string_view name);

}  // namespace kgb::vm
