// SPDX-License-Identifier: Apache-2.0
// Reading of PTX text: declarations, predicates, opcodes with their modifiers, operands.
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "vm/ptx/ptx.hpp"

namespace kgb::vm::ptx {
namespace {

constexpr std::pair<std::string_view, Kind> kinds[] = {
    {"pred", Kind::pred},     {"b8", Kind::b8},         {"b16", Kind::b16},       {"b32", Kind::b32},
    {"b64", Kind::b64},       {"u8", Kind::u8},         {"u16", Kind::u16},       {"u32", Kind::u32},
    {"u64", Kind::u64},       {"s8", Kind::s8},         {"s16", Kind::s16},       {"s32", Kind::s32},
    {"s64", Kind::s64},       {"f16", Kind::f16},       {"bf16", Kind::bf16},     {"f32", Kind::f32},
    {"f64", Kind::f64},       {"f16x2", Kind::f16x2},   {"bf16x2", Kind::bf16x2}, {"e4m3x2", Kind::e4m3x2},
    {"e5m2x2", Kind::e5m2x2}, {"e2m1x2", Kind::e2m1x2}, {"tf32", Kind::tf32}};

struct Opcode {
  std::string_view name;
  Op op;
  int operands;  // sources
};
constexpr Opcode opcodes[] = {{"mov", Op::mov, 1},        {"add", Op::add, 2},
                              {"sub", Op::sub, 2},        {"mul", Op::mul, 2},
                              {"mad", Op::mad, 3},        {"fma", Op::fma, 3},
                              {"div", Op::div, 2},        {"rem", Op::rem, 2},
                              {"rcp", Op::rcp, 1},        {"sqrt", Op::sqrt, 1},
                              {"rsqrt", Op::rsqrt, 1},    {"ex2", Op::ex2, 1},
                              {"lg2", Op::lg2, 1},        {"tanh", Op::tanh, 1},
                              {"sin", Op::sin, 1},        {"cos", Op::cos, 1},
                              {"min", Op::min, 2},        {"max", Op::max, 2},
                              {"abs", Op::abs, 1},        {"neg", Op::neg, 1},
                              {"and", Op::bit_and, 2},    {"or", Op::bit_or, 2},
                              {"xor", Op::bit_xor, 2},    {"not", Op::bit_not, 1},
                              {"shl", Op::shl, 2},        {"shr", Op::shr, 2},
                              {"bfe", Op::bfe, 3},        {"bfi", Op::bfi, 4},
                              {"lop3", Op::lop3, 4},      {"prmt", Op::prmt, 3},
                              {"popc", Op::popc, 1},      {"clz", Op::clz, 1},
                              {"brev", Op::brev, 1},      {"selp", Op::selp, 3},
                              {"setp", Op::setp, 2},      {"copysign", Op::copysign, 2},
                              {"cvt", Op::cvt, 1},        {"membar", Op::nothing, -1},
                              {"fence", Op::nothing, -1}, {"griddepcontrol", Op::nothing, -1}};

struct Comparison {
  std::string_view name;
  Compare compare;
  bool unordered;
};
constexpr Comparison comparisons[] = {
    {"eq", Compare::eq, false}, {"ne", Compare::ne, false},   {"lt", Compare::lt, false},
    {"le", Compare::le, false}, {"gt", Compare::gt, false},   {"ge", Compare::ge, false},
    {"lo", Compare::lt, false}, {"ls", Compare::le, false},   {"hi", Compare::gt, false},
    {"hs", Compare::ge, false}, {"equ", Compare::eq, true},   {"neu", Compare::ne, true},
    {"ltu", Compare::lt, true}, {"leu", Compare::le, true},   {"gtu", Compare::gt, true},
    {"geu", Compare::ge, true}, {"num", Compare::num, false}, {"nan", Compare::nan, true}};

bool name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

class Reader {
 public:
  Reader(std::string_view text, int operands) : text_(text) {
    assembly_.registers = operands;
    operands_ = operands;
  }

  bool run() {
    while (next()) {
      if (token_ == "{" || token_ == "}" || token_ == ";") continue;
      if (token_ == ".reg" ? !declare() : !statement()) return false;
    }
    return refused_.empty();
  }

  Assembly assembly_;
  std::string refused_;

 private:
  bool refuse(std::string_view what) {
    if (refused_.empty()) refused_ = std::string(what);
    return false;
  }

