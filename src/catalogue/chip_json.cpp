// SPDX-License-Identifier: Apache-2.0
// The facts of a chip as the author's session gets them.
#include "catalogue/chip.hpp"
#include "nlohmann/json.hpp"

namespace kgb {

nlohmann::json to_json(const ChipCard& chip) {
  nlohmann::json out{
      {"name", chip.name}, {"device_name", chip.device_name}, {"backend", chip.backend}, {"arch", chip.arch}};
  if (!chip.capability.empty()) out["capability"] = chip.capability;
  for (const auto& [name, value] : chip.facts) out[name] = value;
  return out;
}

}  // namespace kgb
