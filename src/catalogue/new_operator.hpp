// SPDX-License-Identifier: Apache-2.0
// The card of an operator of the user's own, to start from.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace kgb {

struct NewOperator {
  std::string name;                                          // "mine::scaled_add"
  std::string reference;                                     // the file that it was made from, for `source`
  std::vector<std::pair<std::string, std::string>> entries;  // name and schema
};

// A card with every entry, an error model and a cost to check, and workloads that suit most elementwise
// operators: two shapes, two dtypes, drawn layouts and special values. An Error names an entry whose schema
// cannot be read.
[[nodiscard]] Result<std::string> new_card_text(const NewOperator& made);

}  // namespace kgb
