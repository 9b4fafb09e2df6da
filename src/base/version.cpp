// SPDX-License-Identifier: Apache-2.0
// KGB_VERSION is defined for this file alone, so that a new release recompiles nothing else.
#include "base/version.hpp"

namespace kgb {

std::string_view version() {
  return KGB_VERSION;
}

}  // namespace kgb
