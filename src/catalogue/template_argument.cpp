// SPDX-License-Identifier: Apache-2.0
// Alternatives of one argument: numbers, texts, lists, and the tables that describe tensors.
#include "catalogue/template_argument.hpp"

#include <algorithm>

#include "catalogue/layout.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

// Where a message points.
struct Place {
  int line;
  std::string where;
  Problems& problems;
  void problem(std::string_view what) const { problems.add(line, where, what); }
  [[nodiscard]] Place at(std::string_view key) const {
    return {line, fmt::format("{}.{}", where, key), problems};
  }
};

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(DType::c128); ++i) names.emplace_back(name_of(static_cast<DType>(i)));
  return names;
}

bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::optional<Expression> expression(std::string_view text, const Place& place) {
  auto parsed = Expression::parse(text);
  if (parsed.ok()) return std::move(parsed).value();
  place.problem(parsed.error().message);
  return std::nullopt;
}

std::optional<Expression> number(const TomlValue& value, const Place& place) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return Expression::constant(*flag);
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return Expression::constant(*integer);
  if (const auto* real = std::get_if<double>(&value.data)) return Expression::constant(*real);
  if (const std::string* text = value.text()) return expression(*text, place);
  place.problem(fmt::format("must be a number or an expression, not {}", value.type()));
  return std::nullopt;
}

std::optional<Expression> dtype(const TomlValue& value, const Place& place) {
  const std::string* text = value.text();
  if (text == nullptr) {
    place.problem(fmt::format("must name a dtype, not {}", value.type()));
    return std::nullopt;
  }
  if (const auto named = dtype_named(*text)) return Expression::constant(DTypeValue{*named});
  if (is_word(*text) && *text != "None") {
    place.problem(fmt::format("{} is no dtype{}", in_quotes(*text), did_you_mean(*text, dtype_names())));
    return std::nullopt;
  }
  return expression(*text, place);
}

std::optional<ScalarChoice> list_value(const TomlArray& items, const Place& place) {
  std::vector<Expression> values;
  for (const TomlValue& item : items) {
    auto value = number(item, place);
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  }
  return ScalarChoice{std::move(values)};
}

// One value of an argument that is no tensor (or is None).
std::optional<ScalarChoice> scalar_value(const TomlValue& value, const Parameter* parameter,
                                         const Place& place) {
  const auto wrap = [](std::optional<Expression> parsed) -> std::optional<ScalarChoice> {
    if (!parsed) return std::nullopt;
    return ScalarChoice{std::move(*parsed)};
  };
  const std::string* text = value.text();
  if (parameter == nullptr) return wrap(number(value, place));
  const SchemaType& type = parameter->type;
  if (text != nullptr && *text == "None") {
    if (!type.optional) {
      place.problem(fmt::format("cannot be None: its type is {}", to_text(type)));
      return std::nullopt;
    }
    return ScalarChoice{Expression::constant(None{})};
  }
  if (const TomlArray* items = value.array()) {
    if (type.list) return list_value(*items, place);
    place.problem(fmt::format("a list within a list, but the type is {}", to_text(type)));
    return std::nullopt;
  }
  switch (type.base) {
    case BaseType::text:
    case BaseType::other:
      if (text != nullptr) return ScalarChoice{*text};
      place.problem(fmt::format("must be a text, not {}", value.type()));
      return std::nullopt;
    case BaseType::dtype:
      return wrap(dtype(value, place));
    case BaseType::generator:
      if (const bool* flag = std::get_if<bool>(&value.data); flag != nullptr && *flag) {
        return ScalarChoice{Expression::constant(GeneratorValue{})};
      }
      place.problem("must be true: a generator seeded for the trial");
      return std::nullopt;
    case BaseType::tensor:
      place.problem(fmt::format("must be a table {{ shape = ..., dtype = ... }}, not {}", value.type()));
      return std::nullopt;
    default:
      return wrap(number(value, place));
  }
}

