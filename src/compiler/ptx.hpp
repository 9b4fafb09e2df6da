// SPDX-License-Identifier: Apache-2.0
// What can be read off PTX and off the words of its assembler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgb {

// Bytes of each parameter of the kernel `entry`, in order; nullopt: the text defines no such kernel, or not
// in a form that is understood.
[[nodiscard]] std::optional<std::vector<std::int64_t>> parameters_in_ptx(std::string_view ptx,
                                                                         std::string_view entry);
// Registers of the kind %clock64 and %globaltimer that code reads, each once.
[[nodiscard]] std::vector<std::string> clocks_in_ptx(std::string_view ptx);

struct AssemblerFigures {
  std::int64_t registers = 0;     // per thread
  std::int64_t shared_bytes = 0;  // static, per block
  std::int64_t spills = 0;        // bytes stored, per thread
};
// What `ptxas -v` says of the kernel `entry`; zeros where it says nothing.
[[nodiscard]] AssemblerFigures figures_in_log(std::string_view log, std::string_view entry);

}  // namespace kgb
