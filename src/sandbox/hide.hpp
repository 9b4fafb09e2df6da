// SPDX-License-Identifier: Apache-2.0
// Keeps folders unread that lie inside folders which a lock opens for reading.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace kgb::sandbox {

// Landlock only adds rights, and a right to a folder holds for all beneath it. So a folder on the way to a
// hidden place is opened piece by piece: its other entries are read whole, and of itself only the list.
struct Readable {
  std::vector<std::string> whole;  // read, with everything beneath
  std::vector<std::string> list;   // entries may be listed; files beneath are not read by this right
};
// Paths that are not there are left out of `hidden` and kept in `read`.
[[nodiscard]] Readable read_around(std::span<const std::string> read, std::span<const std::string> hidden);

}  // namespace kgb::sandbox
