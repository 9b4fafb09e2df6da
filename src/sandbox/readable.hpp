// SPDX-License-Identifier: Apache-2.0
// Can another user read this? Asked by becoming that user.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>

#include "base/result.hpp"

namespace kgb::sandbox {

struct Unreadable {
  std::string path;     // of those asked for
  std::string blocker;  // the folder or file on the way to it that refuses
  std::string reason;
};
// The first of the paths that `uid` (as user and group, without other groups) cannot read; for a folder,
// list. Needs root. nullopt: all can be read.
[[nodiscard]] Result<std::optional<Unreadable>> first_unreadable(uid_t uid,
                                                                 std::span<const std::string> paths);

}  // namespace kgb::sandbox
