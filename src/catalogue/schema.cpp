// SPDX-License-Identifier: Apache-2.0
// Recursive-descent parser of schema strings.
#include "catalogue/schema.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace kgb {
namespace {

constexpr std::size_t kMaxText = 4096, kMaxParameters = 128;

struct NamedType {
  std::string_view name;
  BaseType base;
};
constexpr NamedType kTypes[] = {
    {"Tensor", BaseType::tensor},       {"int", BaseType::integer},  {"SymInt", BaseType::integer},
    {"float", BaseType::real},          {"bool", BaseType::boolean}, {"Scalar", BaseType::scalar},
    {"complex", BaseType::complex},     {"str", BaseType::text},     {"ScalarType", BaseType::dtype},
    {"Generator", BaseType::generator}, {"Layout", BaseType::other}, {"Device", BaseType::other},
    {"MemoryFormat", BaseType::other},
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<Schema> schema() {
    Schema out;
    out.text = std::string(text_);
    skip();
    while (at_ < text_.size() && text_[at_] != '(') ++at_;  // an operator's name
    KGB_CHECK(expect("("));
    bool keyword = false;
    while (!accept(")")) {
      if (out.parameters.size() >= kMaxParameters)
        return error(fmt::format("more than {} arguments", kMaxParameters));
      if (accept("*")) {
        if (keyword) return error("a second '*'");
        keyword = true;
      } else {
        KGB_TRY(Parameter parameter, read_parameter(keyword));
        if (out.find(parameter.name) != nullptr)
          return error(fmt::format("a second argument {}", parameter.name));
        out.parameters.push_back(std::move(parameter));
      }
      if (!accept(",") && !peek(")")) return error("expected ',' or ')'");
    }
    KGB_CHECK(expect("->"));
    KGB_CHECK(read_returns(out));
    skip();
    if (at_ != text_.size()) return error("text after the schema");
    return out;
  }

 private:
  [[nodiscard]] Error error(const std::string& what) const {
    return user_error(fmt::format("{} at column {} of the schema {}", what, at_ + 1, in_quotes(text_, 120)));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool peek(std::string_view token) {
    skip();
    return text_.substr(at_).starts_with(token);
  }
  bool accept(std::string_view token) {
    if (!peek(token)) return false;
    at_ += token.size();
    return true;
  }
  Status expect(std::string_view token) {
    if (!accept(token)) return error(fmt::format("expected '{}'", token));
    return ok_status();
  }
  std::string word() {
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    return std::string(text_.substr(from, at_ - from));
  }

  Result<SchemaType> read_type() {
    SchemaType type;
    type.name = word();
    const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes),
                                     [&](const NamedType& named) { return named.name == type.name; });
    if (found == std::end(kTypes)) {
      std::vector<std::string> known;
      for (const NamedType& named : kTypes) known.emplace_back(named.name);
      return error(fmt::format("{} is no type{}", in_quotes(type.name), did_you_mean(type.name, known)));
    }
    type.base = found->base;
    if (accept("(")) KGB_CHECK(read_alias(type));
    if (accept("?")) type.optional = true;
    if (accept("[")) {
      type.list = true;
      type.element_optional = std::exchange(type.optional, false);
      if (!accept("]")) {
        const auto size = parse_int(word());
        if (!size || *size < 1) return error("expected a list size");
        type.list_size = *size;
        KGB_CHECK(expect("]"));
      }
      if (peek("(")) {
        KGB_CHECK(expect("("));
        KGB_CHECK(read_alias(type));
      }
      if (accept("?")) type.optional = true;
    }
    return type;
  }

  // Behind "(": "a)", "a!)", "a|b)", "a -> *)".
  Status read_alias(SchemaType& type) {
    type.alias = word();
    while (accept("|")) type.alias += "|" + word();
    type.writes = accept("!");
    if (accept("->")) {
      if (!accept("*")) (void)word();
    }
    return expect(")");
  }

  Result<Parameter> read_parameter(bool keyword) {
    Parameter parameter;
    KGB_TRY(parameter.type, read_type());
    parameter.name = word();
    if (parameter.name.empty()) return error("expected an argument's name");
    parameter.keyword = keyword;
    if (accept("=")) {
      parameter.fallback_text = std::string(trim(default_text()));
      KGB_TRY(parameter.fallback, read_default(parameter));
    }
    return parameter;
  }

