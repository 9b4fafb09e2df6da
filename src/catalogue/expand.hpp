// SPDX-License-Identifier: Apache-2.0
// Multiplies templates out to workloads: grids, and draws of hidden templates.
#pragma once

#include <cstdint>
#include <vector>

#include "catalogue/operator.hpp"
#include "catalogue/problems.hpp"

namespace kgb {

inline constexpr std::size_t kMaxGrid = 20000;  // points of one template and entry

// All smoke, full and published workloads in the card's order, duplicates dropped, with ids "s0", "f0", "p0"
// and on.
[[nodiscard]] std::vector<Workload> expand_fixed(const Operator& op, Problems& problems);
// Of a user's own templates, whatever their tier: tier own, ids "o0" and on.
[[nodiscard]] std::vector<Workload> expand_own(const Operator& op,
                                               const std::vector<WorkloadTemplate>& templates,
                                               Problems& problems);
// The hidden workloads of a seed, with ids "h0" and on. A combination that `when` refuses is drawn again, up
// to 64 times.
[[nodiscard]] std::vector<Workload> draw_hidden(const Operator& op, std::uint64_t seed, Problems& problems);

}  // namespace kgb
