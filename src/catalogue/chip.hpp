// SPDX-License-Identifier: Apache-2.0
// Chip cards: what host code, the compiler and the roofline need to know of a device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalogue/problems.hpp"
#include "catalogue/toml.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

struct ChipCard {
  std::string name;  // "h200", "sm_90"
  std::string kind;  // "chip": candidates run on it; "target": kernels are compiled for it
  std::string vendor;
  std::string device_name;           // what the runtime calls it: "NVIDIA H200"
  std::string backend;               // Triton's: "cuda", "hip"; "cpu" runs the virtual machine
  std::string arch;                  // Triton's: "90", "gfx942"
  std::string capability;            // CUDA's: "9.0"
  std::string impersonates;          // chips without a Triton backend: the card that host code sees
  std::vector<std::string> targets;  // what kernels are compiled for when judged on this chip
  // Facts as host code asks for them: multiprocessors, warp_size, shared_optin_bytes, ...; bytes and kHz.
  // A chip that impersonates another has that one's.
  std::map<std::string, std::int64_t> facts;
  // Data-sheet figures, FLOP/s and bytes/s: "f32", "tf32", "f16", "bandwidth", ...
  std::map<std::string, double> peak;
  std::string peak_source;
  // A fact that the card must have; 0 when it lacks it (the loader reports that).
  [[nodiscard]] std::int64_t fact(const std::string& name) const;
};

[[nodiscard]] ChipCard read_chip(const TomlTable& table, const std::string& stem, Problems& problems);
// "chip" of the author's session (docs/contracts/wire.md): name, device_name, backend, arch and the facts,
// flat.
[[nodiscard]] nlohmann::json to_json(const ChipCard& chip);

}  // namespace kgb
