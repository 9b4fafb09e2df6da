// SPDX-License-Identifier: Apache-2.0
// Values of arguments from their templates, by schema type.
#include "catalogue/resolver.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "catalogue/draw.hpp"
#include "catalogue/layout.hpp"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "model/generate.hpp"

namespace kgb {
namespace {

Error mismatch(const Parameter& parameter, const ArgValue& value) {
  return user_error(
      fmt::format("{} is {}, but its type is {}", parameter.name, kind_of(value), to_text(parameter.type)));
}

// An expression's value as the argument's type wants it.
Result<ArgValue> convert(const Parameter& parameter, ArgValue value) {
  const SchemaType& type = parameter.type;
  if (std::holds_alternative<None>(value)) {
    if (type.optional) return value;
    return mismatch(parameter, value);
  }
  const auto* integer = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  const bool number = integer != nullptr || real != nullptr;
  if (type.list) {
    if (std::holds_alternative<std::vector<std::int64_t>>(value)) return value;
    if (integer == nullptr || type.list_size < 1) return mismatch(parameter, value);
    return ArgValue(std::vector<std::int64_t>(
        static_cast<std::size_t>(std::min<std::int64_t>(type.list_size, 16)), *integer));
  }
  switch (type.base) {
    case BaseType::integer:
      if (integer != nullptr) return value;
      if (const bool* flag = std::get_if<bool>(&value)) return ArgValue(std::int64_t{*flag ? 1 : 0});
      if (real != nullptr && std::floor(*real) == *real && std::abs(*real) < 0x1p53) {
        return ArgValue(static_cast<std::int64_t>(*real));
      }
      break;
    case BaseType::real:
      if (integer != nullptr) return ArgValue(static_cast<double>(*integer));
      if (real != nullptr) return value;
      break;
    case BaseType::boolean:
      if (std::holds_alternative<bool>(value)) return value;
      break;
    case BaseType::scalar:
      if (number || std::holds_alternative<bool>(value) || std::holds_alternative<Complex>(value))
        return value;
      break;
    case BaseType::complex:
      if (integer != nullptr) return ArgValue(Complex{static_cast<double>(*integer), 0});
      if (real != nullptr) return ArgValue(Complex{*real, 0});
      if (std::holds_alternative<Complex>(value)) return value;
      break;
    case BaseType::dtype:
      if (std::holds_alternative<DTypeValue>(value)) return value;
      break;
    case BaseType::generator:
      if (std::holds_alternative<GeneratorValue>(value)) return value;
      break;
    default:
      if (std::holds_alternative<std::string>(value)) return value;
      break;
  }
  return mismatch(parameter, value);
}

Domain default_domain(DType dtype) {
  if (dtype == DType::b8) return {"bool", {0.5}};
  if (!is_integer(dtype)) return {"normal", {0, 1}};
  const bool natural =
      dtype == DType::u8 || dtype == DType::u16 || dtype == DType::u32 || dtype == DType::u64;
  return natural ? Domain{"integers", {0, 200}} : Domain{"integers", {-100, 100}};
}

// What any_float, any_int and any_finite draw from, unless the family says otherwise.
std::vector<std::string> domains_of(const std::string& kind, DType dtype, const Family& family) {
  if (dtype == DType::b8) return {"bool(0.5)", "bool(0.02)", "bool(0.98)"};
  if (is_integer(dtype)) {
    if (!family.any_int.empty()) return family.any_int;
    return {"integers(-100, 100)", "special", "ties(3)", "integers(0, 1)"};
  }
  if (kind == "any_finite") {
    if (!family.any_finite.empty()) return family.any_finite;
    return {"normal(0, 1)", "finite_special(0, 1)", "uniform(-8, 8)", "ties(4)",
            "precision",    "spike(100)",           "normal(3, 0.1)"};
  }
  if (!family.any_float.empty()) return family.any_float;
  return {"normal(0, 1)", "special(0, 1)", "uniform(-8, 8)", "finite_special(0, 2)", "ties(4)", "precision",
          "spike(1000)",  "large(1000)",   "subnormal"};
}

// The smallest storage that holds every element.
std::int64_t reach(const TensorSpec& spec) {
  if (spec.numel() == 0) return spec.offset;
  std::int64_t last = spec.offset;
  for (std::size_t d = 0; d < spec.shape.size(); ++d) last += (spec.shape[d] - 1) * spec.strides[d];
  return last + 1;
}

}  // namespace

Result<ArgValue> Resolver::lookup(const std::string& name) {
  if (const auto it = known_.find(name); it != known_.end()) return it->second;
  if (std::find(under_way_.begin(), under_way_.end(), name) != under_way_.end()) {
    return user_error(
        fmt::format("{} depends on itself: {} -> {}", name, fmt::join(under_way_, " -> "), name));
  }
  if (under_way_.size() > 64) return user_error("arguments depend on each other too deeply");
  under_way_.push_back(name);
  auto value = resolve(name);
  under_way_.pop_back();
  if (value.ok()) known_.emplace(name, *value);
  return value;
}

Result<ArgValue> Resolver::resolve(const std::string& name) {
  const Parameter* parameter = entry_.schema.find(name);
  const auto it = choices_.find(name);
  if (it != choices_.end()) {
    const Choice& choice = it->second;
    if (choice.arg->tensor && parameter != nullptr) return tensors(choice, *parameter);
    if (choice.arg->scalars.empty()) return user_error(fmt::format("{} has no value", name));
    return scalar(choice, parameter);
  }
  if (parameter != nullptr) {
    if (parameter->fallback) return *parameter->fallback;
    return user_error(
        fmt::format("the argument '{}' of {} has neither a value nor a default", name, entry_.name));
  }
  if (const auto dtype = dtype_named(name)) return ArgValue(DTypeValue{*dtype});
  std::vector<std::string> names;
  for (const Parameter& known : entry_.schema.parameters) names.push_back(known.name);
  for (const auto& [known, choice] : choices_) names.push_back(known);
  return user_error(
      fmt::format("{} is neither an argument nor a variable{}", in_quotes(name), did_you_mean(name, names)));
}

Result<ArgValue> Resolver::scalar(const Choice& choice, const Parameter* parameter) {
  const ScalarChoice& chosen = choice.arg->scalars[choice.scalar];
  if (const auto* text = std::get_if<std::string>(&chosen.value)) return ArgValue(*text);
  if (const auto* list = std::get_if<std::vector<Expression>>(&chosen.value)) {
    std::vector<std::int64_t> values;
    for (const Expression& item : *list) {
      KGB_TRY(const std::int64_t value, item.integer(*this));
      values.push_back(value);
    }
    return ArgValue(std::move(values));
  }
  KGB_TRY(ArgValue value, std::get<Expression>(chosen.value).evaluate(*this));
  if (parameter == nullptr) return value;
  return convert(*parameter, std::move(value));
}

Result<ArgValue> Resolver::tensors(const Choice& choice, const Parameter& parameter) {
  const TensorTemplate& t = *choice.arg->tensor;
  const ShapeChoice* shape = t.shapes.empty() ? nullptr : &t.shapes[choice.shape];
  if (!parameter.type.list) {
    KGB_TRY(TensorSpec spec, tensor(choice, parameter, shape));
    return ArgValue(std::move(spec));
  }
  std::vector<std::optional<TensorSpec>> items;
  if (!t.lists.empty()) {
    for (const ShapeChoice& item : t.lists[choice.list]) {
      KGB_TRY(const bool absent, is_none(item, parameter));
      if (absent) {
        items.emplace_back();
        continue;
      }
      KGB_TRY(TensorSpec spec, tensor(choice, parameter, &item));
      items.emplace_back(std::move(spec));
    }
  } else if (t.items) {
    KGB_TRY(const std::int64_t count, t.items->integer(*this));
    if (count < 0 || count > 4096) return user_error(fmt::format("{} tensors: must lie in 0 .. 4096", count));
    for (std::int64_t i = 0; i < count; ++i) {
      KGB_TRY(TensorSpec spec, tensor(choice, parameter, shape));
      items.emplace_back(std::move(spec));
    }
  }
  const auto pointers = entry_.pointer_arrays.find(parameter.name);
  if (pointers == entry_.pointer_arrays.end() || !pointers->second)
    return ArgValue(TensorList{std::move(items)});
  PointerArray array;
  for (std::optional<TensorSpec>& item : items) {
    if (!item) return user_error(fmt::format("{}: a pointer array has no None", parameter.name));
    array.items.push_back(*std::move(item));
  }
  return ArgValue(std::move(array));
}

// Whether an item of a Tensor?[] is None: its shape is the expression None.
Result<bool> Resolver::is_none(const ShapeChoice& shape, const Parameter& parameter) {
  if (!shape.whole) return false;
  KGB_TRY(const ArgValue value, shape.whole->evaluate(*this));
  if (!std::holds_alternative<None>(value)) return false;
  if (parameter.type.element_optional) return true;
  return user_error(
      fmt::format("{} has an item None, but its type is {}", parameter.name, to_text(parameter.type)));
}

Result<std::vector<std::int64_t>> Resolver::sizes(const ShapeChoice& shape) {
  if (shape.whole) {
    KGB_TRY(ArgValue value, shape.whole->evaluate(*this));
    if (auto* list = std::get_if<std::vector<std::int64_t>>(&value)) return std::move(*list);
    return user_error(
        fmt::format("{} gives {}, not a list of sizes", in_quotes(shape.whole->text()), kind_of(value)));
  }
  std::vector<std::int64_t> out;
  for (const Expression& size : shape.sizes) {
    KGB_TRY(const std::int64_t value, size.integer(*this));
    out.push_back(value);
  }
  return out;
}

Result<TensorSpec> Resolver::tensor(const Choice& choice, const Parameter& parameter,
                                    const ShapeChoice* shape) {
  const TensorTemplate& t = *choice.arg->tensor;
  TensorSpec spec;
  TensorSpec base;
  const TensorSpec* like = nullptr;
  if (!t.like.empty()) {
    KGB_TRY(const ArgValue value, lookup(t.like));
    const auto* found = std::get_if<TensorSpec>(&value);
    const auto* list = std::get_if<TensorList>(&value);
    if (found == nullptr && list != nullptr && !list->items.empty() && list->items.front())
      found = &*list->items.front();
    if (found == nullptr)
      return user_error(fmt::format("like = {}: that is {}", in_quotes(t.like), kind_of(value)));
    base = *found;
    like = &base;
  }
  if (shape != nullptr) {
    KGB_TRY(spec.shape, sizes(*shape));
  } else if (like != nullptr) {
    spec.shape = base.shape;
  }
  if (!t.dtypes.empty()) {
    KGB_TRY(spec.dtype, t.dtypes[choice.dtype].dtype(*this));
  } else if (like != nullptr) {
    spec.dtype = base.dtype;
  }
  spec.mutated = parameter.type.writes;
  spec.host_readable = std::find(entry_.host.begin(), entry_.host.end(), parameter.name) != entry_.host.end();
  KGB_CHECK(place(choice, like, shape != nullptr, spec));
  KGB_TRY(spec.domain, domain(choice, spec.dtype));
  KGB_CHECK(check_spec(spec));
  KGB_CHECK(check_domain(spec.domain));
  return spec;
}

// One of the layouts that the shape can have.
LayoutKind Resolver::any_layout(const std::string& argument, const TensorSpec& spec) {
  std::vector<std::string> names;
  TensorSpec plain = spec;
  apply_layout(LayoutKind::contiguous, plain);
  for (int i = 0; i < kLayoutKinds; ++i) {
    const auto kind = static_cast<LayoutKind>(i);
    TensorSpec laid = spec;
    apply_layout(kind, laid);
    if (kind == LayoutKind::contiguous || laid != plain) names.emplace_back(name_of(kind));
  }
  return *layout_named(names[draw_->pick("layout of " + argument, names)]);
}

// Strides, offset and storage.
Status Resolver::place(const Choice& choice, const TensorSpec* base, bool own_shape, TensorSpec& spec) {
  const TensorTemplate& t = *choice.arg->tensor;
  constexpr std::int64_t most = std::int64_t{1} << 42;
  std::int64_t count = 1;
  for (const std::int64_t size : spec.shape) {
    if (size < 0) return user_error(fmt::format("size {} is negative", size));
    if (__builtin_mul_overflow(count, size, &count) || count > most) return user_error("too many elements");
  }
  if (spec.shape.size() > 16) return user_error("more than 16 dimensions");
  LayoutKind kind = LayoutKind::contiguous;
  if (!t.layouts.empty()) {
    const std::string& name = t.layouts[choice.layout];
    if (name == "any" && draw_ == nullptr) return user_error("layout any is for [[hidden]] alone");
    kind = name == "any" ? any_layout(choice.arg->name, spec) : *layout_named(name);
  }
  apply_layout(kind, spec);
  const bool expanded =
      base != nullptr && std::find(base->strides.begin(), base->strides.end(), 0) != base->strides.end();
  if (t.layouts.empty() && base != nullptr && !own_shape && !(expanded && spec.mutated)) {
    spec.strides = base->strides;
    spec.offset = base->offset;
    spec.storage = base->storage;
  }
  if (t.strides) {
    KGB_TRY(spec.strides, sizes(*t.strides));
    for (const std::int64_t stride : spec.strides) {
      if (stride < 0 || stride > most)
        return user_error(fmt::format("stride {} is negative or too large", stride));
    }
    if (spec.strides.size() != spec.shape.size()) {
      return user_error(fmt::format("{} strides for {} dimensions", spec.strides.size(), spec.shape.size()));
    }
  }
  if (t.offset) {
    KGB_TRY(spec.offset, t.offset->integer(*this));
  }
  if (t.strides || t.offset) spec.storage = reach(spec);
  if (t.storage) {
    KGB_TRY(spec.storage, t.storage->integer(*this));
  }
  return ok_status();
}

Result<Domain> Resolver::domain(const Choice& choice, DType dtype) {
  const TensorTemplate& t = *choice.arg->tensor;
  if (t.domains.empty()) return default_domain(dtype);
  DomainChoice chosen = t.domains[choice.domain];
  if (chosen.kind.starts_with("any_")) {
    if (draw_ == nullptr) return user_error(fmt::format("domain {} is for [[hidden]] alone", chosen.kind));
    const std::vector<std::string> names = domains_of(chosen.kind, dtype, op_.defaults);
    KGB_TRY(chosen, parse_domain(names[draw_->pick("domain of " + choice.arg->name, names)]));
  }
  Domain out{chosen.kind, {}};
  for (const Expression& param : chosen.params) {
    KGB_TRY(const double value, param.number(*this));
    out.params.push_back(value);
  }
  return out;
}

Result<Call> Resolver::call() {
  Call out;
  out.op = op_.name;
  out.entry = entry_.name;
  for (const Parameter& parameter : entry_.schema.parameters) {
    auto value = lookup(parameter.name);
    if (!value.ok()) {
      const auto it = choices_.find(parameter.name);
      const bool named = value.error().message.find(parameter.name) != std::string::npos;
      if (it == choices_.end() || named) return value.error();
      return user_error(fmt::format("{}: {}", parameter.name, value.error().message));
    }
    out.args.push_back({parameter.name, std::move(value).value(), parameter.keyword});
  }
  return out;
}

}  // namespace kgb
