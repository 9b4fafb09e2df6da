// SPDX-License-Identifier: Apache-2.0
// Evaluation of expressions: integers stay integers and never overflow silently.
#include "catalogue/expression.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "catalogue/expression_functions.hpp"
#include "catalogue/expression_node.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

using Value = ArgValue;

// An operand as a number: bools count as 0 and 1.
struct Number {
  bool whole = true;
  std::int64_t integer = 0;
  double real = 0;
};

Result<Number> number_of(const Value& value, std::string_view what) {
  if (const auto* flag = std::get_if<bool>(&value)) return Number{true, *flag ? 1 : 0, *flag ? 1.0 : 0.0};
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return Number{true, *integer, static_cast<double>(*integer)};
  }
  if (const auto* real = std::get_if<double>(&value)) return Number{false, 0, *real};
  return user_error(fmt::format("{} needs a number, got {}", what, kind_of(value)));
}

constexpr std::string_view symbol(Op op) {
  switch (op) {
    case Op::add:
      return "+";
    case Op::subtract:
      return "-";
    case Op::multiply:
      return "*";
    case Op::divide:
      return "/";
    case Op::floor_divide:
      return "//";
    case Op::modulo:
      return "%";
    default:
      return "the comparison";
  }
}

Result<Value> whole_arithmetic(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  bool overflow = false;
  switch (op) {
    case Op::add:
      overflow = __builtin_add_overflow(a, b, &out);
      break;
    case Op::subtract:
      overflow = __builtin_sub_overflow(a, b, &out);
      break;
    case Op::multiply:
      overflow = __builtin_mul_overflow(a, b, &out);
      break;
    default: {
      if (b == 0) return user_error("division by zero");
      if (b == -1) {  // the one division that overflows
        overflow = op == Op::floor_divide && __builtin_sub_overflow(std::int64_t{0}, a, &out);
        break;
      }
      const std::int64_t remainder = a % b;
      const bool down = remainder != 0 && (remainder < 0) != (b < 0);
      out = op == Op::floor_divide ? a / b - (down ? 1 : 0) : remainder + (down ? b : 0);
    }
  }
  if (overflow) return user_error(fmt::format("{} {} {} does not fit 64 bits", a, symbol(op), b));
  return Value(out);
}

Result<Value> real_arithmetic(Op op, double a, double b) {
  switch (op) {
    case Op::add:
      return Value(a + b);
    case Op::subtract:
      return Value(a - b);
    case Op::multiply:
      return Value(a * b);
    default:
      break;
  }
  if (b == 0) return user_error("division by zero");
  if (op == Op::divide) return Value(a / b);
  if (op == Op::floor_divide) return Value(std::floor(a / b));
  return Value(a - b * std::floor(a / b));
}

Result<Value> arithmetic(Op op, const Value& a, const Value& b) {
  const auto* left = std::get_if<std::vector<std::int64_t>>(&a);
  const auto* right = std::get_if<std::vector<std::int64_t>>(&b);
  if (op == Op::add && left != nullptr && right != nullptr) {
    std::vector<std::int64_t> both = *left;
    both.insert(both.end(), right->begin(), right->end());
    if (both.size() > 4096) return user_error("a list of more than 4096 elements");
    return Value(std::move(both));
  }
  KGB_TRY(const Number x, number_of(a, symbol(op)));
  KGB_TRY(const Number y, number_of(b, symbol(op)));
  if (x.whole && y.whole && op != Op::divide) return whole_arithmetic(op, x.integer, y.integer);
  return real_arithmetic(op, x.real, y.real);
}

bool is_number(const Value& value) {
  return std::holds_alternative<bool>(value) || std::holds_alternative<std::int64_t>(value) ||
         std::holds_alternative<double>(value);
}

bool equal_values(const Value& a, const Value& b) {
  const auto* dtype = std::get_if<DTypeValue>(&a);
  const auto* text = std::get_if<std::string>(&b);
  if (dtype != nullptr && text != nullptr) return name_of(dtype->dtype) == *text;
  if (std::holds_alternative<std::string>(a) && std::holds_alternative<DTypeValue>(b))
    return equal_values(b, a);
  if (is_number(a) && is_number(b)) {
    const Number x = *number_of(a, ""), y = *number_of(b, "");
    return x.whole && y.whole ? x.integer == y.integer : x.real == y.real;
  }
  return a == b;
}

Result<Value> ordering(Op op, const Value& a, const Value& b) {
  KGB_TRY(const Number x, number_of(a, symbol(op)));
  KGB_TRY(const Number y, number_of(b, symbol(op)));
  const bool whole = x.whole && y.whole;
  const bool less = whole ? x.integer < y.integer : x.real < y.real;
  const bool greater = whole ? x.integer > y.integer : x.real > y.real;
  switch (op) {
    case Op::less:
      return Value(less);
    case Op::greater:
      return Value(greater);
    case Op::less_equal:
      return Value(less || (whole ? x.integer == y.integer : x.real == y.real));
    default:
      return Value(greater || (whole ? x.integer == y.integer : x.real == y.real));
  }
}

Result<bool> truth_of(const Value& value) {
  if (std::holds_alternative<None>(value)) return false;
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) return !list->empty();
  if (const auto* text = std::get_if<std::string>(&value)) return !text->empty();
  KGB_TRY(const Number number, number_of(value, "a condition"));
  return number.whole ? number.integer != 0 : number.real != 0;
}

