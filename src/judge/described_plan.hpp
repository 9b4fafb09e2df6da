// SPDX-License-Identifier: Apache-2.0
// The launch plan of a CUDA candidate: its launch description, evaluated for one workload by trusted code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "catalogue/launch_description.hpp"
#include "catalogue/schema.hpp"
#include "model/compare.hpp"
#include "model/launch_plan.hpp"

namespace kgb {

struct PlanQuestion {
  const LaunchDescription& description;
  const std::string& source;
  const Schema& schema;
  const std::vector<Call>& calls;  // of one entry
  const Expectation& contract;     // of each of them: what they return
  std::string target;              // chip card whose device is meant
};

// The recording, or what keeps the description from giving one, and the line in the file.
struct DescribedPlan {
  std::optional<Recording> recording;
  std::string complaint;
  int line = 0;
};
[[nodiscard]] DescribedPlan plan_of(const PlanQuestion& question);

// How C++ names the elements of a tensor: "float", "__half", "long long".
[[nodiscard]] std::string_view cuda_name_of(DType dtype);

// What a launch gives that its kernel cannot take, by the sizes of the kernel's parameters; empty: it fits.
[[nodiscard]] std::string misfit(const Kernel& kernel, const Launch& launch,
                                 const std::vector<std::int64_t>& parameters);

}  // namespace kgb
