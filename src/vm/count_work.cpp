// SPDX-License-Identifier: Apache-2.0
// What one operation computes, by its name and types; docs/counters.md has the same as a table.
#include <algorithm>
#include <unordered_map>

#include "vm/count_state.hpp"
#include "vm/ptx/ptx.hpp"

namespace kgb::vm {
namespace {

using enum WorkKind;

// Operations with one result that work element by element. What only moves, chooses or renames bits is in
// none of the rows and counts nothing.
const std::unordered_map<std::string_view, WorkKind>& elementwise() {
  static const std::unordered_map<std::string_view, WorkKind> rows{
      {"arith.addf", add},
      {"arith.subf", add},
      {"arith.mulf", mul},
      {"math.fma", fma},
      {"arith.divf", div},
      {"tt.precise_divf", div},
      {"arith.remf", div},
      {"tt.precise_sqrt", special},
      {"arith.maxnumf", compare},
      {"arith.minnumf", compare},
      {"arith.maximumf", compare},
      {"arith.minimumf", compare},
      {"arith.cmpf", compare},
      {"tt.clampf", compare},
      {"math.floor", convert},
      {"math.ceil", convert},
      {"math.trunc", convert},
      {"math.round", convert},
      {"math.roundeven", convert},
      {"arith.sitofp", convert},
      {"arith.uitofp", convert},
      {"arith.fptosi", convert},
      {"arith.fptoui", convert},
      {"arith.extf", convert},
      {"arith.truncf", convert},
      {"tt.fp_to_fp", convert},
      {"arith.addi", integer},
      {"arith.subi", integer},
      {"arith.muli", integer},
      {"arith.divsi", integer},
      {"arith.divui", integer},
      {"arith.remsi", integer},
      {"arith.remui", integer},
      {"arith.ceildivsi", integer},
      {"arith.ceildivui", integer},
      {"arith.floordivsi", integer},
      {"arith.shli", integer},
      {"arith.shrsi", integer},
      {"arith.shrui", integer},
      {"arith.andi", integer},
      {"arith.ori", integer},
      {"arith.xori", integer},
      {"arith.minsi", integer},
      {"arith.maxsi", integer},
      {"arith.minui", integer},
      {"arith.maxui", integer},
      {"arith.cmpi", integer},
      {"arith.mulsi_extended", integer},
      {"arith.mului_extended", integer},
      {"tt.mulhiui", integer},
      {"tt.addptr", integer},
      {"math.absi", integer},
      {"math.ctlz", integer},
      {"math.cttz", integer},
      {"math.ctpop", integer},
  };
  return rows;
}

std::string type_name(DType dtype) {
  return dtype == DType::b8 ? "i1" : std::string(name_of(dtype));
}

class OperationWork {
 public:
  OperationWork(const ProgramImpl& program, const RawOp& op, const Instruction& made, std::uint64_t times,
                WorkSum& sum)
      : program_(program), op_(op), made_(made), times_(times), sum_(sum) {}

  void run() {
    if (op_.name == "tt.dot") return dot();
    if (op_.name == "tt.dot_scaled") return scaled_dot();
    if (op_.name == "tt.extern_elementwise") return libdevice();
    if (op_.name == "tt.elementwise_inline_asm") return assembly();
    if (op_.name == "tt.histogram") return put(integer, type_name(out().dtype), elements(in(0)));
    if (op_.results.empty() || op_.operands.empty()) return;
    const auto row = elementwise().find(op_.name);
    if (row != elementwise().end()) {
      const bool compares = op_.name.starts_with("arith.cmp");
      const Type& typed = compares ? in(0) : out();
      return put(row->second, typed.pointer() ? "i64" : type_name(typed.dtype), elements(out()));
    }
    static constexpr std::string_view free[] = {"math.absf", "math.copysign"};
    if (op_.name.starts_with("math.") &&
        std::find(std::begin(free), std::end(free), op_.name) == std::end(free))
      put(special, type_name(out().dtype), elements(out()));
  }

 private:
  [[nodiscard]] const Type& type(int value) const {
    return *program_.values[static_cast<std::size_t>(value)].type;
  }
  [[nodiscard]] const Type& in(std::size_t i) const { return type(op_.operands[i]); }
  [[nodiscard]] const Type& out() const { return type(op_.results[0]); }
  static std::uint64_t elements(const Type& type) { return static_cast<std::uint64_t>(type.count); }
  void put(WorkKind kind, std::string of, std::uint64_t count) {
    if (count > 0) sum_[{kind, std::move(of)}] += times_ * count * (kind == fma ? 2 : 1);
  }

  // imm: 1 batch, 2 m, 3 n, 4 k; zeros where the product cannot be executed.
  [[nodiscard]] std::uint64_t product() const {
    return 2 * static_cast<std::uint64_t>(made_.imm[1] * made_.imm[2] * made_.imm[3] * made_.imm[4]);
  }

  void dot() {
    const std::string_view* precision = op_.attribute("inputPrecision");
    static constexpr struct {
      std::string_view precision, type;
      std::uint64_t products;
    } rows[] = {{"tf32", "tf32", 1}, {"tf32x3", "tf32", 3}, {"bf16x3", "bf16", 3}, {"bf16x6", "bf16", 6}};
    for (const auto& row : rows)
      if (precision != nullptr && *precision == row.precision && in(0).is(DType::f32))
        return put(WorkKind::dot, std::string(row.type), row.products * product());
    put(WorkKind::dot, type_name(in(0).dtype), product());
  }