std::optional<ShapeChoice> shape_value(const TomlValue& value, const Place& place) {
  ShapeChoice out;
  if (const std::string* text = value.text()) {
    out.whole = expression(*text, place);
    return out.whole ? std::optional(std::move(out)) : std::nullopt;
  }
  const TomlArray* sizes = value.array();
  if (sizes == nullptr) {
    place.problem(fmt::format("must be a list of sizes or an expression, not {}", value.type()));
    return std::nullopt;
  }
  for (const TomlValue& size : *sizes) {
    auto parsed = number(size, place);
    if (!parsed) return std::nullopt;
    out.sizes.push_back(std::move(*parsed));
  }
  return out;
}

bool holds_list(const TomlValue& value) {
  const TomlArray* items = value.array();
  return items != nullptr && std::any_of(items->begin(), items->end(),
                                         [](const TomlValue& item) { return item.array() != nullptr; });
}

std::vector<ShapeChoice> shape_values(const TomlValue& value, const Place& place) {
  std::vector<ShapeChoice> out;
  if (!holds_list(value)) {
    if (auto one = shape_value(value, place)) out.push_back(std::move(*one));
    return out;
  }
  for (const TomlValue& item : *value.array()) {
    if (auto one = shape_value(item, place)) out.push_back(std::move(*one));
  }
  return out;
}

// `shapes` of a Tensor[]: one list of shapes, or a list of such lists.
std::vector<std::vector<ShapeChoice>> shape_lists(const TomlValue& value, const Place& place) {
  const TomlArray* items = value.array();
  if (items == nullptr) {
    place.problem("must be a list of lists of shapes");
    return {};
  }
  const bool nested =
      std::any_of(items->begin(), items->end(), [](const TomlValue& item) { return holds_list(item); });
  std::vector<std::vector<ShapeChoice>> out;
  if (!nested) {
    out.emplace_back();
    for (const TomlValue& item : *items) {
      if (auto one = shape_value(item, place)) out.back().push_back(std::move(*one));
    }
    return out;
  }
  for (const TomlValue& item : *items) {
    out.emplace_back();
    const TomlArray* shapes = item.array();
    if (shapes == nullptr) {
      place.problem("must be a list of lists of shapes");
      return {};
    }
    for (const TomlValue& shape : *shapes) {
      if (auto one = shape_value(shape, place)) out.back().push_back(std::move(*one));
    }
  }
  return out;
}

// The values of a field that may be one or a list.
std::vector<const TomlValue*> one_or_list(const TomlValue* value) {
  std::vector<const TomlValue*> out;
  if (value == nullptr) return out;
  if (const TomlArray* items = value->array()) {
    for (const TomlValue& item : *items) out.push_back(&item);
  } else {
    out.push_back(value);
  }
  return out;
}

void read_layouts(const TomlValue* value, const Place& place, TensorTemplate& out) {
  for (const TomlValue* item : one_or_list(value)) {
    const std::string* text = item->text();
    if (text != nullptr && (*text == "any" || layout_named(*text))) {
      out.layouts.push_back(*text);
      continue;
    }
    place.problem(text == nullptr ? "must name a layout"
                                  : fmt::format("{} is no layout{}", in_quotes(*text),
                                                did_you_mean(*text, layout_names())));
  }
}

void read_domains(const TomlValue* value, const Place& place, TensorTemplate& out) {
  for (const TomlValue* item : one_or_list(value)) {
    const std::string* text = item->text();
    if (text == nullptr) {
      place.problem("must be a text like \"normal(0, 1)\"");
      continue;
    }
    auto parsed = parse_domain(*text);
    if (!parsed.ok()) {
      place.problem(parsed.error().message);
    } else {
      out.domains.push_back(std::move(parsed).value());
    }
  }
}

