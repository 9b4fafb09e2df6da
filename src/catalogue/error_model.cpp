// SPDX-License-Identifier: Apache-2.0
// Reads error and cost models, and evaluates them over a call's arguments.
#include "catalogue/error_model.hpp"

#include <cmath>

namespace kgb {
namespace {

std::optional<Expression> read_expression(TableReader& reader, std::string_view key) {
  const TomlValue* value = reader.find(key);
  if (value == nullptr) return std::nullopt;
  if (const auto* integer = std::get_if<std::int64_t>(&value->data)) return Expression::constant(*integer);
  if (const auto* real = std::get_if<double>(&value->data)) return Expression::constant(*real);
  const std::string* text = value->text();
  if (text == nullptr) {
    reader.problem(value, key, fmt::format("must be a number or an expression, not {}", value->type()));
    return std::nullopt;
  }
  auto parsed = Expression::parse(*text);
  if (!parsed.ok()) {
    reader.problem(value, key, parsed.error().message);
    return std::nullopt;
  }
  return std::move(parsed).value();
}

std::vector<std::string> class_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(ErrorClass::metadata); ++i) {
    names.emplace_back(name_of(static_cast<ErrorClass>(i)));
  }
  return names;
}

// f64 arithmetic is expected where the result type or an input is f64 or c128; everything narrower adds up in
// f32.
DType default_accumulator(const Call& call) {
  for (const Arg& arg : call.args) {
    const auto* dtype = std::get_if<DTypeValue>(&arg.value);
    if (dtype != nullptr && (dtype->dtype == DType::f64 || dtype->dtype == DType::c128)) return DType::f64;
  }
  for (const auto& [path, spec] : tensors_of(call)) {
    if (spec.dtype == DType::f64 || spec.dtype == DType::c128) return DType::f64;
  }
  return DType::f32;
}

Status set_number(const std::optional<Expression>& expression, CallScope& scope, std::string_view key,
                  double& out) {
  if (!expression) return ok_status();
  const auto value = expression->number(scope);
  if (!value.ok()) return user_error(fmt::format("{}: {}", key, value.error().message));
  if (!std::isfinite(*value) || *value < 0) {
    return user_error(fmt::format("{}: {} gives {}, not a number of 0 or more", key,
                                  in_quotes(expression->text()), *value));
  }
  out = *value;
  return ok_status();
}

}  // namespace

ErrorModel read_error_model(const TomlTable& table, int line, const std::string& where, Problems& problems) {
  ErrorModel model;
  TableReader reader(table, line, where, problems);
  const TomlValue* given = reader.find("class");
  const std::string name = reader.text("class", true);
  if (const auto named = error_class_named(name)) {
    model.error_class = *named;
  } else if (!name.empty()) {
    reader.problem(given, "class",
                   fmt::format("{} is no error class{}", in_quotes(name), did_you_mean(name, class_names())));
  }
  model.ulps = read_expression(reader, "ulps");
  model.length = read_expression(reader, "length");
  model.off_by_one = read_expression(reader, "off_by_one");
  model.reduce_dim = read_expression(reader, "reduce_dim");
  model.accumulate = read_expression(reader, "accumulate");
  model.signed_zero = reader.flag("signed_zero", false);
  model.sensitive = reader.text("sensitive", false);
  reader.finish();
  return model;
}

CostModel read_cost_model(const TomlTable& table, int line, const std::string& where, Problems& problems) {
  CostModel model;
  TableReader reader(table, line, where, problems);
  model.flops = read_expression(reader, "flops");
  model.bytes = read_expression(reader, "bytes");
  reader.finish();
  return model;
}

Result<ErrorBound> resolve(const ErrorModel& model, const Call& call) {
  CallScope scope(call);
  ErrorBound bound;
  bound.error_class = model.error_class;
  bound.signed_zero = model.signed_zero;
  bound.accumulate = default_accumulator(call);
  KGB_CHECK(set_number(model.ulps, scope, "ulps", bound.ulps));
  KGB_CHECK(set_number(model.length, scope, "length", bound.length));
  KGB_CHECK(set_number(model.off_by_one, scope, "off_by_one", bound.off_by_one));
  KGB_CHECK(set_number(model.reduce_dim, scope, "reduce_dim", bound.reduce_dim));
  if (model.accumulate) {
    const auto dtype = model.accumulate->dtype(scope);
    if (!dtype.ok()) return user_error("accumulate: " + dtype.error().message);
    bound.accumulate = *dtype;
  }
  return bound;
}

Result<Cost> resolve(const CostModel& model, const Call& call) {
  CallScope scope(call);
  Cost cost;
  KGB_CHECK(set_number(model.flops, scope, "flops", cost.flops));
  KGB_CHECK(set_number(model.bytes, scope, "bytes", cost.bytes));
  return cost;
}

}  // namespace kgb
