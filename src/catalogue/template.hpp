// SPDX-License-Identifier: Apache-2.0
// [[workload]] and [[hidden]] tables of a card as templates: alternatives for each argument, not yet
// multiplied out.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "catalogue/expression.hpp"
#include "catalogue/problems.hpp"
#include "catalogue/schema.hpp"
#include "catalogue/toml.hpp"

namespace kgb {

// One alternative of an argument that is no tensor: an expression, a text taken as it is, or a list of
// expressions.
struct ScalarChoice {
  std::variant<Expression, std::string, std::vector<Expression>> value;
};

// Sizes one by one, or one expression that gives the whole list.
struct ShapeChoice {
  std::vector<Expression> sizes;
  std::optional<Expression> whole;
};

struct DomainChoice {
  std::string kind;
  std::vector<Expression> params;
};

struct TensorTemplate {
  std::string like;  // another argument: its shape, dtype and layout
  std::vector<ShapeChoice> shapes;
  std::vector<std::vector<ShapeChoice>> lists;  // Tensor[]: the `shapes` of a card
  std::vector<Expression> dtypes;
  std::vector<std::string> layouts;   // names, or "any"
  std::vector<DomainChoice> domains;  // may be any_float, any_int, any_finite
  std::optional<Expression> items;    // Tensor[]: how many
  std::optional<ShapeChoice> strides;
  std::optional<Expression> offset, storage;  // elements
};

struct ArgTemplate {
  std::string name;
  int line = 0;
  std::vector<ScalarChoice> scalars;  // alternatives; empty when `tensor` is set
  std::optional<TensorTemplate> tensor;
};

// Lists tied together: row r gives every column its r-th value. A column is an argument or a variable.
struct ZipColumn {
  std::string name;
  int line = 0;
  std::vector<ArgTemplate> rows;  // each with one alternative
};
struct ZipTemplate {
  std::vector<ZipColumn> columns;
  std::size_t rows = 0;
};

struct WorkloadTemplate {
  std::string where;  // "workload[3]"
  int line = 0;
  std::string tier;  // smoke, full, published; hidden
  std::vector<std::string> entries;
  double weight = 1;
  bool edge = false;
  bool flush = false;
  int count = 0;        // hidden: how many to draw
  std::string thinned;  // full: what of the published grid these leave out, and why
  std::vector<ArgTemplate> args;
  std::vector<ZipTemplate> zips;
  std::vector<ArgTemplate> variables;  // `let`: names for expressions, each an axis of the grid
  std::optional<Expression> when;
  [[nodiscard]] bool hidden() const { return tier == "hidden"; }
};

// The entries that a template may name, with their schemas.
using EntrySchemas = std::vector<std::pair<std::string, const Schema*>>;

[[nodiscard]] WorkloadTemplate read_template(const TomlTable& table, int line, const std::string& where,
                                             bool hidden, const EntrySchemas& entries, Problems& problems);
// The key `thinned` of a card or of a table: "what: why", or a problem; empty when it is not there.
[[nodiscard]] std::string read_thinned(TableReader& reader);
// "kind(p1, p2)" as on a card. any_float, any_int and any_finite are accepted.
[[nodiscard]] Result<DomainChoice> parse_domain(std::string_view text);

}  // namespace kgb
