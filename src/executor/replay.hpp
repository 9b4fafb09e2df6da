// SPDX-License-Identifier: Apache-2.0
// A plan that was stored with its kernels' code, run on a device by a process that does nothing else: what
// profilers are pointed at.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"
#include "model/replayed.hpp"

namespace kgb::executor {

struct ReplayOptions {
  std::string backend = "cuda";  // a row of src/device/runtimes.def; its first visible device
  // 0: each call's launches once, in the order of the plan, and no other kernel. Else the last call is timed:
  // as many samples, and as many replays whose nodes are told apart.
  int samples = 0;
  bool apart = false;  // every buffer is an allocation of its own; without samples
};

// `file` holds a frame as the judge sends it to an executor (docs/contracts/wire.md, "Replays"). An Error is
// the host's, or a file that is no such frame.
[[nodiscard]] Result<Replayed> replay(const std::filesystem::path& file, const ReplayOptions& options);

}  // namespace kgb::executor