  void skip_blanks() {
    while (at_ < text_.size()) {
      const std::string_view rest = text_.substr(at_);
      if (rest.starts_with("//"))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (rest.starts_with("/*"))
        at_ = std::min(text_.find("*/", at_), text_.size() - 2) + 2;
      else if (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\n' || rest[0] == '\r')
        ++at_;
      else
        return;
    }
  }

  // A word with its dots, or one character; a number with its sign.
  bool next() {
    skip_blanks();
    if (at_ >= text_.size()) {
      token_ = {};
      return false;
    }
    std::size_t end = at_;
    const bool sign =
        (text_[end] == '-' || text_[end] == '+') && end + 1 < text_.size() && name_char(text_[end + 1]);
    if (sign) ++end;
    const bool number = end < text_.size() && text_[end] >= '0' && text_[end] <= '9';
    while (end < text_.size() &&
           (name_char(text_[end]) ||
            (number && (text_[end] == '-' || text_[end] == '+') &&
             (text_[end - 1] == 'e' || text_[end - 1] == 'E') && !text_.substr(at_, 2).starts_with("0x"))))
      ++end;
    if (end == at_) ++end;
    token_ = text_.substr(at_, end - at_);
    at_ = end;
    return true;
  }

  [[nodiscard]] char peek() {
    skip_blanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool define(const std::string& name) {
    names_[name] = assembly_.registers++;
    return assembly_.registers <= 4096 || refuse("more than 4096 registers");
  }

  // ".reg .b32 a<2>, b;"
  bool declare() {
    if (!next() || token_.size() < 2 || token_[0] != '.') return refuse(".reg without a type");
    do {
      if (!next()) return refuse(".reg");
      const std::string name(token_);
      if (peek() == '<') {
        next();
        next();
        int count = 0;
        std::from_chars(token_.data(), token_.data() + token_.size(), count);
        if (count < 1 || count > 256 || !next() || token_ != ">") return refuse(".reg " + name);
        for (int i = 0; i < count; ++i)
          if (!define(name + std::to_string(i))) return false;
      } else if (!define(name)) {
        return false;
      }
      if (!next()) return refuse(".reg " + name);
    } while (token_ == ",");
    return token_ == ";" || refuse(".reg");
  }

  bool statement() {
    Step step;
    if (token_ == "@") {
      if (!next()) return refuse("@");
      if (token_ == "!") {
        step.negated = true;
        next();
      }
      step.predicate = find(token_);
      if (step.predicate < 0 || !next()) return refuse("@" + std::string(token_));
    }
    const std::string_view name = token_;
    int sources = 0;
    if (!opcode(name, step, sources)) return false;
    if (step.op == Op::nothing) {
      while (next() && token_ != ";") {
      }
      return true;
    }
    if (!operands(name, step, sources)) return false;
    assembly_.steps.push_back(std::move(step));
    return assembly_.steps.size() <= 4096 || refuse("more than 4096 instructions");
  }

  bool modifier(std::string_view word, Step& step, std::vector<Kind>& types) {
    for (const auto& [name, kind] : kinds)
      if (name == word) {
        types.push_back(kind);
        return true;
      }
    for (const Comparison& row : comparisons)
      if (step.op == Op::setp && row.name == word) {
        step.compare = row.compare;
        step.unordered = row.unordered;
        return true;
      }
    static constexpr std::pair<std::string_view, Round> roundings[] = {{"rn", Round::nearest},
                                                                       {"rz", Round::zero},
                                                                       {"rm", Round::down},
                                                                       {"rp", Round::up},
                                                                       {"rna", Round::nearest_away}};
    for (const auto& [name, round] : roundings) {
      const bool to_integral = word.size() == 3 && word.substr(0, 2) == name && word[2] == 'i';
      if (word != name && !to_integral) continue;
      step.round = round;
      step.integral = to_integral;
      return true;
    }
    if (word == "ftz") return step.ftz = true;
    if (word == "sat") return step.saturate = true;
    if (word == "satfinite") return step.finite = true;
    if (word == "relu") return step.relu = true;
    if (word == "NaN") return step.keep_nan = true;
    if (word == "hi" && step.op == Op::mul)
      step.op = Op::mul_hi;
    else if (word == "hi" && step.op == Op::mad)
      step.op = Op::mad_hi;
    else if (word == "wide" && step.op == Op::mul)
      step.op = Op::mul_wide;
    else if (word == "wide" && step.op == Op::mad)
      step.op = Op::mad_wide;
    else
      return word == "approx" || word == "full" ||
             (word == "lo" && (step.op == Op::mul || step.op == Op::mad));
    return true;
  }

  bool opcode(std::string_view name, Step& step, int& sources) {
    const std::size_t dot = std::min(name.find('.'), name.size());
    const auto row = std::find_if(std::begin(opcodes), std::end(opcodes),
                                  [&](const Opcode& o) { return o.name == name.substr(0, dot); });
    if (row == std::end(opcodes)) return refuse(name);
    step.op = row->op;
    sources = row->operands;
    if (step.op == Op::nothing) return true;
    std::vector<Kind> types;
    for (std::size_t at = dot; at < name.size();) {
      const std::size_t end = std::min(name.find('.', at + 1), name.size());
      if (!modifier(name.substr(at + 1, end - at - 1), step, types)) return refuse(name);
      at = end;
    }
    if (types.empty() || types.size() > 2 || (types.size() == 2) != (step.op == Op::cvt)) return refuse(name);
    step.type = types.front();
    step.from = types.back();
    if (step.op == Op::cvt) {
      const bool packs =
          step.from == Kind::f32 &&
          (step.type == Kind::f16x2 || step.type == Kind::bf16x2 || step.type >= Kind::e4m3x2) &&
          step.type != Kind::tf32;
      sources = packs ? 2 : 1;
    }
    return executable(step) || refuse(name);
  }

  // Combinations of operation, type and rounding that run() knows.
  static bool executable(const Step& step) {
    const Kind t = step.type;
    const bool real = is_float(t), pair = t == Kind::f16x2 || t == Kind::bf16x2;
    const bool integer = t >= Kind::b8 && t <= Kind::s64;
    const bool directed = step.round != Round::nearest;
    switch (step.op) {
      case Op::mov:
      case Op::selp:
        return real || integer || pair || t == Kind::pred;
      case Op::bit_and:
      case Op::bit_or:
      case Op::bit_xor:
      case Op::bit_not:
        return integer || t == Kind::pred;
      case Op::add:
      case Op::sub:
      case Op::mul:
        return integer || (real && !(directed && t == Kind::f64)) || (pair && !directed);
      case Op::fma:
        return (real && !(directed && t == Kind::f64)) || (pair && !directed);
      case Op::min:
      case Op::max:
      case Op::abs:
      case Op::neg:
        return integer || real || pair;
      case Op::div:
        return (integer || real) && !directed;
      case Op::rcp:
      case Op::sqrt:
      case Op::rsqrt:
        return (t == Kind::f32 || t == Kind::f64) && !directed;
      case Op::ex2:
      case Op::tanh:
        return t == Kind::f32 || t == Kind::f16 || t == Kind::bf16 || pair;
      case Op::lg2:
      case Op::sin:
      case Op::cos:
        return t == Kind::f32;
      case Op::copysign:
        return t == Kind::f32 || t == Kind::f64;
      case Op::setp:
        return integer || real || pair;
      case Op::cvt:
        return convertible(step);
      case Op::mul_wide:
      case Op::mad_wide:
        return integer && bits_of(t) <= 32;
      default:
        return integer;
    }
  }

  static bool convertible(const Step& step) {
    const Kind to = step.type, from = step.from;
    const bool int_to = to >= Kind::b8 && to <= Kind::s64, int_from = from >= Kind::b8 && from <= Kind::s64;
    if (to == Kind::tf32) return from == Kind::f32 && step.round != Round::down && step.round != Round::up;
    if (step.round == Round::nearest_away) return false;
    if (to >= Kind::e4m3x2) return (from == Kind::f32 || from == Kind::f16x2) && step.round == Round::nearest;
    if (from >= Kind::e4m3x2) return to == Kind::f16x2 && from != Kind::tf32;
    if (to == Kind::f16x2 || to == Kind::bf16x2) return from == Kind::f32;
    if (int_from && is_float(to)) return step.round == Round::nearest || bits_of(from) <= 32;
    if (int_from || is_float(from)) return int_to || is_float(to);
    return false;
  }

  [[nodiscard]] int find(std::string_view name) const {
    if (name.size() > 1 && name[0] == '$') {
      int index = -1;
      const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), index);
      return error == std::errc{} && end == name.data() + name.size() && index >= 0 && index < operands_
                 ? index
                 : -1;
    }
    const auto found = names_.find(std::string(name));
    return found == names_.end() ? -1 : found->second;
  }

