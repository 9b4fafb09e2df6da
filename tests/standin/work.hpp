// SPDX-License-Identifier: Apache-2.0
// How libraries on top of the driver's stand-in queue work: run at once, or recorded where a graph is begun.
#pragma once

#include <functional>

namespace kgb::standin {

using Work = std::function<int()>;  // gives a CUresult
int submit(Work work);

}  // namespace kgb::standin
