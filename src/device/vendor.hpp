// SPDX-License-Identifier: Apache-2.0
// A function of a device vendor's own library, called for one call of an operator: what the speedup of such
// operators is measured against (`vendor` of docs/contracts/card.md).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.hpp"

namespace kgb::device {

// Where the first element of the tensor `argument` lies on the device; of a pointer array, its own address.
using Places = std::function<std::uint64_t(const std::string& argument)>;

// Arguments bound to a function, whose runtime must outlive it.
class VendorCall {
 public:
  virtual ~VendorCall() = default;
  // Queued like a launch, and like one recorded in a graph.
  [[nodiscard]] virtual Status queue() = 0;
  // Name and version for reports: "cuBLAS 13.1".
  [[nodiscard]] virtual const std::string& library() const = 0;
};

}  // namespace kgb::device
