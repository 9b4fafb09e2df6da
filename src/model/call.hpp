// SPDX-License-Identifier: Apache-2.0
// One concrete call of an operator's entry: every argument with shape, strides and how its values are made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "model/dtype.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

// How the storage of a tensor is filled; docs/contracts/values.md lists the domains and their parameters.
// The whole storage is filled, gaps between strided elements included, by element index in the storage.
struct Domain {
  std::string kind = "normal";
  std::vector<double> params;
  friend bool operator==(const Domain&, const Domain&) = default;
};

struct TensorSpec {
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;  // elements
  std::int64_t offset = 0;            // elements from the start of the storage
  std::int64_t storage = 0;           // elements in the storage
  Domain domain;
  bool mutated = false;        // the schema lets the call write it: Tensor(a!)
  bool host_readable = false;  // the card lets host code read its values
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
  [[nodiscard]] std::int64_t numel() const;
  [[nodiscard]] std::int64_t storage_bytes() const;
};

struct None {
  friend bool operator==(const None&, const None&) = default;
};
struct TensorList {  // Tensor[]; of Tensor?[] an item may be None
  std::vector<std::optional<TensorSpec>> items;
  friend bool operator==(const TensorList&, const TensorList&) = default;
};
struct PointerArray {  // what the candidate gets is an int64 device tensor of the items' addresses
  std::vector<TensorSpec> items;
  friend bool operator==(const PointerArray&, const PointerArray&) = default;
};
struct DTypeValue {
  DType dtype = DType::f32;
  friend bool operator==(const DTypeValue&, const DTypeValue&) = default;
};
struct Complex {
  double re = 0, im = 0;
  friend bool operator==(const Complex&, const Complex&) = default;
};
struct GeneratorValue {  // a torch.Generator on the device, seeded afresh for each trial
  friend bool operator==(const GeneratorValue&, const GeneratorValue&) = default;
};

using ArgValue = std::variant<None, TensorSpec, TensorList, PointerArray, bool, std::int64_t, double, Complex,
                              std::string, DTypeValue, std::vector<std::int64_t>, GeneratorValue>;

struct Arg {
  std::string name;
  ArgValue value;
  bool keyword = false;  // after `*` in the schema: passed by name
  friend bool operator==(const Arg&, const Arg&) = default;
};

struct Call {
  std::string op;        // "aten::softmax"
  std::string entry;     // function that the candidate defines
  std::string workload;  // "s3", "f12", "h7": tier letter and number
  std::vector<Arg> args;
  friend bool operator==(const Call&, const Call&) = default;
};

// JSON form: docs/contracts/call.md. Reading checks every field; the error names the path.
[[nodiscard]] nlohmann::json to_json(const Call& call);
[[nodiscard]] Result<Call> call_from_json(const nlohmann::json& json);
// One tensor spec, as under "tensor" in a call.
[[nodiscard]] Result<TensorSpec> tensor_spec_from_json(const nlohmann::json& json);
// Sizes and strides are not negative, nothing overflows, and every element lies inside the storage.
[[nodiscard]] Status check_spec(const TensorSpec& spec);
// One line for people: "self f16[3,1031] transposed, dim=-1".
[[nodiscard]] std::string describe(const Call& call);
// All tensors of a call in order with their paths: "self", "tensors[1]", "A[0]" (pointer arrays included). An
// item that is None has none, and the items behind it keep their numbers.
[[nodiscard]] std::vector<std::pair<std::string, TensorSpec>> tensors_of(const Call& call);

}  // namespace kgb
