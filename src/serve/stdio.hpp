// SPDX-License-Identifier: Apache-2.0
// The transport for one client that started us: one JSON object a line, in and out.
#pragma once

#include "base/result.hpp"
#include "serve/server.hpp"

namespace kgb::serve {

// Until the end of `in`, or until nobody reads `out`: then calls that run are stopped. A final line without
// its end counts. An Error is the host's.
[[nodiscard]] Status serve_lines(Server& server, int in, int out);

}  // namespace kgb::serve
