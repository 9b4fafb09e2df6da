// SPDX-License-Identifier: Apache-2.0
// The shipped catalogue, loaded once for all tests: two hundred cards take seconds under the sanitizers.
#pragma once

#include <filesystem>

#include "catalogue/catalogue.hpp"

namespace kgb {

inline const Result<Catalogue>& shipped_catalogue() {
  static const Result<Catalogue> loaded =
      Catalogue::load(std::filesystem::path(KGB_SOURCE_DIR) / "catalogue");
  return loaded;
}

}  // namespace kgb