  void scaled_dot() {
    const auto half = [&](const char* side) {
      const std::string_view* format = op_.attribute(side);
      return format != nullptr && *format == "fp16";
    };
    put(WorkKind::dot, half("lhs") || half("rhs") ? "f16" : "bf16", product());
  }

  void libdevice() {
    if (made_.extra == nullptr || made_.extra->libdevice == nullptr) return;
    const numeric::LibdeviceFunction& function = *made_.extra->libdevice;
    const std::string_view name = function.name.substr(std::string_view("__nv_").size());
    static constexpr std::pair<std::string_view, WorkKind> stems[] = {
        {"fma", fma},        {"fadd", add},         {"dadd", add},     {"fsub", add},      {"dsub", add},
        {"fmul", mul},       {"dmul", mul},         {"fdiv", div},     {"ddiv", div},      {"frcp", div},
        {"drcp", div},       {"fast_fdiv", div},    {"fmin", compare}, {"fmax", compare},  {"is", compare},
        {"finite", compare}, {"floor", convert},    {"ceil", convert}, {"trunc", convert}, {"rint", convert},
        {"round", convert},  {"nearbyint", convert}};
    static constexpr std::string_view free[] = {"fabs", "copysign", "signbit"};
    const auto begins = [&](std::string_view stem) { return name.starts_with(stem); };
    if (std::any_of(std::begin(free), std::end(free), begins)) return;
    const std::string result = type_name(out().dtype);
    for (const auto& [stem, kind] : stems)
      if (begins(stem)) return put(kind, kind == compare ? type_name(in(0).dtype) : result, elements(out()));
    if (is_integral(out().dtype) && is_integral(in(0).dtype)) return put(integer, result, elements(out()));
    put(out().dtype != in(0).dtype ? convert : special, result, elements(out()));
  }

  // Each instruction, for each group of elements; those on pairs count two.
  void assembly() {
    if (made_.extra == nullptr || made_.extra->assembly == nullptr || made_.imm[0] == 0) return;
    const std::uint64_t groups = elements(out()) / static_cast<std::uint64_t>(made_.imm[0]);
    for (const ptx::Step& step : made_.extra->assembly->steps) instruction(step, groups);
  }

  void instruction(const ptx::Step& step, std::uint64_t groups) {
    using ptx::Kind;
    using ptx::Op;
    static const std::unordered_map<int, WorkKind> floats{
        {static_cast<int>(Op::add), add},      {static_cast<int>(Op::sub), add},
        {static_cast<int>(Op::mul), mul},      {static_cast<int>(Op::fma), fma},
        {static_cast<int>(Op::div), div},      {static_cast<int>(Op::rcp), div},
        {static_cast<int>(Op::sqrt), special}, {static_cast<int>(Op::rsqrt), special},
        {static_cast<int>(Op::ex2), special},  {static_cast<int>(Op::lg2), special},
        {static_cast<int>(Op::tanh), special}, {static_cast<int>(Op::sin), special},
        {static_cast<int>(Op::cos), special},  {static_cast<int>(Op::min), compare},
        {static_cast<int>(Op::max), compare},  {static_cast<int>(Op::setp), compare}};
    static constexpr Op free[] = {Op::mov, Op::pack, Op::unpack, Op::nothing, Op::selp, Op::copysign};
    if (std::find(std::begin(free), std::end(free), step.op) != std::end(free)) return;
    const bool pair = step.type == Kind::f16x2 || step.type == Kind::bf16x2;
    const bool real = pair || ptx::is_float(step.type);
    if (step.op == Op::cvt) return put(convert, ptx_type(step.type), groups);
    if (!real) return put(integer, ptx_type(step.type), groups);
    const auto row = floats.find(static_cast<int>(step.op));
    if (row != floats.end()) put(row->second, ptx_type(step.type), groups * (pair ? 2 : 1));
  }

  static std::string ptx_type(ptx::Kind kind) {
    using ptx::Kind;
    switch (kind) {
      case Kind::f16:
      case Kind::f16x2:
        return "f16";
      case Kind::bf16:
      case Kind::bf16x2:
        return "bf16";
      case Kind::f32:
        return "f32";
      case Kind::f64:
        return "f64";
      case Kind::e4m3x2:
        return "f8e4m3";
      case Kind::e5m2x2:
        return "f8e5m2";
      case Kind::e2m1x2:
        return "f4e2m1";
      case Kind::tf32:
        return "tf32";
      case Kind::pred:
        return "i1";
      default:
        return "i" + std::to_string(ptx::bits_of(kind));
    }
  }

  const ProgramImpl& program_;
  const RawOp& op_;
  const Instruction& made_;
  std::uint64_t times_;
  WorkSum& sum_;
};

}  // namespace

void add_work(const ProgramImpl& program, const RawOp& op, const Instruction& made, std::uint64_t times,
              WorkSum& sum) {
  OperationWork(program, op, made, times, sum).run();
}

}  // namespace kgb::vm