TensorTemplate tensor_value(const TomlTable& table, const Parameter& parameter, const Place& place) {
  TensorTemplate out;
  TableReader reader(table, place.line, place.where, place.problems);
  out.like = reader.text("like");
  if (const TomlValue* shape = reader.find("shape")) out.shapes = shape_values(*shape, place.at("shape"));
  if (const TomlValue* shapes = reader.find("shapes")) out.lists = shape_lists(*shapes, place.at("shapes"));
  for (const TomlValue* item : one_or_list(reader.find("dtype"))) {
    if (auto parsed = dtype(*item, place.at("dtype"))) out.dtypes.push_back(std::move(*parsed));
  }
  read_layouts(reader.find("layout"), place.at("layout"), out);
  read_domains(reader.find("domain"), place.at("domain"), out);
  if (const TomlValue* items = reader.find("items")) out.items = number(*items, place.at("items"));
  if (const TomlValue* strides = reader.find("strides"))
    out.strides = shape_value(*strides, place.at("strides"));
  if (const TomlValue* offset = reader.find("offset")) out.offset = number(*offset, place.at("offset"));
  if (const TomlValue* storage = reader.find("storage")) out.storage = number(*storage, place.at("storage"));
  reader.finish();
  const bool many = out.items || reader.raw().find("shapes") != nullptr;
  if (many && !parameter.type.list) place.problem("items and shapes are for lists of tensors");
  if (!many && parameter.type.list) place.problem("a list of tensors needs items or shapes");
  if (out.like.empty() && reader.raw().find("shape") == nullptr && reader.raw().find("shapes") == nullptr) {
    place.problem("needs shape, shapes or like");
  }
  if (out.like.empty() && reader.raw().find("dtype") == nullptr) place.problem("needs dtype");
  return out;
}

}  // namespace

Result<DomainChoice> parse_domain(std::string_view text) {
  text = trim(text);
  const std::size_t open = text.find('(');
  DomainChoice out;
  out.kind = std::string(trim(text.substr(0, open)));
  std::vector<std::string> known = domain_kinds();
  known.insert(known.end(), {"any_float", "any_int", "any_finite"});
  if (std::find(known.begin(), known.end(), out.kind) == known.end()) {
    return user_error(fmt::format("{} is no domain{}", in_quotes(out.kind), did_you_mean(out.kind, known)));
  }
  if (open == std::string_view::npos) return out;
  if (!text.ends_with(")")) return user_error(fmt::format("expected ')' at the end of {}", in_quotes(text)));
  const std::string_view inner = text.substr(open + 1, text.size() - open - 2);
  int depth = 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= inner.size(); ++i) {
    if (i < inner.size() && (inner[i] == '(' || inner[i] == '[')) ++depth;
    if (i < inner.size() && (inner[i] == ')' || inner[i] == ']')) --depth;
    if (i < inner.size() && (inner[i] != ',' || depth != 0)) continue;
    KGB_TRY(Expression param, Expression::parse(inner.substr(from, i - from)));
    out.params.push_back(std::move(param));
    from = i + 1;
  }
  return out;
}

ArgTemplate read_single(const std::string& name, const TomlValue& value, int line, const Parameter* parameter,
                        const std::string& where, Problems& problems) {
  ArgTemplate out{name, line, {}, std::nullopt};
  const Place place{line, where, problems};
  if (parameter != nullptr && parameter->type.is_tensor() && value.table() != nullptr) {
    out.tensor = tensor_value(*value.table(), *parameter, place);
  } else if (auto one = scalar_value(value, parameter, place)) {
    out.scalars.push_back(std::move(*one));
  }
  return out;
}

ArgTemplate read_argument(const std::string& name, const TomlValue& value, const Parameter* parameter,
                          const std::string& where, Problems& problems) {
  const TomlArray* items = value.array();
  const bool list_type = parameter != nullptr && parameter->type.list;
  const bool one_value = items == nullptr || (list_type && !holds_list(value));
  if (one_value) return read_single(name, value, value.line, parameter, where, problems);
  ArgTemplate out{name, value.line, {}, std::nullopt};
  const Place place{value.line, where, problems};
  if (items->empty()) place.problem("an empty list gives no workload");
  for (const TomlValue& item : *items) {
    if (auto one = scalar_value(item, parameter, place)) out.scalars.push_back(std::move(*one));
  }
  return out;
}

}  // namespace kgb
