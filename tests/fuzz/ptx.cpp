// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any text as inline PTX. The first byte says how many operands it has; what is accepted runs.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vm/ptx/ptx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string refused;
  const auto assembly = kgb::vm::ptx::parse(text, data[0] % 9, refused);
  if (!assembly) return 0;
  for (const std::uint64_t start : {0x3F80000040490FDBu, 0xFFFFFFFFFFFFFFFFu, 0x8000000000000001u}) {
    std::vector<std::uint64_t> registers(static_cast<std::size_t>(assembly->registers), start);
    kgb::vm::ptx::run(*assembly, registers.data());
  }
  return 0;
}
