// SPDX-License-Identifier: Apache-2.0
// Parts of an operator's name: aten::softmax is the operator softmax of the source aten.
#pragma once

#include <string>
#include <string_view>

namespace kgb {

[[nodiscard]] inline std::string source_of(std::string_view op) {
  return std::string(op.substr(0, op.find("::")));
}
[[nodiscard]] inline std::string short_name(std::string_view op) {
  return std::string(op.substr(op.find("::") + 2));
}
// "aten/softmax.py": where the folder of a contestant dir:PATH has its candidate.
[[nodiscard]] inline std::string candidate_name(std::string_view op, std::string_view suffix = ".py") {
  return source_of(op) + "/" + short_name(op) + std::string(suffix);
}

}  // namespace kgb