  // "0f3F800000", "0x7F", "-1", "1.5".
  static bool immediate(std::string_view word, Kind kind, std::uint64_t& bits) {
    const std::string text(word);
    char* end = nullptr;
    if (text.size() == 10 && (text.starts_with("0f") || text.starts_with("0F"))) {
      bits = std::strtoull(text.c_str() + 2, &end, 16);
      return *end == '\0';
    }
    if (text.size() == 18 && (text.starts_with("0d") || text.starts_with("0D"))) {
      bits = std::strtoull(text.c_str() + 2, &end, 16);
      return *end == '\0';
    }
    const bool hex = text.starts_with("0x") || text.starts_with("0X") || text.starts_with("-0x");
    if (!hex && text.find_first_of(".eE") != std::string::npos) {
      if (!is_float(kind)) return false;
      bits = float_bits(kind, std::strtod(text.c_str(), &end));
      return *end == '\0';
    }
    if (text.empty() || (is_float(kind) && !hex && kind >= Kind::f32)) return false;
    const bool negative = text[0] == '-';
    const std::uint64_t magnitude = std::strtoull(text.c_str() + (negative ? 1 : 0), &end, 0);
    bits = negative ? 0 - magnitude : magnitude;
    return *end == '\0' || std::string_view(end) == "U" || std::string_view(end) == "u";
  }

