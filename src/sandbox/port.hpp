// SPDX-License-Identifier: Apache-2.0
// The one way out of a locked process's network namespace: a socket that listens in there, accepted out here.
#pragma once

#include <cstdint>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "sandbox/lock.hpp"

namespace kgb::sandbox {

// A socket belongs to the network namespace that it was made in, whoever holds it. So:
//   1. The new process, in its own namespace and still with all rights in it, brings the loopback up and
//      listens on 127.0.0.1.
//   2. It sends that socket through `channel` and keeps none, then puts its lock on.
//   3. Whoever started it accepts: connections that begin in the namespace end here, and there is no route to
//      anything else.

// In the new process; only system calls.
[[nodiscard]] PreparedLock::Failure open_port(std::uint16_t port, int channel) noexcept;
// In its starter.
[[nodiscard]] Result<Fd> receive_port(int channel);

}  // namespace kgb::sandbox