Result<Value> element(const Value& list, const Value& index) {
  const auto* ints = std::get_if<std::vector<std::int64_t>>(&list);
  const auto* tensors = std::get_if<TensorList>(&list);
  const auto* at = std::get_if<std::int64_t>(&index);
  if ((ints == nullptr && tensors == nullptr) || at == nullptr) {
    return user_error(fmt::format("cannot index {} with {}", kind_of(list), kind_of(index)));
  }
  const auto count = static_cast<std::int64_t>(ints != nullptr ? ints->size() : tensors->items.size());
  const std::int64_t place = *at < 0 ? *at + count : *at;
  if (place < 0 || place >= count) return user_error(fmt::format("index {} of {} elements", *at, count));
  if (ints != nullptr) return Value((*ints)[static_cast<std::size_t>(place)]);
  const std::optional<TensorSpec>& item = tensors->items[static_cast<std::size_t>(place)];
  return item ? Value(*item) : Value(None{});
}

Result<Value> list_of(const ExpressionNode& node, Scope& scope) {
  std::vector<std::int64_t> items;
  for (const auto& child : node.children) {
    KGB_TRY(const Value value, evaluate_node(*child, scope));
    const auto* integer = std::get_if<std::int64_t>(&value);
    if (integer == nullptr) return user_error(fmt::format("a list holds integers, got {}", kind_of(value)));
    items.push_back(*integer);
  }
  return Value(std::move(items));
}

// `and`, `or` and `if` look only at what they need: the other side may not be defined.
Result<Value> lazy(const ExpressionNode& node, Scope& scope) {
  KGB_TRY(Value first, evaluate_node(*node.children[0], scope));
  KGB_TRY(const bool truth, truth_of(first));
  if (node.op == Op::conditional) return evaluate_node(*node.children[truth ? 1 : 2], scope);
  if (node.op == Op::logical_not) return Value(!truth);
  if (truth == (node.op == Op::logical_or)) return first;
  return evaluate_node(*node.children[1], scope);
}

}  // namespace

Result<ArgValue> evaluate_node(const ExpressionNode& node, Scope& scope) {
  switch (node.op) {
    case Op::literal:
      return node.value;
    case Op::name:
      return scope.lookup(node.name);
    case Op::list:
      return list_of(node, scope);
    case Op::call:
      return call_function(node, scope);
    case Op::conditional:
    case Op::logical_and:
    case Op::logical_or:
    case Op::logical_not:
      return lazy(node, scope);
    default:
      break;
  }
  KGB_TRY(const Value a, evaluate_node(*node.children[0], scope));
  if (node.op == Op::negate) {
    if (const auto* z = std::get_if<Complex>(&a)) return Value(Complex{-z->re, -z->im});
    KGB_TRY(const Number x, number_of(a, "-"));
    if (!x.whole) return Value(-x.real);
    return whole_arithmetic(Op::subtract, 0, x.integer);
  }
  KGB_TRY(const Value b, evaluate_node(*node.children[1], scope));
  if (node.op == Op::index) return element(a, b);
  if (node.op == Op::equal) return Value(equal_values(a, b));
  if (node.op == Op::not_equal) return Value(!equal_values(a, b));
  if (node.op >= Op::less && node.op <= Op::greater_equal) return ordering(node.op, a, b);
  return arithmetic(node.op, a, b);
}

Result<ArgValue> CallScope::lookup(const std::string& name) {
  std::vector<std::string> known;
  for (const Arg& arg : call_.args) {
    if (arg.name == name) return arg.value;
    known.push_back(arg.name);
  }
  if (const auto dtype = dtype_named(name)) return ArgValue(DTypeValue{*dtype});
  return user_error(fmt::format("{} is no argument{}", in_quotes(name), did_you_mean(name, known)));
}

Result<ArgValue> Expression::evaluate(Scope& scope) const {
  return evaluate_node(*root_, scope);
}

Result<std::int64_t> Expression::integer(Scope& scope) const {
  KGB_TRY(const Value value, evaluate(scope));
  if (const auto* flag = std::get_if<bool>(&value)) return std::int64_t{*flag ? 1 : 0};
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) {
    if (std::floor(*real) == *real && std::abs(*real) < 0x1p53) return static_cast<std::int64_t>(*real);
  }
  return user_error(fmt::format("{} gives {}, not an integer", in_quotes(text_), kind_of(value)));
}

Result<double> Expression::number(Scope& scope) const {
  KGB_TRY(const Value value, evaluate(scope));
  const auto number = number_of(value, in_quotes(text_));
  if (!number.ok()) return number.error();
  return number->real;
}

Result<bool> Expression::truth(Scope& scope) const {
  KGB_TRY(const Value value, evaluate(scope));
  return truth_of(value);
}

Result<DType> Expression::dtype(Scope& scope) const {
  KGB_TRY(const Value value, evaluate(scope));
  if (const auto* dtype = std::get_if<DTypeValue>(&value)) return dtype->dtype;
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (const auto named = dtype_named(*text)) return *named;
  }
  return user_error(fmt::format("{} gives {}, not a dtype", in_quotes(text_), kind_of(value)));
}

std::string_view kind_of(const ArgValue& value) {
  constexpr std::string_view names[] = {"None",
                                        "a tensor",
                                        "a list of tensors",
                                        "a pointer array",
                                        "a truth value",
                                        "an integer",
                                        "a real",
                                        "a complex number",
                                        "a text",
                                        "a dtype",
                                        "a list of integers",
                                        "a generator"};
  return names[value.index()];
}

}  // namespace kgb
