// SPDX-License-Identifier: Apache-2.0
// A kernel of a launch plan as a target's code, with what a launch of it must know.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

struct KernelImage {
  std::string entry;               // symbol in the code
  std::int64_t warps = 4;          // of one program, as the compiler chose
  std::int64_t ctas = 1;           // of one cluster
  std::int64_t shared_bytes = 0;   // dynamic, per program
  std::int64_t scratch_bytes = 0;  // global memory per program and CTA
  std::int64_t profile_bytes = 0;  // likewise, for profiling; Triton passes its address always
  bool cooperative = false;        // the grid must fit on the device at once
  bool dependent_launch = false;   // programmatic dependent launch
  // Of kernels that the candidate compiled its own source for: bytes of each parameter, in order. What a
  // launch hands over must have these sizes.
  std::optional<std::vector<std::int64_t>> parameters{};
  std::vector<std::byte> code;
};

// All but the code, of which its length is told.
[[nodiscard]] nlohmann::json to_json(const KernelImage& image);
// `code` is what stood beside the JSON. The compiler's process is not trusted: numbers are limited.
[[nodiscard]] Result<KernelImage> kernel_image_from_json(const nlohmann::json& json,
                                                         std::vector<std::byte> code);

}  // namespace kgb
