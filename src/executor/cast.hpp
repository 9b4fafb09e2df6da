// SPDX-License-Identifier: Apache-2.0
// Casts between all element types over strided runs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/dtype.hpp"

namespace kgb::executor {

// A run of n elements; steps in bytes.
struct Run {
  std::byte* dst = nullptr;
  const std::byte* src = nullptr;
  std::int64_t n = 0, dst_step = 0, src_step = 0;
};

struct CastFlags {
  bool conj = false, neg = false;
};

// Copies one run; equal dtypes without flags keep every bit. Source and destination do not overlap.
void cast_run(DType to, DType from, const Run& run, CastFlags flags);

}  // namespace kgb::executor