  // A register, a constant or a vector "{a, b}" of them.
  bool value(std::string_view name, Kind kind, std::vector<Operand>& out, bool destination = false) {
    if (!next()) return refuse(name);
    if (token_ == "{") {
      if (++depth_ > 1) return refuse(name);
      do {
        if (!value(name, kind, out, destination)) return false;
      } while (next() && token_ == ",");
      --depth_;
      return token_ == "}" || refuse(name);
    }
    if (destination && token_ == "_") {
      out.push_back({});
      return true;
    }
    Operand operand;
    operand.index = find(token_);
    if (operand.index < 0 && (destination || !immediate(token_, kind, operand.value)))
      return refuse(std::string(name) + " with " + std::string(token_));
    out.push_back(operand);
    return true;
  }

  bool operands(std::string_view name, Step& step, int sources) {
    std::vector<Operand> results;
    const bool vector_result = peek() == '{';
    if (!value(name, Kind::none, results, true)) return false;
    if (peek() == '|') {
      next();
      if (!value(name, Kind::none, results, true)) return false;
    }
    for (const Operand& result : results) step.out.push_back(result.index);
    bool vector_source = false;
    while (next() && token_ == ",") {
      vector_source = vector_source || peek() == '{';
      const Kind kind = step.op == Op::cvt                           ? step.from
                        : step.op == Op::selp && step.in.size() == 2 ? Kind::pred
                                                                     : step.type;
      if (!value(name, kind, step.in)) return false;
    }
    if (token_ != ";" && !token_.empty()) return refuse(name);
    if (vector_result || vector_source) return vectors(name, step, vector_result);
    const bool two = step.out.size() == 2;
    return (static_cast<int>(step.in.size()) == sources && step.out.size() <= 2 &&
            (!two || step.op == Op::setp)) ||
           refuse(name);
  }

  // mov between a register and the pieces of it.
  bool vectors(std::string_view name, Step& step, bool result) {
    const std::size_t pieces = result ? step.out.size() : step.in.size(),
                      single = result ? step.in.size() : step.out.size();
    const unsigned bits = bits_of(step.type);
    if (step.op != Op::mov || single != 1 || pieces < 2 || pieces > 8 || bits % pieces != 0)
      return refuse(name);
    step.op = result ? Op::unpack : Op::pack;
    return true;
  }

  std::string_view text_, token_;
  std::size_t at_ = 0;
  int operands_ = 0, depth_ = 0;
  std::unordered_map<std::string, int> names_;
};

}  // namespace

std::optional<Assembly> parse(std::string_view text, int operands, std::string& refused) {
  Reader reader(text, operands);
  if (!reader.run()) {
    refused = reader.refused_;
    return std::nullopt;
  }
  return std::move(reader.assembly_);
}

}  // namespace kgb::vm::ptx