  std::string_view default_text() {
    const std::size_t from = at_;
    int depth = 0;
    char quote = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (quote != 0) {
        if (c == quote) quote = 0;
        continue;
      }
      if (c == '\'' || c == '"') quote = c;
      if (c == '[') ++depth;
      if (c == ']') --depth;
      if (depth == 0 && (c == ',' || c == ')')) break;
    }
    return text_.substr(from, at_ - from);
  }

  Result<ArgValue> read_default(const Parameter& parameter) {
    const std::string& text = parameter.fallback_text;
    const BaseType base = parameter.type.base;
    const bool named_none = base == BaseType::other && (text == "contiguous_format" || text == "strided");
    if (text == "None" || named_none) {
      if (!parameter.type.optional && !named_none) {
        return error(fmt::format("{} cannot be None: its type is no optional one", parameter.name));
      }
      return ArgValue(None{});
    }
    if (parameter.type.list) return read_default_list(parameter);
    if (text == "True" || text == "False") return ArgValue(text == "True");
    if (base == BaseType::integer || base == BaseType::scalar) {
      if (const auto value = parse_int(text)) return ArgValue(*value);
      if (text == "Mean") return ArgValue(std::int64_t{1});  // at::Reduction
      if (text == "Sum") return ArgValue(std::int64_t{2});
    }
    if (base == BaseType::real || base == BaseType::scalar || base == BaseType::complex) {
      if (const auto value = parse_double(text)) return ArgValue(*value);
    }
    if (base == BaseType::dtype) {
      if (text == "long") return ArgValue(DTypeValue{DType::i64});
      if (text == "float") return ArgValue(DTypeValue{DType::f32});
      if (const auto dtype = dtype_named(text)) return ArgValue(DTypeValue{*dtype});
    }
    if ((base == BaseType::text || base == BaseType::other) && text.size() >= 2 &&
        text.front() == text.back() && (text.front() == '"' || text.front() == '\'')) {
      return ArgValue(text.substr(1, text.size() - 2));
    }
    return error(fmt::format("{} is no default for type {}", in_quotes(text), to_text(parameter.type)));
  }

  Result<ArgValue> read_default_list(const Parameter& parameter) {
    std::string_view text = parameter.fallback_text;
    std::vector<std::int64_t> values;
    if (const auto one = parse_int(text)) {  // int[2] stride=1
      return ArgValue(std::vector<std::int64_t>(static_cast<std::size_t>(std::max<std::int64_t>(
                                                    1, std::min<std::int64_t>(parameter.type.list_size, 16))),
                                                *one));
    }
    if (!text.starts_with("[") || !text.ends_with("]")) {
      return error(fmt::format("{} is no default for type {}", in_quotes(text), to_text(parameter.type)));
    }
    text = trim(text.substr(1, text.size() - 2));
    for (const std::string& part : text.empty() ? std::vector<std::string>{} : split(text, ',')) {
      const auto value = parse_int(trim(part));
      if (!value) return error(fmt::format("{} is no integer", in_quotes(trim(part))));
      values.push_back(*value);
    }
    return ArgValue(std::move(values));
  }

  Status read_returns(Schema& out) {
    const bool tuple = accept("(");
    if (tuple && accept(")")) return ok_status();
    do {
      SchemaReturn one;
      KGB_TRY(one.type, read_type());
      one.name = word();
      out.returns.push_back(std::move(one));
    } while (tuple && accept(","));
    return tuple ? expect(")") : ok_status();
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::string to_text(const SchemaType& type) {
  std::string text = type.name;
  if (!type.alias.empty()) text += fmt::format("({}{})", type.alias, type.writes ? "!" : "");
  if (type.element_optional) text += "?";
  if (type.list) text += type.list_size > 0 ? fmt::format("[{}]", type.list_size) : "[]";
  if (type.optional) text += "?";
  return text;
}

const Parameter* Schema::find(std::string_view name) const {
  for (const Parameter& parameter : parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

bool Schema::gives_number() const {
  return returns.size() == 1 && returns.front().type.base == BaseType::scalar;
}

Result<Schema> parse_schema(std::string_view text) {
  if (text.size() > kMaxText) return user_error(fmt::format("the schema is longer than {} bytes", kMaxText));
  return Parser(text).schema();
}

bool Schema::gives_view() const {
  return std::any_of(returns.begin(), returns.end(),
                     [](const SchemaReturn& r) { return !r.type.alias.empty() && !r.type.writes; });
}

std::string python_literal(const ArgValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&value)) {
    if (std::isfinite(*real)) return fmt::format("{}", *real);
    return fmt::format("float('{}')", *real);
  }
  if (const auto* text = std::get_if<std::string>(&value))
    return fmt::format("'{}'", replace_all(*text, "'", "\\'"));
  if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&value))
    return fmt::format("[{}]", fmt::join(*ints, ", "));
  if (const auto* dtype = std::get_if<DTypeValue>(&value)) return std::string(torch_name_of(dtype->dtype));
  return "None";
}

std::string_view torch_name_of(DType dtype) {
  switch (dtype) {
    case DType::b8:
      return "torch.bool";
    case DType::u8:
      return "torch.uint8";
    case DType::i8:
      return "torch.int8";
    case DType::i16:
      return "torch.int16";
    case DType::i32:
      return "torch.int32";
    case DType::i64:
      return "torch.int64";
    case DType::u16:
      return "torch.uint16";
    case DType::u32:
      return "torch.uint32";
    case DType::u64:
      return "torch.uint64";
    case DType::f8e4m3:
      return "torch.float8_e4m3fn";
    case DType::f8e5m2:
      return "torch.float8_e5m2";
    case DType::f16:
      return "torch.float16";
    case DType::bf16:
      return "torch.bfloat16";
    case DType::f32:
      return "torch.float32";
    case DType::f64:
      return "torch.float64";
    case DType::c64:
      return "torch.complex64";
    case DType::c128:
      return "torch.complex128";
  }
  return "None";
}

std::string signature_text(std::string_view entry, const Schema& schema) {
  std::vector<std::string> parts;
  bool keyword = false;
  for (const Parameter& parameter : schema.parameters) {
    if (parameter.keyword && !keyword) {
      parts.emplace_back("*");
      keyword = true;
    }
    parts.push_back(parameter.fallback
                        ? fmt::format("{}={}", parameter.name, python_literal(*parameter.fallback))
                        : parameter.name);
  }
  return fmt::format("{}({})", entry, fmt::join(parts, ", "));
}

std::vector<std::string> output_paths(const Schema& schema) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < schema.returns.size(); ++i) {
    const SchemaType& type = schema.returns[i].type;
    if ((!type.is_tensor() && !schema.gives_number()) || type.writes) continue;
    paths.push_back(schema.returns.size() == 1 ? "return" : fmt::format("return[{}]", i));
  }
  for (const Parameter& parameter : schema.parameters) {
    if (parameter.type.writes) paths.push_back(parameter.name);
  }
  return paths;
}

}  // namespace kgb
