// SPDX-License-Identifier: Apache-2.0
// The process that compiles CUDA candidates: locked, since NVRTC reads what they wrote.
// docs/contracts/wire.md.
#pragma once

#include "compiler/nvrtc.hpp"

namespace kgb {

// Answers requests on the channel until the peer is gone. Gives the exit code.
[[nodiscard]] int serve_cuda_compiler(int fd, const NvrtcPlace& place);

}  // namespace kgb
