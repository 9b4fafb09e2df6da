// SPDX-License-Identifier: Apache-2.0
// The executor process: answers trial requests on a frame channel.
#pragma once

namespace kgb::executor {

// Serves until the peer closes the channel (docs/contracts/wire.md). Returns an exit code.
int serve(int fd);

}  // namespace kgb::executor
