// SPDX-License-Identifier: Apache-2.0
// The names of a launch description: arguments, what is returned, scratch, and values named by `let`.
#pragma once

#include <map>
#include <string>

#include "catalogue/expression.hpp"
#include "model/launch_plan.hpp"

namespace kgb {

// What a description says and cannot mean, and where. Ends the planning of a workload.
struct Misdescribed {
  int line;
  std::string what;
};

struct BoundTensor {
  TensorSpec spec;
  View view;  // where it lies
};

class DescribedScope final : public Scope {
 public:
  explicit DescribedScope(const Call& call);

  [[nodiscard]] Result<ArgValue> lookup(const std::string& name) override;
  // By path: "self", "tensors[1]", "return". nullptr: no tensor is called so.
  [[nodiscard]] const BoundTensor* tensor(const std::string& path) const;
  // Whether an argument of this name is None.
  [[nodiscard]] bool none(const std::string& name) const;
  // Of a path with an index, the list that it is an item of follows.
  void set_tensor(const std::string& path, BoundTensor tensor);
  // Throws Misdescribed where the name is taken.
  void set(const std::string& name, ArgValue value, int line);

 private:
  std::map<std::string, ArgValue> values_;
  std::map<std::string, BoundTensor> tensors_;
};

}  // namespace kgb
