// SPDX-License-Identifier: Apache-2.0
// Writes the card: what a schema tells of each argument becomes the shortest value that it can have.
#include "catalogue/new_operator.hpp"

#include "base/text.hpp"
#include "catalogue/schema.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

struct Shapes {
  std::string_view shape, layout, domain;
};
constexpr Shapes kSmoke{"[[5, 7], [3, 257]]", "", "normal(0, 1)"};
constexpr Shapes kHidden{"\"dims(1, 4, 20000)\"", ", layout = \"any\"", "any_float"};

const Parameter* first_tensor(const Schema& schema) {
  for (const Parameter& parameter : schema.parameters)
    if (parameter.type.is_tensor() && !parameter.type.list) return &parameter;
  return nullptr;
}

std::string tensor_line(const Parameter& parameter, const Parameter* first, const Shapes& how) {
  const std::string_view dtypes = "[\"f32\", \"f16\"]";
  // An output is handed over full of NaN: whatever of it is not written shows.
  const std::string_view domain = parameter.type.writes && parameter.keyword ? "nan" : how.domain;
  if (parameter.type.list)
    return fmt::format("{{ items = 2, shape = [5, 7], dtype = \"f32\"{}, domain = \"{}\" }}", how.layout,
                       domain);
  if (&parameter == first)
    return fmt::format("{{ shape = {}, dtype = {}{}, domain = \"{}\" }}", how.shape, dtypes, how.layout,
                       domain);
  return fmt::format("{{ like = \"{}\"{}, domain = \"{}\" }}", first->name, how.layout, domain);
}

std::string_view number_line(const SchemaType& type) {
  if (type.list) return "[[1]]";
  switch (type.base) {
    case BaseType::integer:
      return "1";
    case BaseType::real:
      return "0.7";  // no 16-bit type holds it: a factor that is rounded shows
    case BaseType::boolean:
      return "[false, true]";
    case BaseType::complex:
      return "\"complex(1, 2)\"";
    case BaseType::text:
      return "\"a\"";
    case BaseType::dtype:
      return "\"f32\"";
    case BaseType::generator:
      return "true";
    default:
      return "2";
  }
}

// One table: the tensors, and what has no default.
std::string workload_table(std::string_view head, const std::string& entry, const Schema& schema,
                           const Shapes& how) {
  std::string text = fmt::format("{}\nentry = [\"{}\"]\n", head, entry);
  const Parameter* first = first_tensor(schema);
  for (const Parameter& parameter : schema.parameters) {
    if (parameter.type.is_tensor() && !parameter.type.optional)
      text += fmt::format("{} = {}\n", parameter.name, tensor_line(parameter, first, how));
    else if (!parameter.fallback)
      text += fmt::format("{} = {}\n", parameter.name, number_line(parameter.type));
  }
  return text;
}

}  // namespace

Result<std::string> new_card_text(const NewOperator& made) {
  std::string entries, workloads, hidden, tensor;
  for (const auto& [name, text] : made.entries) {
    KGB_TRY(const Schema schema, parse_schema(text));
    if (const Parameter* first = first_tensor(schema); first != nullptr && tensor.empty())
      tensor = first->name;
    entries += fmt::format("[[entry]]\nname   = \"{}\"\nschema = \"{}\"\n", name, text);
    workloads += workload_table("[[workload]]\ntier = \"smoke\"", name, schema, kSmoke);
    hidden += workload_table("[[hidden]]\ncount = 6", name, schema, kHidden);
  }
  return fmt::format(
      "# {0}. What each key means: docs/contracts/card.md\n"
      "name   = \"{0}\"\n"
      "family = \"{1}\"\n"
      "source = \"{2}\"\n"
      "\n{3}"
      "\n# How wrong an honest kernel may be, docs/theory.md: `reduction` or `dot` with a length where terms "
      "are\n"
      "# added up, `exact` where bits are moved. A reference hands over the magnitude that errors scale "
      "with.\n"
      "[error]\n"
      "class = \"pointwise\"\n"
      "ulps  = 4\n"
      "\n[cost]\n"
      "flops = \"numel({4})\"\n"
      "bytes = \"2 * nbytes({4})\"\n"
      "\n# Shapes and values that make every part of the operator matter; dtypes, layouts and all "
      "entries.\n{5}"
      "\n# Drawn afresh with a secret seed: odd, prime, tiny, empty and large shapes, strange layouts and "
      "values.\n{6}",
      made.name, made.name.substr(0, made.name.find("::")), made.reference, entries,
      tensor.empty() ? "out" : tensor, workloads, hidden);
}

}  // namespace kgb
