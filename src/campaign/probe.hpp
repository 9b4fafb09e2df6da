// SPDX-License-Identifier: Apache-2.0
// A few workloads that stand for many.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "catalogue/catalogue.hpp"

namespace kgb {

// `each` workloads of every entry, spread over those there are; edge workloads left out.
inline std::vector<Workload> probe_of(const std::vector<Workload>& all, std::size_t each) {
  std::map<std::string, std::vector<const Workload*>> by_entry;
  for (const Workload& workload : all)
    if (!workload.edge) by_entry[workload.call.entry].push_back(&workload);
  std::vector<Workload> probe;
  for (const auto& [entry, rows] : by_entry)
    for (std::size_t i = 0; i < std::min(each, rows.size()); ++i)
      probe.push_back(*rows[i * rows.size() / std::min(each, rows.size())]);
  return probe;
}

}  // namespace kgb
