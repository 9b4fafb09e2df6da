// SPDX-License-Identifier: Apache-2.0
// Functions of expressions: sizes and dtypes of tensors, arithmetic helpers, random choices.
#include "catalogue/expression_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "catalogue/draw.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

using Value = ArgValue;
using Values = std::vector<Value>;
using Ints = std::vector<std::int64_t>;

constexpr FunctionRule kFunctions[] = {
    {"numel", 1, 1, false}, {"nbytes", 1, 1, false},  {"ndim", 1, 1, false},   {"shape", 1, 2, false},
    {"dtype", 1, 1, false}, {"len", 1, 1, false},     {"stride", 1, 2, false}, {"min", 1, 999, false},
    {"max", 1, 999, false}, {"abs", 1, 1, false},     {"cdiv", 2, 2, false},   {"sqrt", 1, 1, false},
    {"log2", 1, 1, false},  {"floor", 1, 1, false},   {"ceil", 1, 1, false},   {"complex", 2, 2, false},
    {"int", 2, 2, true},    {"choice", 1, 999, true}, {"dims", 3, 3, true},    {"any_dim", 1, 1, true},
    {"real", 2, 2, true},
};

Result<std::int64_t> whole(const Value& value, std::string_view what) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* flag = std::get_if<bool>(&value)) return std::int64_t{*flag ? 1 : 0};
  return user_error(fmt::format("{} needs an integer, got {}", what, kind_of(value)));
}

Result<double> real(const Value& value, std::string_view what) {
  if (const auto* number = std::get_if<double>(&value)) return *number;
  KGB_TRY(const std::int64_t integer, whole(value, what));
  return static_cast<double>(integer);
}

// The tensors of a list, without those that are None; nullopt for what is no list of tensors.
std::optional<std::vector<const TensorSpec*>> items_of(const Value& value) {
  std::vector<const TensorSpec*> out;
  if (const auto* list = std::get_if<TensorList>(&value)) {
    for (const auto& item : list->items)
      if (item) out.push_back(&*item);
  } else if (const auto* array = std::get_if<PointerArray>(&value)) {
    for (const TensorSpec& item : array->items) out.push_back(&item);
  } else {
    return std::nullopt;
  }
  return out;
}

// Elements or bytes of a tensor or list of tensors. Other values have none: an argument may be a tensor in
// one entry and a number in another, and costs are written once for both.
std::int64_t total(const Value& value, bool bytes) {
  const auto one = [bytes](const TensorSpec& spec) {
    return spec.numel() * (bytes ? static_cast<std::int64_t>(size_of(spec.dtype)) : 1);
  };
  if (const auto* spec = std::get_if<TensorSpec>(&value)) return one(*spec);
  std::int64_t sum = 0;
  if (const auto items = items_of(value)) {
    for (const TensorSpec* item : *items) sum += one(*item);
  }
  return sum;
}

Result<const TensorSpec*> tensor(const Value& value, std::string_view what) {
  if (const auto* spec = std::get_if<TensorSpec>(&value)) return spec;
  return user_error(fmt::format("{} needs a tensor, got {}", what, kind_of(value)));
}

Result<std::int64_t> size_at(const TensorSpec& spec, std::int64_t dim) {
  const auto rank = static_cast<std::int64_t>(spec.shape.size());
  const std::int64_t place = dim < 0 ? dim + rank : dim;
  if (rank == 0 && (dim == 0 || dim == -1)) return std::int64_t{1};  // torch lets a scalar have dimension 0
  if (place < 0 || place >= rank) {
    return user_error(fmt::format("dimension {} of a tensor of {} dimensions", dim, rank));
  }
  return spec.shape[static_cast<std::size_t>(place)];
}

Result<Value> shape(const Values& args) {
  KGB_TRY(const TensorSpec* spec, tensor(args[0], "shape"));
  if (args.size() == 1) return Value(spec->shape);
  if (std::holds_alternative<None>(args[1])) return Value(spec->numel());
  Ints dims;
  if (const auto* list = std::get_if<Ints>(&args[1])) {
    dims = *list;
    if (dims.empty()) return Value(spec->numel());  // torch reduces over all dimensions for an empty list
  } else {
    KGB_TRY(const std::int64_t dim, whole(args[1], "shape"));
    dims.push_back(dim);
  }
  std::int64_t product = 1;
  for (const std::int64_t dim : dims) {
    KGB_TRY(const std::int64_t size, size_at(*spec, dim));
    if (__builtin_mul_overflow(product, size, &product))
      return user_error("shape: the product does not fit 64 bits");
  }
  return Value(product);
}

Result<Value> of_tensor(const std::string& name, const Values& args) {
  if (name == "numel") return Value(total(args[0], false));
  if (name == "nbytes") return Value(total(args[0], true));
  if (name == "shape") return shape(args);
  if (name == "len") {
    if (const auto* list = std::get_if<Ints>(&args[0])) return Value(static_cast<std::int64_t>(list->size()));
    if (const auto* list = std::get_if<TensorList>(&args[0]))
      return Value(static_cast<std::int64_t>(list->items.size()));
    if (const auto items = items_of(args[0])) return Value(static_cast<std::int64_t>(items->size()));
    return user_error(fmt::format("len needs a list, got {}", kind_of(args[0])));
  }
  if (name == "dtype") {
    if (const auto items = items_of(args[0]); items && !items->empty()) {
      return Value(DTypeValue{items->front()->dtype});
    }
  }
  KGB_TRY(const TensorSpec* spec, tensor(args[0], name));
  if (name == "ndim") return Value(static_cast<std::int64_t>(spec->shape.size()));
  if (name == "dtype") return Value(DTypeValue{spec->dtype});
  if (args.size() == 1) return Value(spec->strides);
  KGB_TRY(const std::int64_t dim, whole(args[1], "stride"));
  const auto rank = static_cast<std::int64_t>(spec->strides.size());
  const std::int64_t place = dim < 0 ? dim + rank : dim;
  if (place < 0 || place >= rank) return user_error(fmt::format("dimension {} of {} strides", dim, rank));
  return Value(spec->strides[static_cast<std::size_t>(place)]);
}

