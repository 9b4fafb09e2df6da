// SPDX-License-Identifier: Apache-2.0
// Makes ready for Runtime::trace() while a process has no context yet.
#pragma once

#include <string>

#include "base/result.hpp"

namespace kgb::device {

// CUPTI follows contexts, modules and graphs from the moment at which it is first used: a process that wants
// to see them whole begins before its runtime is opened, and ends once it is, so that nothing that is timed
// in between is recorded, too. Errors: there is no library; trace() will say the same.
[[nodiscard]] Status begin_tracing(const std::string& backend);
void end_tracing(const std::string& backend);

}  // namespace kgb::device
