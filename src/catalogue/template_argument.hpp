// SPDX-License-Identifier: Apache-2.0
// One argument of a workload table: its alternatives, read by the schema's type.
#pragma once

#include <string>

#include "catalogue/template.hpp"

namespace kgb {

// The value of a key. A list gives alternatives; for list types a flat list is one value, a list of lists
// alternatives. `parameter` is nullptr for variables: numbers, or texts as expressions.
[[nodiscard]] ArgTemplate read_argument(const std::string& name, const TomlValue& value,
                                        const Parameter* parameter, const std::string& where,
                                        Problems& problems);
// One value (a row of `zip`): a list is a value of a list type, never alternatives.
[[nodiscard]] ArgTemplate read_single(const std::string& name, const TomlValue& value, int line,
                                      const Parameter* parameter, const std::string& where,
                                      Problems& problems);

}  // namespace kgb
