// SPDX-License-Identifier: Apache-2.0
// The call that the tests of launch plans record.
#pragma once

#include "model/call.hpp"

namespace kgb {

// aten::relu of eight contiguous f32.
inline Call relu_call() {
  TensorSpec spec;
  spec.shape = {8};
  spec.strides = {1};
  spec.storage = 8;
  Call call{"aten::relu", "relu", "s1", {}};
  call.args.push_back({"self", spec, false});
  return call;
}

}  // namespace kgb
