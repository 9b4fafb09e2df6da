// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any text as TOML, read as an operator's card and as a chip's.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "catalogue/chip.hpp"
#include "catalogue/operator.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto table = kgb::parse_toml({reinterpret_cast<const char*>(data), size});
  if (!table.ok()) return 0;
  kgb::Problems problems("card.toml");
  (void)kgb::read_card(*table, "operators/aten/relu", {}, problems);
  (void)kgb::read_chip(*table, "h200", problems);
  return 0;
}