Result<Value> extreme(const std::string& name, const Values& args) {
  Values numbers = args;
  if (const auto* list = std::get_if<Ints>(&args[0]); list != nullptr && args.size() == 1) {
    if (list->empty()) return user_error(fmt::format("{} of an empty list", name));
    numbers.assign(list->begin(), list->end());
  }
  Value best = numbers[0];
  for (const Value& value : numbers) {
    KGB_TRY(const double x, real(value, name));
    KGB_TRY(const double y, real(best, name));
    if (name == "min" ? x < y : x > y) best = value;
  }
  return best;
}

Result<Value> of_numbers(const std::string& name, const Values& args) {
  if (name == "min" || name == "max") return extreme(name, args);
  if (name == "cdiv") {
    KGB_TRY(const std::int64_t a, whole(args[0], name));
    KGB_TRY(const std::int64_t b, whole(args[1], name));
    if (b <= 0) return user_error("cdiv needs a positive divisor");
    return Value(a / b + (a % b > 0 ? 1 : 0));
  }
  if (name == "complex") {
    KGB_TRY(const double re, real(args[0], name));
    KGB_TRY(const double im, real(args[1], name));
    return Value(Complex{re, im});
  }
  if (const auto* integer = std::get_if<std::int64_t>(&args[0])) {
    if (name == "floor" || name == "ceil") return args[0];
    if (name == "abs" && *integer != std::numeric_limits<std::int64_t>::min())
      return Value(std::abs(*integer));
  }
  KGB_TRY(const double x, real(args[0], name));
  if (name == "abs") return Value(std::abs(x));
  if (name == "sqrt") return Value(std::sqrt(std::max(x, 0.0)));
  if (name == "log2") return Value(x > 0 ? std::log2(x) : 0.0);
  const double rounded = name == "floor" ? std::floor(x) : std::ceil(x);
  if (!(std::abs(rounded) < 0x1p53)) return user_error(fmt::format("{} of {} does not fit", name, x));
  return Value(static_cast<std::int64_t>(rounded));
}

Result<Value> random(const std::string& name, const Values& args, Draw& draw) {
  if (name == "any_dim") {
    std::int64_t rank = 0;
    if (const auto items = items_of(args[0]); items && !items->empty()) {
      rank = static_cast<std::int64_t>(items->front()->shape.size());
    } else {
      KGB_TRY(const TensorSpec* spec, tensor(args[0], name));
      rank = static_cast<std::int64_t>(spec->shape.size());
    }
    const std::int64_t span = std::max<std::int64_t>(rank, 1);
    return Value(draw.below(2 * span) - span);
  }
  if (name == "real") {
    KGB_TRY(const double lo, real(args[0], name));
    KGB_TRY(const double hi, real(args[1], name));
    return Value(draw.real(lo, hi));
  }
  KGB_TRY(const std::int64_t lo, whole(args[0], name));
  KGB_TRY(const std::int64_t hi, whole(args[1], name));
  if (lo > hi) return user_error(fmt::format("{}({}, {}): the range is empty", name, lo, hi));
  if (name == "int") return Value(draw.size(lo, hi));
  KGB_TRY(const std::int64_t most, whole(args[2], name));
  if (lo < 0 || hi > 16) return user_error("dims: ranks lie in 0 .. 16");
  if (most < 1 || most > (std::int64_t{1} << 32)) return user_error("dims: at most 2^32 elements");
  return Value(draw.dims(lo, hi, most));
}

}  // namespace

const FunctionRule* function_named(std::string_view name) {
  for (const FunctionRule& rule : kFunctions) {
    if (rule.name == name) return &rule;
  }
  return nullptr;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names;
  for (const FunctionRule& rule : kFunctions) names.emplace_back(rule.name);
  return names;
}

Result<ArgValue> call_function(const ExpressionNode& node, Scope& scope) {
  const FunctionRule* rule = function_named(node.name);
  if (rule->random && scope.draw() == nullptr) {
    return user_error(fmt::format("{} is random: only [[hidden]] may use it", node.name));
  }
  if (node.name == "choice") {  // only the chosen one is evaluated
    const auto count = static_cast<std::int64_t>(node.children.size());
    return evaluate_node(*node.children[static_cast<std::size_t>(scope.draw()->alternative(count))], scope);
  }
  Values args;
  for (const auto& child : node.children) {
    KGB_TRY(Value value, evaluate_node(*child, scope));
    args.push_back(std::move(value));
  }
  if (rule->random) return random(node.name, args, *scope.draw());
  for (const char* name : {"numel", "nbytes", "ndim", "shape", "dtype", "len", "stride"}) {
    if (node.name == name) return of_tensor(node.name, args);
  }
  return of_numbers(node.name, args);
}

}  // namespace kgb
