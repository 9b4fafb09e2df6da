// SPDX-License-Identifier: Apache-2.0
// The in-process mode of `.cpp` candidates: a locked process that loads the candidate's library and calls it.
#pragma once

namespace kgb {

// Serves frames on `fd` until the peer closes it (docs/contracts/native.md). Everything this process says is
// a claim of the candidate: it shares its address space. Returns an exit code.
int serve_native(int fd);

}  // namespace kgb
