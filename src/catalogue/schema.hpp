// SPDX-License-Identifier: Apache-2.0
// Schema strings of entries, in PyTorch's notation: "(Tensor self, int dim, *, Tensor(a!) out) ->
// Tensor(a!)".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/call.hpp"

namespace kgb {

enum class BaseType : std::uint8_t {
  tensor,
  integer,
  real,
  boolean,
  scalar,
  complex,
  text,
  dtype,
  generator,
  other,  // Layout, Device, MemoryFormat: None or a text
};

struct SchemaType {
  BaseType base = BaseType::tensor;
  std::string name;  // as written: "Tensor", "SymInt"
  bool list = false;
  std::int64_t list_size = -1;    // int[2]: 2
  bool optional = false;          // Tensor?, int[]?
  bool element_optional = false;  // Tensor?[]
  std::string alias;              // "a" of Tensor(a) and Tensor(a!)
  bool writes = false;            // Tensor(a!)
  [[nodiscard]] bool is_tensor() const { return base == BaseType::tensor; }
};
[[nodiscard]] std::string to_text(const SchemaType& type);

struct Parameter {
  SchemaType type;
  std::string name;
  bool keyword = false;              // after `*`
  std::optional<ArgValue> fallback;  // the default
  std::string fallback_text;         // as written
};

struct SchemaReturn {
  SchemaType type;
  std::string name;  // often empty
};

struct Schema {
  std::string text;
  std::vector<Parameter> parameters;
  std::vector<SchemaReturn> returns;
  [[nodiscard]] const Parameter* find(std::string_view name) const;
  // Returns one Scalar: a Python number, which a launch plan carries and nothing computes.
  [[nodiscard]] bool gives_number() const;
  // Returns a view of an argument, at least for some calls (Tensor(a), unwritten): those move nothing.
  [[nodiscard]] bool gives_view() const;
};

// An operator's name in front, as in "softmax.int(Tensor self, ...)", is accepted and dropped.
[[nodiscard]] Result<Schema> parse_schema(std::string_view text);
// A default as Python: "None", "1", "[0, 1]", "torch.int64".
[[nodiscard]] std::string python_literal(const ArgValue& value);
[[nodiscard]] std::string_view torch_name_of(DType dtype);  // "torch.float16"
// A Python `def` line of the entry without "def": "softmax(self, dim, dtype=None, *, out)".
[[nodiscard]] std::string signature_text(std::string_view entry, const Schema& schema);
// Paths of the tensors that the entry gives: "return" or "return[0]", ...; then each argument that it writes.
// A return that is a written argument (Tensor(a!)) is not counted twice.
[[nodiscard]] std::vector<std::string> output_paths(const Schema& schema);

}  // namespace kgb
