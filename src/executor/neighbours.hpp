// SPDX-License-Identifier: Apache-2.0
// Tensors of one storage that host code handed to kernels: an access that leaves one for another is a fault.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/launch_plan.hpp"
#include "vm/vm.hpp"

namespace kgb::executor {

class Neighbours {
 public:
  explicit Neighbours(const Recording& recording);
  // The tensor that the launch's argument is, with those of the same storage that share no byte with it. Its
  // region is left open. nullopt: the argument is no part, or the only one.
  [[nodiscard]] std::optional<vm::Part> of(const Launch& launch, std::size_t argument) const;

 private:
  struct Tensor {
    vm::ByteView view;
    std::string name;         // "'x' of kernel k"
    std::vector<int> others;  // which of the buffer's tensors share no byte with it
  };
  std::vector<std::vector<Tensor>> tensors_;  // by buffer
};

}  // namespace kgb::executor
