// SPDX-License-Identifier: Apache-2.0
#include "base/loaded.hpp"

#include <link.h>

namespace kgb {

std::vector<std::string> loaded_libraries() {
  std::vector<std::string> paths;
  const auto note = [](dl_phdr_info* info, std::size_t, void* list) {
    // The program itself has no name, the kernel's page no path.
    if (info->dlpi_name != nullptr && info->dlpi_name[0] == '/')
      static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
    return 0;
  };
  ::dl_iterate_phdr(note, &paths);
  return paths;
}

}  // namespace kgb
